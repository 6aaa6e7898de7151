extension String {
    /// Returns the text without surrounding white space, including typographical spaces.
    func trimmingBlanks() -> String {
        var scalars = unicodeScalars[...]
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Whether the text has only white space.
    var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// The text in the form in which a table of words is searched: trimmed and in lower case. It is `nil` if the text is
    /// longer than any word of a table: text of other users could consist of combining marks that take minutes to compare.
    var lookedUp: String? {
        let word = trimmingBlanks()
        return word.utf8.count <= 64 ? word.lowercased() : nil
    }

    /// Returns the text in a form that a message may quote: one line of at most 40 characters.
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
