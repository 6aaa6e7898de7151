/// The reason why a text or bytes are not an identifier.
package enum IdentifierError: Error, Hashable, Sendable {
    /// The text is not the canonical form.
    case notCanonical(String)
    /// The number of bytes is the given one, not 16.
    case wrongLength(Int)
}

extension IdentifierError: CustomStringConvertible {
    /// The problem, and the expected form.
    package var description: String {
        switch self {
        case .notCanonical(let text):
            """
            Cannot use identifier "\(text.shortened())": expected 36 characters of lower-case hexadecimal in groups of \
            8-4-4-4-12. Give the text the record carries.
            """
        case .wrongLength(let count):
            "Cannot use \(count) bytes as an identifier: expected 16. Give the bytes the record carries."
        }
    }
}
