/// The plan of an import. It changes nothing by itself.
///
/// If ``problems`` is not empty, the caller imports nothing unless the user has asked to skip the rows at fault.
package struct ImportPlan: Hashable, Sendable {
    /// The people, in the order of the header.
    package let people: [ImportedPerson]
    /// The rows to import, in the order of the file.
    package let expenses: [ImportedExpense]
    /// The checks of the file's total rows, one for each.
    package let totals: [TotalsCheck]
    /// The rows at fault, in the order of the file.
    package let problems: [RowProblem]
    /// The notes, in the order of the file.
    package let notes: [ImportNote]

    /// The balances that the import would add, by currency code, in the order of the header, in minor units.
    package var balances: [String: [Int64]] { Self.balances(of: expenses, peopleCount: people.count) }

    static func balances(of expenses: [ImportedExpense], peopleCount: Int) -> [String: [Int64]] {
        var balances: [String: [Int64]] = [:]
        for expense in expenses {
            // There are at most 100,000 rows of at most 10^12 each: the sum fits.
            for (person, effect) in expense.effects.enumerated() {
                let code = expense.amount.currency.code
                balances[code, default: [Int64](repeating: 0, count: peopleCount)][person] += effect
            }
        }
        return balances
    }
}
