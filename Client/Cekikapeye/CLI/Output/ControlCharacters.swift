internal import Terminal

/// Makes data harmless for a terminal.
enum ControlCharacters {
    /// The text with control characters, invisible ones and those that turn the writing direction spelled out, as in `\u{1B}`: those that
    /// ``Console`` spells out, but for the joiner within an emoji.
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

    /// JSON text with all such characters in the escapes of JSON; they occur in its strings only.
    static func escapedInJSON(_ json: String) -> String { Console.printableJSON(json) }

    /// Whether U+200D makes one picture of several, as a family.
    private static func joinsEmoji(at index: Int, in scalars: [Unicode.Scalar]) -> Bool {
        guard scalars[index].value == 0x200D, index > 0, index + 1 < scalars.count else { return false }
        let before = scalars[index - 1].value == 0xFE0F && index > 1 ? scalars[index - 2] : scalars[index - 1]
        return isEmoji(before) && isEmoji(scalars[index + 1])
    }

    /// Digits are emoji to Unicode, too.
    private static func isEmoji(_ scalar: Unicode.Scalar) -> Bool { scalar.value > 0xFF && scalar.properties.isEmoji }
}
