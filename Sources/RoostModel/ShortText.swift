/// Untrusted texts, shortened to be shown next to other texts.
package enum ShortText {
    /// The maximum number of characters of a scope's or device's name (protocol.md §8), and of a name that is shown.
    package static let nameCharactersMax = 100
    /// The limit of bytes for each character, which may have any number of combining marks.
    private static let bytesPerCharacterMax = 16

    /// Returns a short text unchanged, and otherwise its beginning and an ellipsis: at most `width` characters, and 16
    /// bytes for each.
    package static func cut(_ text: String, to width: Int) -> String {
        let bytesMax = width * bytesPerCharacterMax
        guard text.utf8.count > bytesMax || text.count > width else { return text }
        var head = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= bytesMax else { break }
            head.append(scalar)
        }
        return String(head).prefix(max(0, width - 1)) + "…"
    }

    /// Returns a name as it is stored and shown.
    package static func name(_ text: String) -> String { cut(text, to: nameCharactersMax) }
}
