internal import Foundation
internal import RoostModel

/// Texts without the differences that a comparison does not look at.
package enum TextFolding {
    /// The text folded as `options` say, and in one Unicode form; as it is without options.
    package static func folded(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? lowercased(ascii: text) : text
        }
        // Below U+0300 there are no marks and no wide letters.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return step(text, options.intersection(.loose)) }
        // From one Unicode form, and one after the other: all at once Foundation leaves the accent on a wide letter, and what
        // half-width letters are made of apart.
        let steps: [TextOptions] = [.widthInsensitive, .caseInsensitive, .diacriticInsensitive]
        return steps.filter(options.contains).reduce(text.streamSafe.precomposedStringWithCanonicalMapping, step)
    }

    private static func step(_ text: String, _ options: TextOptions) -> String {
        var compare: String.CompareOptions = []
        if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
        if options.contains(.widthInsensitive) { compare.insert(.widthInsensitive) }
        return text.folding(options: compare, locale: nil).precomposedStringWithCanonicalMapping
    }

    private static func lowercased(ascii text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The bytes of a folded text, which is what SQL compares; other values, and all without options, as they are.
    static func folded(_ value: Value, _ options: TextOptions) -> Value {
        guard !options.isEmpty, case .text(let text) = value else { return value }
        return .bytes(Array(folded(text, options).utf8))
    }
}
