/// Texts of others that are shown beside other texts.
package enum ShortText {
    /// Characters of a name of a scope or device (protocol.md §8), and what is shown of one.
    package static let nameCharactersMax = 100
    /// A character may have any number of combining marks.
    private static let bytesPerCharacterMax = 16

    /// The text where it is short enough, else its beginning and an ellipsis: at most `width` characters, and 16 bytes for each.
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

    /// A name as it is kept and shown.
    package static func name(_ text: String) -> String { cut(text, to: nameCharactersMax) }
}
