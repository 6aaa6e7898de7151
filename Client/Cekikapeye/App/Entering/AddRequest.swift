package import CekikapeyeRules
package import RoostModel

/// A new spending in the form in which the user typed it.
package struct AddRequest: Sendable {
    /// The amount, such as `12+4,50`.
    package var amount: String
    /// The purpose.
    package var title: String
    /// The payers and the participants.
    package var split = SplitRequest()
    /// The day; `nil` means today.
    package var date: String?
    /// The code of the currency; `nil` means the group's.
    package var currency: String?
    /// The category.
    package var category: String?
    /// The note.
    package var note: String?
    /// The kind: expense, transfer or income.
    package var kind = ExpenseKind.expense
    /// The person who uses this device, and who is the payer if the request names none.
    package var me: RecordID?

    /// Makes a request for a spending of today in which all active people participate.
    package init(amount: String, title: String) {
        self.amount = amount
        self.title = title
    }
}
