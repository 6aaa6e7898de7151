extension String {
    /// This text in Unicode's stream-safe format (UAX #15, section 13): after each 30 marks upon one letter stands U+034F, which nothing
    /// shows and which ends what a normaliser has to sort. Sorting takes time that grows with the square of the number of marks.
    ///
    /// A text in which no letter has as many, as in every language, stays as it is. Text of other people is brought to this form before
    /// Foundation folds, orders or normalises it.
    package var streamSafe: String {
        // A mark has two bytes at least.
        guard utf8.count > 2 * Self.marksMax, !hasShortRuns else { return self }
        var marks = 0
        var safe = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            if marks > Self.marksMax {
                safe.append("\u{34F}")
                marks = 1
            }
            safe.append(scalar)
        }
        return String(safe)
    }

    private static var marksMax: Int { 30 }

    private var hasShortRuns: Bool {
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.isMark ? marks + 1 : 0
            if marks > Self.marksMax { return false }
        }
        return true
    }
}

extension Unicode.Scalar {
    /// Whether normalising sorts it: below U+0300 there are none.
    fileprivate var isMark: Bool { value >= 0x300 && properties.canonicalCombiningClass != .notReordered }
}
