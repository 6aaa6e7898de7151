package import CekikapeyeRules

/// The balances of one currency in a file beside those of the imported spendings that the group would have.
package struct BalanceProof: Hashable, Sendable {
    /// One person on both sides, in minor units.
    package struct Line: Hashable, Sendable {
        /// The name in the group.
        package let name: String
        /// The balance that the file states in its last rows, or else the sum of its rows.
        package let inFile: Money
        /// The sum of the rows of the file that can be read.
        package let inRows: Money
        /// The sum of the group's imported spendings, of this import and of earlier ones.
        package let imported: Money
    }

    /// The currency.
    package let currency: Currency
    /// In the order of the file's header.
    package let lines: [Line]
    /// Whether imported spendings also give people a balance who are not in the file.
    let hasOthers: Bool
    /// Whether the file states the balances of this currency in a total row.
    package let isStated: Bool
    /// The number of rows that were skipped. Where no total row states the balances, nobody knows what those rows add to them.
    package let skippedRows: Int

    /// Whether both sides agree to the minor unit.
    package var holds: Bool {
        !hasOthers && (isStated || skippedRows == 0) && lines.allSatisfy { $0.inFile == $0.imported }
    }
    /// Whether they agree but for the rows that were skipped.
    package var rowsHold: Bool { !hasOthers && lines.allSatisfy { $0.inRows == $0.imported } }
}
