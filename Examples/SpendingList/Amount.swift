import CekikapeyeRules

/// Formats amounts for the list. The currency determines the decimals.
enum Amount {
    /// Formats an amount: `42.50 EUR`, `1200 JPY`, `3.500 KWD`.
    ///
    /// - Parameter minorUnits: A whole number of the currency's smallest unit: cents, yen, fils.
    static func text(_ minorUnits: Int64, _ code: String) -> String {
        // Another device may have written a currency that this program does not support.
        guard let currency = try? Currency(code: code) else { return "\(minorUnits) of the smallest unit of \(code)" }
        return MoneyFormat.plain.string(from: Money(minorUnits: minorUnits, currency: currency))
    }
}
