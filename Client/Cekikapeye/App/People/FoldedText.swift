internal import Foundation

/// A text reduced to what people compare: no case, no accents, no spaces around it.
package struct FoldedText: Hashable, Comparable, Sendable {
    /// The reduced text.
    package let text: String

    /// Reduces a text; the same on every device, whatever its language.
    package init(_ text: String) {
        self.text = Self.streamSafe(text).trimmingCharacters(in: .whitespacesAndNewlines)
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    /// The text with at most 30 marks upon one letter, as Unicode's stream-safe format has it (UAX #15, section 13): folding takes time that
    /// grows with the square of their number, and no language writes as many.
    private static func streamSafe(_ text: String) -> String {
        var marks = 0
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks <= 30 { safe.append(scalar) }
        }
        return String(safe)
    }

    /// Whether this begins as the other does; a blank text begins nothing.
    package func hasPrefix(_ other: FoldedText) -> Bool { !other.text.isEmpty && text.hasPrefix(other.text) }

    /// Whether the other occurs in this.
    package func contains(_ other: FoldedText) -> Bool { text.contains(other.text) }

    /// Orders texts as people look them up.
    package static func < (left: FoldedText, right: FoldedText) -> Bool { left.text < right.text }
}
