/// A syntax error in JSON.
struct SplitJSONFault: Error, Hashable {
    /// The offset in UTF-8 bytes.
    let byte: Int
    /// The expected syntax, for messages.
    let expected: String
}
