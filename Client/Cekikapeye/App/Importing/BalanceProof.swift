package import CekikapeyeRules

/// A comparison of the balances of one currency in a file with those that the imported spendings would have in the group.
package struct BalanceProof: Hashable, Sendable {
    /// The balances of one person.
    package struct Line: Hashable, Sendable {
        /// The name in the group.
        package let name: String
        /// The balance that the total row of the file states, or else the sum of its rows.
        package let inFile: Money
        /// The sum of the valid rows of the file.
        package let inRows: Money
        /// The sum of the group's imported spendings, of this import and of earlier ones.
        package let imported: Money
    }

    /// The currency.
    package let currency: Currency
    /// The lines in the order of the file's header.
    package let lines: [Line]
    /// Whether imported spendings also affect people who are not in the file.
    let hasOthers: Bool
    /// Whether the file states the balances of this currency in a total row.
    package let isStated: Bool
    /// The number of skipped rows. Without a total row, their effect on the balances is unknown.
    package let skippedRows: Int

    /// Whether both balances agree to the minor unit.
    package var holds: Bool {
        !hasOthers && (isStated || skippedRows == 0) && lines.allSatisfy { $0.inFile == $0.imported }
    }
    /// Whether the balances agree except for the skipped rows.
    package var rowsHold: Bool { !hasOthers && lines.allSatisfy { $0.inRows == $0.imported } }
}
