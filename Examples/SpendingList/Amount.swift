import CekikapeyeRules

/// An amount as the list shows it: its currency settles the decimals.
enum Amount {
    /// `42.50 EUR`, `1200 JPY`, `3.500 KWD`.
    ///
    /// - Parameter minorUnits: Cents, yen, fils: a whole number of the smallest unit.
    static func text(_ minorUnits: Int64, _ code: String) -> String {
        // Another device may have written a currency that this program has never heard of.
        guard let currency = try? Currency(code: code) else { return "\(minorUnits) of the smallest unit of \(code)" }
        return MoneyFormat.plain.string(from: Money(minorUnits: minorUnits, currency: currency))
    }
}
