extension String {
    /// This text in Unicode's stream-safe format (UAX #15, section 13): U+034F follows each 30 combining marks on one
    /// letter. It is invisible and ends the run that a normaliser has to sort. Sorting takes time that grows with the
    /// square of the number of marks.
    ///
    /// A text in which no letter has 30 marks, as in every language, stays unchanged. Untrusted text is converted before
    /// Foundation folds, orders or normalises it.
    package var streamSafe: String {
        let marksMax = 30
        // A mark has at least two bytes.
        guard utf8.count > 2 * marksMax else { return self }
        var safe = String.UnicodeScalarView()
        var copied = startIndex
        var marks = 0
        for index in unicodeScalars.indices {
            marks = unicodeScalars[index].isMark ? marks + 1 : 0
            guard marks > marksMax else { continue }
            safe += unicodeScalars[copied..<index]
            safe.append("\u{34F}")
            copied = index
            marks = 1
        }
        guard copied > startIndex else { return self }
        safe += unicodeScalars[copied...]
        return String(safe)
    }
}

extension Unicode.Scalar {
    /// Whether normalising sorts the scalar. No scalar below U+0300 is sorted.
    fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
