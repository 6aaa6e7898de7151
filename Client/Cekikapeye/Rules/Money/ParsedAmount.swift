/// A typed amount and its interpretation.
package struct ParsedAmount: Hashable, Sendable {
    /// The amount.
    package let money: Money
    /// The number of terms that were added up; 1 unless the user typed a sum.
    package let termCount: Int
    /// The ambiguous numbers with their interpretation, in the order typed.
    package let guesses: [MarkGuess]

    /// Whether the interpretation should be shown to the user.
    package var needsEcho: Bool { termCount > 1 || !guesses.isEmpty }
}
