/// An exact amount: an integer of minor units and its currency.
package struct Money: Hashable, Sendable {
    /// Cents, fils, yen: units of 10^-exponent of the currency.
    package let minorUnits: Int64
    /// What the units are of.
    package let currency: Currency

    /// The largest amount, either way, that may be entered or imported: 10^12 minor units.
    ///
    /// Far above any shared expense, and so far below 2^63 that balances cannot overflow by accident.
    package static let entryLimit: Int64 = 1_000_000_000_000

    /// Makes an amount without limit, for sums.
    package init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Makes an amount as a person enters it.
    ///
    /// - Throws: ``MoneyError/beyondEntryLimit(_:_:)`` above ``entryLimit``.
    package init(entered minorUnits: Int64, currency: Currency) throws(MoneyError) {
        guard minorUnits.magnitude <= UInt64(Self.entryLimit) else { throw .beyondEntryLimit(minorUnits, currency) }
        self.init(minorUnits: minorUnits, currency: currency)
    }

    /// Adds an amount of the same currency.
    ///
    /// - Throws: ``MoneyError/currenciesDiffer(_:_:)`` or ``MoneyError/overflow(currencyCode:)``.
    package func adding(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currenciesDiffer(currency, other.currency) }
        return try result(of: minorUnits.addingReportingOverflow(other.minorUnits))
    }

    /// Takes away an amount of the same currency.
    ///
    /// - Throws: ``MoneyError/currenciesDiffer(_:_:)`` or ``MoneyError/overflow(currencyCode:)``.
    package func subtracting(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currenciesDiffer(currency, other.currency) }
        return try result(of: minorUnits.subtractingReportingOverflow(other.minorUnits))
    }

    /// Turns the sign round.
    ///
    /// - Throws: ``MoneyError/overflow(currencyCode:)`` for the one integer without a counterpart.
    package func negated() throws(MoneyError) -> Money {
        try result(of: Int64(0).subtractingReportingOverflow(minorUnits))
    }

    private func result(of sum: (partialValue: Int64, overflow: Bool)) throws(MoneyError) -> Money {
        guard !sum.overflow else { throw .overflow(currencyCode: currency.code) }
        return Money(minorUnits: sum.partialValue, currency: currency)
    }
}
