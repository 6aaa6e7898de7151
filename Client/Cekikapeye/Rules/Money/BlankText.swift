extension String {
    /// The text without the spaces around it, those of typography included.
    func trimmingBlanks() -> String {
        var scalars = unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Whether only spaces are in it.
    var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// The text as a word of a table is looked up: without the spaces around it, in small letters; `nil` where it is longer than any
    /// word, for what other people wrote could be made of marks that take minutes to compare.
    var lookedUp: String? {
        let word = trimmingBlanks()
        return word.utf8.count <= 64 ? word.lowercased() : nil
    }

    /// The text as a message may quote it: one line, and not longer than a message.
    func shortened() -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(1000) {
            scalars.append(
                scalar.properties.isWhitespace || scalar.properties.generalCategory == .control ? " " : scalar)
        }
        let line = String(scalars)
        return line.count <= 40 ? line : line.prefix(39) + "…"
    }
}
