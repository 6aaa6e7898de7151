/// An expense as a file tells it; people are positions in ``ImportPlan/people``.
package struct ImportedExpense: Hashable, Sendable {
    /// The line of the file, from 1.
    package let line: Int
    /// The text to derive the record's identifier from; the same for every import of this row.
    package let sourceKey: String
    /// The day.
    package let date: PlainDate
    /// The description.
    package let title: String
    /// The category in the words of the file.
    package let category: String
    /// The cost.
    package let amount: Money
    /// Expense, or transfer for a payment.
    package let kind: ExpenseKind
    /// How `shares` is to be read.
    package let mode: SplitMode
    /// What each person paid, in minor units; empty when the file does not tell.
    package let payers: [Int: Int64]
    /// The numbers of the split.
    package let shares: [Int: Int64]
    /// What the row does to each balance, in minor units, as it stands in the file.
    package let effects: [Int64]

    /// Makes the split for the people as the caller identified them, in header order.
    ///
    /// Two columns may be mapped to one person; their numbers are added up, in a mode that keeps the effects.
    ///
    /// - Throws: ``SplitError``; none for distinct people.
    package func split(people: [PersonID]) throws(SplitError) -> Split {
        guard people.count == effects.count else {
            throw .participantCount(people.count, limit: effects.count)
        }
        let isMerging = Set(people).count < people.count
        var payers: [PersonID: Int64] = [:]
        for (index, paid) in self.payers { payers[people[index], default: 0] += paid }
        guard isMerging, mode == .even else {
            var shares: [PersonID: Int64] = [:]
            for (index, share) in self.shares { shares[people[index], default: 0] += share }
            return try Split(mode: mode, payers: payers, shares: shares)
        }
        // Evenly between columns is no longer evenly between people: keep the cents.
        let each = amount.minorUnits / Int64(self.shares.count)
        var shares: [PersonID: Int64] = [:]
        for index in self.shares.keys { shares[people[index], default: 0] += each }
        return try Split(mode: .exact, payers: payers, shares: shares)
    }

    /// Makes the expense.
    ///
    /// - Parameters:
    ///   - id: Derived by the caller from ``sourceKey``.
    ///   - people: In header order.
    package func expense(id: ExpenseID, people: [PersonID]) throws(ExpenseError) -> Expense {
        let split: Split
        do { split = try self.split(people: people) } catch { throw .split(error) }
        return try Expense(id: id, title: title, amount: amount, date: date, split: split, kind: kind)
    }
}
