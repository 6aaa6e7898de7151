extension String {
    /// The first text, by Unicode scalars, after all texts that begin with this one; `nil` if there is none.
    var firstBeyondPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // The range between 0xD7FF and 0xE000 has no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            return String(text)
        }
        return nil
    }
}
