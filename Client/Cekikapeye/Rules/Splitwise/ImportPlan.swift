/// What importing a file would do; nothing has been done yet.
///
/// When ``problems`` is not empty the caller imports nothing, unless skipping the rows at fault was asked for.
package struct ImportPlan: Hashable, Sendable {
    /// The people, in the order of the header.
    package let people: [ImportedPerson]
    /// The rows to import, in the order of the file.
    package let expenses: [ImportedExpense]
    /// One check per total row of the file.
    package let totals: [TotalsCheck]
    /// The rows at fault, in the order of the file.
    package let problems: [RowProblem]
    /// What is worth knowing, in the order of the file.
    package let notes: [ImportNote]

    /// The balances the import would add, by currency code, in header order, minor units.
    package var balances: [String: [Int64]] { Self.balances(of: expenses, peopleCount: people.count) }

    static func balances(of expenses: [ImportedExpense], peopleCount: Int) -> [String: [Int64]] {
        var balances: [String: [Int64]] = [:]
        for expense in expenses {
            // At most 100,000 rows of at most 10^12: the sum fits.
            for (person, effect) in expense.effects.enumerated() {
                let code = expense.amount.currency.code
                balances[code, default: [Int64](repeating: 0, count: peopleCount)][person] += effect
            }
        }
        return balances
    }
}
