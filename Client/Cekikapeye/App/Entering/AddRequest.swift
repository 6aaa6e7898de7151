package import CekikapeyeRules
package import RoostModel

/// A new spending, as typed.
package struct AddRequest: Sendable {
    /// The amount, such as `12+4,50`.
    package var amount: String
    /// What it was for.
    package var title: String
    /// Who paid and for whom.
    package var split = SplitRequest()
    /// The day; today when nothing is given.
    package var date: String?
    /// The code of the currency; the group's when nothing is given.
    package var currency: String?
    /// A category.
    package var category: String?
    /// A note.
    package var note: String?
    /// Expense, transfer or income.
    package var kind = ExpenseKind.expense
    /// Who uses this device, and paid unless said otherwise.
    package var me: RecordID?

    /// A spending for everyone active, made today.
    package init(amount: String, title: String) {
        self.amount = amount
        self.title = title
    }
}
