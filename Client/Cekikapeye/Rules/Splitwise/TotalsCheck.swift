/// A comparison of the balances of one currency that the file states with the sums of its rows.
package struct TotalsCheck: Hashable, Sendable {
    /// The line of the total row, from 1.
    package let line: Int
    /// The currency.
    package let currency: Currency
    /// The balances in the total row, in the order of the header, in minor units.
    package let stated: [Int64]
    /// The sums of the rows to import, in the order of the header, in minor units.
    package let computed: [Int64]

    /// Whether both agree to the minor unit.
    package var agrees: Bool { stated == computed }
}
