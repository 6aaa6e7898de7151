package import CekikapeyeRules
internal import RoostModel

/// The reason why the stored values of a spending do not form an expense. Such a spending is listed, but left out of balances.
package enum SpendingFault: Error, Hashable, Sendable {
    /// The split cannot be read.
    case split(SplitError)
    /// The values do not fit together.
    case expense(ExpenseError)
    /// This version does not support the kind.
    case kind(String)
    /// The amount was stored with another number of decimals than this version has for its currency.
    case exponent(stored: Int64, Currency)
    /// The identifier cannot be the seed of a split.
    case identifier(IdentifierError)
}

extension SpendingFault {
    /// Describes the problem and the remedy.
    ///
    /// - Parameters:
    ///   - amount: Formats minor units as an amount.
    ///   - person: Returns a person's name.
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
