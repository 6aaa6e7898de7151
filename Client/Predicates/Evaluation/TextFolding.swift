internal import Foundation
internal import RoostModel

/// Removes from texts the differences that a comparison ignores.
package enum TextFolding {
    /// Folds the text by `options` and normalises it to one Unicode form; returns it unchanged without options.
    package static func folded(_ text: String, _ options: TextOptions) -> String {
        guard !options.isEmpty else { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? lowercased(ascii: text) : text
        }
        // Below U+0300 Unicode has no combining marks and no wide letters.
        guard text.utf8.contains(where: { $0 >= 0xCC }) else { return step(text, options.intersection(.loose)) }
        // The text is normalised first and folded one option at a time: given all options at once, Foundation keeps the accent of a
        // wide letter and leaves half-width letters decomposed.
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

    /// The UTF-8 bytes of the folded text, as SQL compares them. Values that are not text, and all values without options, stay unchanged.
    static func folded(_ value: Value, _ options: TextOptions) -> Value {
        guard !options.isEmpty, case .string(let text) = value else { return value }
        return .data(Array(folded(text, options).utf8))
    }
}
