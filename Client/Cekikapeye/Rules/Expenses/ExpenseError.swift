/// The reason why values do not form an expense.
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
    /// The problem, the reason, and the remedy.
    package var description: String { description(amount: { "\($0) minor units" }, person: { "\($0)" }) }

    /// Describes the problem like ``description``, with formatted amounts and people's names.
    ///
    /// - Parameters:
    ///   - amount: Formats minor units as an amount.
    ///   - person: Returns a person's name.
    package func description(amount: (Int64) -> String, person: (PersonID) -> String) -> String {
        switch self {
        case .money(let error): error.description
        case .date(let error): error.description
        case .split(let error): error.description(amount: amount, person: person)
        case .negativeAmount(let kind, let got):
            """
            Cannot record \(kind.rawValue): got \(amount(got)), expected 0 or more. \
            Turn the sign and swap both sides, or record a refund as an expense below 0.
            """
        }
    }
}
