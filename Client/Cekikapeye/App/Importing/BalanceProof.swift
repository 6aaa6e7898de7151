package import CekikapeyeRules

/// The balances of one currency in a file beside those of what would be written.
package struct BalanceProof: Hashable, Sendable {
    /// One person on both sides, in minor units.
    package struct Line: Hashable, Sendable {
        /// The name in the group.
        package let name: String
        /// What the rows of the file add up to.
        package let inFile: Money
        /// What the spendings made of them add up to.
        package let imported: Money
    }

    /// The currency.
    package let currency: Currency
    /// In the order of the file's header; people that are one person here stand once.
    package let lines: [Line]

    /// Whether both sides agree to the minor unit.
    package var holds: Bool { lines.allSatisfy { $0.inFile == $0.imported } }
}
