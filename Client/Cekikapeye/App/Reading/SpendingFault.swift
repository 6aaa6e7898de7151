package import CekikapeyeRules
internal import RoostModel

/// Why the stored values of a spending make no expense: it is listed, and left out of balances.
package enum SpendingFault: Error, Hashable, Sendable {
    /// The split cannot be read.
    case split(SplitError)
    /// The values do not fit together.
    case expense(ExpenseError)
    /// The kind is none this version knows.
    case kind(String)
    /// The amount was stored with another number of decimals than its currency has here.
    case exponent(stored: Int64, Currency)
    /// The identifier cannot seed a split.
    case identifier(IdentifierError)
}

extension SpendingFault {
    /// What is wrong, and what to do.
    ///
    /// - Parameters:
    ///   - amount: Writes minor units as an amount.
    ///   - person: Names a person.
    func description(amount: (Int64) -> String, person: (PersonID) -> String) -> String {
        switch self {
        case .split(let error): error.description(amount: amount, person: person)
        case .expense(let error): error.description(amount: amount, person: person)
        case .identifier(let error): error.description
        case .kind(let kind): "Kind \"\(ShortText.cut(kind, to: 40))\" is unknown. Update the application."
        case .exponent(let stored, let currency):
            "Its amount has \(stored) decimals, \(currency) has \(currency.exponent). Update the application."
        }
    }
}
