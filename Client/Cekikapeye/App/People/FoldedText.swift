internal import Foundation
internal import RoostModel

/// A text reduced to what people compare: no case, no accents, no spaces around it.
package struct FoldedText: Hashable, Comparable, Sendable {
    /// The reduced text.
    package let text: String

    /// Reduces a text; the same on every device, whatever its language.
    package init(_ text: String) {
        self.text = text.streamSafe.trimmingCharacters(in: .whitespacesAndNewlines)
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    /// Whether this begins as the other does; a blank text begins nothing.
    package func hasPrefix(_ other: FoldedText) -> Bool { !other.text.isEmpty && text.hasPrefix(other.text) }

    /// Whether the other occurs in this.
    package func contains(_ other: FoldedText) -> Bool { text.contains(other.text) }

    /// Orders texts as people look them up.
    package static func < (left: FoldedText, right: FoldedText) -> Bool { left.text < right.text }
}
