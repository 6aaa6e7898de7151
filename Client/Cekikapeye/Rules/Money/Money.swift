/// An exact amount: an integer of minor units and its currency.
package struct Money: Hashable, Sendable {
    /// The number of minor units (cents, fils, yen), each 10^-exponent of the currency.
    package let minorUnits: Int64
    /// The currency of the units.
    package let currency: Currency

    /// The largest absolute value of an entered or imported amount: 10^12 minor units.
    ///
    /// The limit is far above any shared expense, and so far below 2^63 that balances cannot overflow by accident.
    package static let entryLimit: Int64 = 1_000_000_000_000

    /// Makes an amount without a limit, for sums.
    package init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// Makes an amount that a user has entered.
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

    /// Subtracts an amount of the same currency.
    ///
    /// - Throws: ``MoneyError/currenciesDiffer(_:_:)`` or ``MoneyError/overflow(currencyCode:)``.
    package func subtracting(_ other: Money) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw .currenciesDiffer(currency, other.currency) }
        return try result(of: minorUnits.subtractingReportingOverflow(other.minorUnits))
    }

    /// Changes the sign.
    ///
    /// - Throws: ``MoneyError/overflow(currencyCode:)`` for the smallest integer, which has no counterpart.
    package func negated() throws(MoneyError) -> Money {
        try result(of: Int64(0).subtractingReportingOverflow(minorUnits))
    }

    private func result(of sum: (partialValue: Int64, overflow: Bool)) throws(MoneyError) -> Money {
        guard !sum.overflow else { throw .overflow(currencyCode: currency.code) }
        return Money(minorUnits: sum.partialValue, currency: currency)
    }
}
