/// Where a text stops being JSON.
struct JSONFault: Error, Hashable {
    /// Offset in UTF-8 bytes.
    let byte: Int
    /// What should have stood there.
    let expected: String
}
