internal import Foundation
internal import RoostModel

/// A text reduced for comparisons: without case, accents and surrounding spaces.
package struct FoldedText: Hashable, Comparable, Sendable {
    /// The reduced text.
    package let text: String

    /// Reduces a text. The result is identical on every device, whatever its language.
    package init(_ text: String) {
        self.text = text.streamSafe.trimmingCharacters(in: .whitespacesAndNewlines)
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    /// Returns whether this text begins with the other one; `false` if the other one is blank.
    package func hasPrefix(_ other: FoldedText) -> Bool { !other.text.isEmpty && text.hasPrefix(other.text) }

    /// Returns whether this text contains the other one.
    package func contains(_ other: FoldedText) -> Bool { text.contains(other.text) }

    /// Orders reduced texts.
    package static func < (left: FoldedText, right: FoldedText) -> Bool { left.text < right.text }
}
