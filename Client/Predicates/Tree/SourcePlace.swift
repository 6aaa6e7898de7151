/// Where something was written in a format text, for messages.
///
/// All places are equal: what a predicate means does not depend on how it was laid out.
package struct SourcePlace: Hashable, Sendable {
    package let text: String
    /// From 0, in bytes of UTF-8.
    package let offset: Int

    package init(text: String, offset: Int) {
        self.text = text
        self.offset = offset
    }

    package static func == (left: SourcePlace, right: SourcePlace) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}

    /// The column, from 1, in characters as a reader counts them.
    var column: Int {
        let bytes = text.utf8.prefix(offset)
        return String(decoding: bytes, as: UTF8.self).count + 1
    }
}
