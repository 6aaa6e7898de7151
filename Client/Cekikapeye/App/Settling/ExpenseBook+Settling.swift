internal import CekikapeyeModel
package import CekikapeyeRules
internal import Objects
internal import RoostModel

extension ExpenseBook {
    /// Proposes the fewest payments that bring all balances to 0: one plan for each currency that is not settled.
    package func proposals(_ contents: BookContents) throws(BookError) -> [SettlementPlan] {
        let sheet = try BalanceSheet(contents)
        do { return try SettlementPlan.propose(sheet.balances) } catch { throw .settlement(error) }
    }

    /// Records the proposed payment `number`, counted from 1 over all plans, with the date of today.
    ///
    /// Two devices that record one proposal make one record.
    ///
    /// - Parameter shown: The fingerprints (``fingerprints(of:)``) of the proposals that were shown last, to which
    ///   the number refers. With `nil` it refers to the current proposals.
    /// - Throws: ``BookError/noProposal(_:count:)`` if there is no such number; ``BookError/proposalChanged(_:)`` if
    ///   the payment that was shown is no longer proposed. Nothing is written then.
    package func recordProposal(_ number: Int, shown: [String]? = nil) throws -> RecordedTransfer {
        let objects = objects()
        let contents = try contents(of: objects)
        let transfers = try proposals(contents).flatMap(\.transfers)
        let known = shown ?? Self.fingerprints(of: transfers)
        guard known.indices.contains(number - 1) else { throw BookError.noProposal(number, count: known.count) }
        guard let place = Self.fingerprints(of: transfers).firstIndex(of: known[number - 1]) else {
            throw BookError.proposalChanged(number)
        }
        let transfer = transfers[place]
        let (from, to) = (contents.name(of: transfer.from), contents.name(of: transfer.to))
        let id = transferID(transfer, contents)
        let split = try Self.checking { () throws(SplitError) in
            try Split.even(payers: [transfer.from: transfer.amount.minorUnits], participants: [transfer.to])
        }
        let draft = SpendingDraft(
            title: "\(from) → \(to)", amount: transfer.amount, date: surroundings.today, kind: .transfer, split: split,
            category: nil, note: nil, source: ShownSpending.settled)
        try insert(draft, id: id, under: try person(of: transfer, contents.roster, objects), into: objects)
        try objects.save("settle \(from) → \(to)")
        return RecordedTransfer(id: id, from: from, to: to, amount: transfer.amount)
    }

    /// Returns texts that identify proposals, in their order: the people, the amount and the currency of each.
    package static func fingerprints(of transfers: [ProposedTransfer]) -> [String] {
        transfers.map { "\($0.from)>\($0.to)=\(MoneyFormat.plain.string(from: $0.amount))" }
    }

    /// Finds the person under whom the payment is listed: the payer, else the receiver, else any person. Listed under
    /// a person who is not shown, the payment would be hidden.
    private func person(of transfer: ProposedTransfer, _ roster: Roster, _ objects: ObjectContext) throws -> Person {
        let ids = [RecordID(transfer.from.text), RecordID(transfer.to.text)] + roster.members.map(\.id)
        for id in ids.compactMap({ $0 }) {
            if let person = try objects.object(Person.self, id: id) { return person }
        }
        throw BookError.nobody
    }

    /// Derives a free identifier. Equal balances may recur later, and the payment recorded earlier keeps its identifier.
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
