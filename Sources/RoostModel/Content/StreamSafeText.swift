extension String {
    /// This text in Unicode's stream-safe format (UAX #15, section 13): U+034F follows each 30 combining marks on one letter. It is
    /// invisible and ends the run that a normaliser has to sort. Sorting takes time that grows with the square of the number of marks.
    ///
    /// A text in which no letter has as many, as in every language, stays as it is. Text of other people is brought to this form before
    /// Foundation folds, orders or normalises it.
    package var streamSafe: String {
        let marksMax = 30
        // A mark has two bytes at least.
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
    /// Whether normalising sorts it: below U+0300 there are none.
    fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
