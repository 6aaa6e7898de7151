/// The identifier of an expense: the canonical text of 16 bytes, lower case.
package struct ExpenseID: Hashable, Sendable {
    /// The 36 characters, such as `0190a4f2-…`.
    package let text: String

    /// Checks and stores the canonical text.
    ///
    /// - Throws: ``IdentifierError/notCanonical(_:)`` for anything else, upper case included.
    package init(_ text: String) throws(IdentifierError) {
        self.text = try CanonicalIdentifier.checked(text)
    }

    /// Converts 16 bytes to canonical text.
    ///
    /// - Throws: ``IdentifierError/wrongLength(_:)`` for another number of bytes.
    package init(bytes: [UInt8]) throws(IdentifierError) {
        self.text = try CanonicalIdentifier.text(of: bytes)
    }
}

extension ExpenseID: Comparable {
    /// Orders by the bytes of the text, which is the order of the 16 bytes.
    package static func < (left: ExpenseID, right: ExpenseID) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension ExpenseID: CustomStringConvertible {
    /// The text.
    package var description: String { text }
}
