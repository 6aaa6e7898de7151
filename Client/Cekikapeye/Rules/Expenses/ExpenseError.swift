/// Why values make no expense.
package enum ExpenseError: Error, Hashable, Sendable {
    /// The amount or the currency cannot be used.
    case money(MoneyError)
    /// The day cannot be used.
    case date(DateError)
    /// The split does not fit the amount.
    case split(SplitError)
    /// A transfer or an income has a negative amount.
    case negativeAmount(ExpenseKind, Int64)
}

extension ExpenseError: CustomStringConvertible {
    /// What could not be done, why, and what to do.
    package var description: String {
        switch self {
        case .money(let error): error.description
        case .date(let error): error.description
        case .split(let error): error.description
        case .negativeAmount(let kind, let amount):
            """
            Cannot record \(kind.rawValue): got \(amount) minor units, expected 0 or more. \
            Turn the sign and swap both sides, or record a refund as an expense below 0.
            """
        }
    }
}
