/// The number of terminal columns of a text.
package enum DisplayWidth {
    /// One column for each character, two for Chinese characters and emoji.
    package static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    package static func of(_ character: Character) -> Int {
        character.unicodeScalars.contains(where: isWide) ? 2 : 1
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        // The last scalar is the emoji variation selector.
        if scalar.properties.isEmojiPresentation || scalar == "\u{FE0F}" { return true }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return true
        default: return false
        }
    }
}
