/// An expense as the file states it. People are indices into ``ImportPlan/people``.
package struct ImportedExpense: Hashable, Sendable {
    /// The line of the file, from 1.
    package let line: Int
    /// The text from which the record's identifier is derived. It is identical in every import of this row.
    package let sourceKey: String
    /// The day.
    package let date: PlainDate
    /// The description.
    package let title: String
    /// The category in the words of the file.
    package let category: String
    /// The cost.
    package let amount: Money
    /// The kind: an expense, or a transfer if the row is a payment.
    package let kind: ExpenseKind
    /// The meaning of `shares`.
    package let mode: SplitMode
    /// The amount that each person paid, in minor units; empty if the file does not state it.
    package let payers: [Int: Int64]
    /// The numbers of the split.
    package let shares: [Int: Int64]
    /// The effect of the row on each balance, in minor units, as stated in the file.
    package let effects: [Int64]

    /// Makes the split for the people that the caller has identified, in the order of the header.
    ///
    /// Two columns may be mapped to one person. Their numbers are then added up, in a mode that keeps the effects.
    ///
    /// - Throws: ``SplitError``; never for distinct people.
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
        // An even split between columns is not even between people: the amounts of the columns are kept exactly.
        let each = amount.minorUnits / Int64(self.shares.count)
        var shares: [PersonID: Int64] = [:]
        for index in self.shares.keys { shares[people[index], default: 0] += each }
        return try Split(mode: .exact, payers: payers, shares: shares)
    }

    /// Makes the expense.
    ///
    /// - Parameters:
    ///   - id: The identifier that the caller has derived from ``sourceKey``.
    ///   - people: The people in the order of the header.
    package func expense(id: ExpenseID, people: [PersonID]) throws(ExpenseError) -> Expense {
        let split: Split
        do { split = try self.split(people: people) } catch { throw .split(error) }
        return try Expense(id: id, title: title, amount: amount, date: date, split: split, kind: kind)
    }
}
