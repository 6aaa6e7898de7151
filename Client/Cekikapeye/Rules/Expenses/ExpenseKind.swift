/// What an expense is.
package enum ExpenseKind: String, CaseIterable, Hashable, Sendable {
    /// Money spent for people; a negative amount is a refund.
    case expense
    /// Money handed from the payers to the people it was for; 0 or more.
    case transfer
    /// Money that came in: the "payers" received it and hold it for the people it was for; 0 or more.
    case income
}
