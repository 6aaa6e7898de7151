/// What the file says the balances of one currency are, beside what its rows add up to.
package struct TotalsCheck: Hashable, Sendable {
    /// The line of the total, from 1.
    package let line: Int
    /// The currency.
    package let currency: Currency
    /// The total row, in header order, minor units.
    package let stated: [Int64]
    /// The sum of the rows to import, in header order, minor units.
    package let computed: [Int64]

    /// Whether both agree to the minor unit.
    package var agrees: Bool { stated == computed }
}
