/// The reason why an amount of money cannot be made or used in a computation.
package enum MoneyError: Error, Hashable, Sendable {
    /// The code is not in the table.
    case unknownCurrency(String)
    /// The code is one for metals, units of account or tests.
    case noMinorUnit(String)
    /// The amount, in minor units, is beyond ``Money/entryLimit``.
    case beyondEntryLimit(Int64, Currency)
    /// Two amounts of different currencies were combined.
    case currenciesDiffer(Currency, Currency)
    /// A sum does not fit in 64 bits.
    case overflow(currencyCode: String)
}

extension MoneyError: CustomStringConvertible {
    /// The problem, the value at fault, the reason, and the remedy.
    package var description: String {
        switch self {
        case .unknownCurrency(let text):
            "Cannot use currency \"\(text.shortened())\": it is not an ISO 4217 code. Give three letters such as EUR."
        case .noMinorUnit(let code):
            "Cannot use currency \"\(code)\": it is no money people pay with. Give the code of a country's currency."
        case .beyondEntryLimit(let amount, let currency):
            """
            Cannot enter \(Self.text(amount, currency)): the limit is \(Self.text(Money.entryLimit, currency)) \
            either way. Check the number of digits.
            """
        case .currenciesDiffer(let left, let right):
            "Cannot add \(right) to \(left): balances are kept per currency. Convert one of them first."
        case .overflow(let code):
            "Cannot add amounts of \(code): the sum does not fit in 64 bits. Check the expenses for absurd amounts."
        }
    }

    static func text(_ amount: Int64, _ currency: Currency) -> String {
        MoneyFormat.plain.string(from: Money(minorUnits: amount, currency: currency))
    }
}
