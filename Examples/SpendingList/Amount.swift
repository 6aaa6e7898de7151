/// Formats amounts for the list. The currency determines the decimals.
enum Amount {
    /// The number of decimals of each currency that the program supports.
    private static let decimals = [
        "CHF": 2, "CLP": 0, "EUR": 2, "GBP": 2, "JPY": 0, "KWD": 3, "TND": 3, "USD": 2,
    ]

    /// Formats an amount: `42.50 EUR`, `1200 JPY`, `3.500 KWD`.
    ///
    /// - Parameter minorUnits: A whole number of the currency's smallest unit: cents, yen, fils.
    static func text(_ minorUnits: Int64, _ code: String) -> String {
        // Another device may have written a currency that this program does not support.
        guard let count = decimals[code] else { return "\(minorUnits) of the smallest unit of \(code)" }
        guard count > 0 else { return "\(minorUnits) \(code)" }
        let digits = String(minorUnits.magnitude)
        let padded = String(repeating: "0", count: max(0, count + 1 - digits.count)) + digits
        return "\(minorUnits < 0 ? "-" : "")\(padded.dropLast(count)).\(padded.suffix(count)) \(code)"
    }
}
