/// A currency of ISO 4217, current or retired, with the number of decimals in which its amounts are stored.
package struct Currency: Hashable, Sendable {
    /// The code: three upper-case letters such as `EUR`.
    package let code: String
    /// The number of decimals of one unit: 0, 2, 3 or 4.
    package let exponent: Int

    /// Finds the currency in the project's own table, ignoring case and surrounding spaces.
    ///
    /// - Throws: ``MoneyError/unknownCurrency(_:)`` or ``MoneyError/noMinorUnit(_:)``.
    package init(code text: String) throws(MoneyError) {
        guard let code = text.lookedUp?.uppercased() else { throw .unknownCurrency(text) }
        guard let exponent = CurrencyTable.exponents[code] else {
            throw CurrencyTable.withoutMinorUnit.contains(code) ? .noMinorUnit(code) : .unknownCurrency(text)
        }
        self.code = code
        self.exponent = exponent
    }

    /// Whether the currency is retired. Its code is kept so that old expenses stay readable.
    package var isRetired: Bool { CurrencyTable.retired.contains(code) }

    /// The codes in use, sorted, to choose from.
    package static var currentCodes: [String] {
        CurrencyTable.exponents.keys.filter { !CurrencyTable.retired.contains($0) }.sorted()
    }
}

extension Currency: Comparable {
    /// Orders currencies by code.
    package static func < (left: Currency, right: Currency) -> Bool { left.code < right.code }
}

extension Currency: CustomStringConvertible {
    /// The code.
    package var description: String { code }
}
