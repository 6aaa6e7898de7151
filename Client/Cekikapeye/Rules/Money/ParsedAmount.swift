/// A typed amount and how it was understood.
package struct ParsedAmount: Hashable, Sendable {
    /// The amount.
    package let money: Money
    /// How many numbers were added up; 1 unless a sum was typed.
    package let termCount: Int
    /// Each mark that could have been read otherwise, in the order typed.
    package let guesses: [MarkGuess]

    /// Whether the reading should be shown to the person who typed it.
    package var needsEcho: Bool { termCount > 1 || !guesses.isEmpty }
}
