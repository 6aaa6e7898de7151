/// The kind of an expense.
package enum ExpenseKind: String, CaseIterable, Hashable, Sendable {
    /// Money spent for people; a negative amount is a refund.
    case expense
    /// Money given by the payers to the participants; 0 or more.
    case transfer
    /// Money that came in: the "payers" received it and hold it for the participants; 0 or more.
    case income
}
