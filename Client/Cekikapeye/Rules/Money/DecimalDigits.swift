/// The digits of a number before and after its decimal mark.
struct DecimalDigits: Hashable {
    let whole: String
    let fraction: String

    /// Converts the number to minor units; `nil` if the result does not fit in 64 bits.
    ///
    /// The caller must have checked that no digit other than 0 follows the first `exponent` decimals.
    func minorUnits(exponent: Int) -> Int64? {
        let decimals = String(fraction.prefix(exponent))
        let padding = String(repeating: "0", count: exponent - decimals.count)
        return Int64("0" + whole + decimals + padding)
    }

    /// Returns whether digits other than zero follow the decimals of the currency.
    func exceeds(exponent: Int) -> Bool {
        fraction.dropFirst(exponent).contains { $0 != "0" }
    }
}
