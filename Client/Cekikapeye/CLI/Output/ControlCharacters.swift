internal import Terminal

/// Spells out characters that could control a terminal.
enum ControlCharacters {
    /// Spells out control characters, invisible ones and those that change the writing direction, as in `\u{1B}`.
    /// These are the characters that ``Console`` spells out, except for the joiner within an emoji.
    static func escaped(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var result = ""
        for (index, scalar) in scalars.enumerated() {
            if Console.isPrintable(scalar) || joinsEmoji(at: index, in: scalars) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        return result
    }

    /// Escapes in JSON's notation the characters that ``Console`` spells out. They only occur in strings of the JSON.
    static func escapedInJSON(_ json: String) -> String { Console.printableJSON(json) }

    /// Returns whether a U+200D joins two emoji to one picture, such as a family.
    private static func joinsEmoji(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard scalars[index].value == 0x200D, index > 0, index + 1 < scalars.count else { return false }
        let before = scalars[index - 1].value == 0xFE0F && index > 1 ? scalars[index - 2] : scalars[index - 1]
        return isEmoji(before) && isEmoji(scalars[index + 1])
    }

    /// Returns whether a character is an emoji. Unicode classifies digits as emoji, so characters up to U+00FF are excluded.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0xFF && scalar.properties.isEmoji }
}
