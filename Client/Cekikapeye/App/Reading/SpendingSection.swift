package import CekikapeyeRules

/// Spendings listed together, with their total per currency.
package struct SpendingSection: Sendable {
    /// A person's name or a day.
    package let title: String
    /// The spendings, ordered.
    package let spendings: [ShownSpending]
    /// The sums by currency, without transfers and without spendings whose values do not form an expense.
    package let totals: [Money]
}
