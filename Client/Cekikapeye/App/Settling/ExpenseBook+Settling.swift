internal import CekikapeyeModel
package import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// The fewest payments that would bring all balances to 0, one plan per currency that is not settled.
    package func proposals(_ contents: BookContents) throws(BookError) -> [SettlementPlan] {
        let sheet = try BalanceSheet(contents)
        do { return try SettlementPlan.propose(sheet.balances) } catch { throw .settlement(error) }
    }

    /// Writes down the proposed payment `number`, counted from 1 over all plans, as made today.
    ///
    /// Two devices that record the same proposal make one record.
    package func recordProposal(_ number: Int) throws -> RecordedTransfer {
        let objects = objects()
        let contents = try contents(of: objects)
        let transfers = try proposals(contents).flatMap(\.transfers)
        guard transfers.indices.contains(number - 1) else { throw BookError.noProposal(number, count: transfers.count) }
        let transfer = transfers[number - 1]
        let (from, to) = (contents.name(of: transfer.from), contents.name(of: transfer.to))
        let id = transferID(transfer, contents)
        let split = try Self.checking { () throws(SplitError) in
            try Split.even(payers: [transfer.from: transfer.amount.minorUnits], participants: [transfer.to])
        }
        let draft = SpendingDraft(
            title: "\(from) → \(to)", amount: transfer.amount, date: surroundings.today, kind: .transfer, split: split,
            category: nil, note: nil, source: nil)
        try insert(draft, id: id, under: try person(of: transfer, contents.roster, objects), into: objects)
        try objects.save("settle \(from) → \(to)")
        return RecordedTransfer(id: id, from: from, to: to, amount: transfer.amount)
    }

    /// Who paid, else who received, else anybody: listed under a person who is not shown, the payment would be hidden with them.
    private func person(of transfer: ProposedTransfer, _ roster: Roster, _ objects: ObjectContext) throws -> Person {
        let ids = [RecordID(transfer.from.text), RecordID(transfer.to.text)] + roster.members.map(\.id)
        for id in ids.compactMap({ $0 }) {
            if let person = try objects.object(Person.self, id: id) { return person }
        }
        throw BookError.nobody
    }

    /// The same balances may come again in another month; what was recorded then keeps its own identifier.
    private func transferID(_ transfer: ProposedTransfer, _ contents: BookContents) -> RecordID {
        let taken = Set(contents.roster.spendingIDs + contents.hidden.map(\.id) + contents.deleted.map(\.id))
        var round = 1
        while true {
            let id = RecordID(derivedFrom: ["cekikapeye-settle", transfer.derivedIDInput, String(round)])
            guard taken.contains(id) else { return id }
            round += 1
        }
    }

    static func checking(_ make: () throws(SplitError) -> Split) throws(BookError) -> Split {
        do { return try make() } catch { throw .split(error) }
    }
}
