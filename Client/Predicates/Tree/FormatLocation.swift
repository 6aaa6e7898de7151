/// A location in a format text, for messages.
///
/// All locations are equal, so that equality of predicates ignores their layout.
package struct FormatLocation: Hashable, Sendable {
    package let text: String
    /// The offset in bytes of UTF-8, from 0.
    package let offset: Int

    package init(text: String, offset: Int) {
        self.text = text
        self.offset = offset
    }

    package static func == (left: FormatLocation, right: FormatLocation) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}

    /// The column in characters, from 1.
    var column: Int {
        let bytes = text.utf8.prefix(offset)
        return String(decoding: bytes, as: UTF8.self).count + 1
    }
}
