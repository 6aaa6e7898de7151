/// How an ambiguous number such as "1.234" was read.
package struct MarkGuess: Hashable, Sendable {
    /// What a mark can stand for.
    package enum Role: Hashable, Sendable {
        /// It marks decimals.
        case decimals
        /// It separates thousands.
        case thousands
    }

    /// The number as typed.
    package let text: String
    /// What its point or comma was taken for, after the language.
    package let role: Role
}
