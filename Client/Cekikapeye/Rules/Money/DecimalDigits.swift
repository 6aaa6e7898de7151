/// The digits of a number before and after its decimal mark.
struct DecimalDigits: Hashable {
    let whole: String
    let fraction: String

    /// The number in minor units, or `nil` when it does not fit in 64 bits.
    ///
    /// The caller has seen to it that no digit but zero lies beyond `exponent`.
    func minorUnits(exponent: Int) -> Int64? {
        let decimals = String(fraction.prefix(exponent))
        let padding = String(repeating: "0", count: exponent - decimals.count)
        return Int64("0" + whole + decimals + padding)
    }

    /// Whether digits other than zero lie beyond the decimals of the currency.
    func exceeds(exponent: Int) -> Bool {
        fraction.dropFirst(exponent).contains { $0 != "0" }
    }
}
