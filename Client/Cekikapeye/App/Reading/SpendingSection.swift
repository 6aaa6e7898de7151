package import CekikapeyeRules

/// Spendings listed together, with their total per currency.
package struct SpendingSection: Sendable {
    /// A person's name or a day.
    package let title: String
    /// The spendings, ordered.
    package let spendings: [ShownSpending]
    /// What they come to, by currency; those that make no expense do not count.
    package let totals: [Money]
}
