/// The reason why no settlement plan can be made.
package enum SettlementError: Error, Hashable, Sendable {
    /// The balances of a currency do not add up to 0.
    case notZeroSum(currencyCode: String, sum: String)
    /// The currency is unknown.
    case money(MoneyError)
}

extension SettlementError: CustomStringConvertible {
    /// The problem, the reason, and the remedy.
    package var description: String {
        switch self {
        case .notZeroSum(let code, let sum):
            """
            Cannot settle \(code): the balances add up to \(sum) in the smallest unit, expected 0. \
            Compute them from all expenses of the group.
            """
        case .money(let error): error.description
        }
    }
}
