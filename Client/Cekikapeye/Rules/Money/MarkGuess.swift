/// The interpretation of an ambiguous number such as "1.234".
package struct MarkGuess: Hashable, Sendable {
    /// The role of a mark.
    package enum Role: Hashable, Sendable {
        /// The mark precedes the decimals.
        case decimals
        /// The mark separates thousands.
        case thousands
    }

    /// The number as typed.
    package let text: String
    /// The role that its point or comma has in the language in use.
    package let role: Role
}
