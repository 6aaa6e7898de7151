package import CekikapeyeRules

/// Spendings listed together, with their total per currency.
package struct SpendingSection: Sendable {
    /// A person's name or a day.
    package let title: String
    /// The spendings, ordered.
    package let spendings: [ShownSpending]
    /// Their sum, by currency, without transfers and without those that make no expense.
    package let totals: [Money]
}
