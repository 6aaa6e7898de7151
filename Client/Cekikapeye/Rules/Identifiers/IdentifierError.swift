/// Why a text or bytes are no identifier.
package enum IdentifierError: Error, Hashable, Sendable {
    /// The text is not the canonical form.
    case notCanonical(String)
    /// There are not 16 bytes but so many.
    case wrongLength(Int)
}

extension IdentifierError: CustomStringConvertible {
    /// What could not be used and what was expected.
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
