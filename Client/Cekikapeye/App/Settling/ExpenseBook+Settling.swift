package import CekikapeyeRules
internal import Replica
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
        let contents = try contents()
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
            person: RecordID(transfer.from.text), category: nil, note: nil, source: nil)
        try replica.write("settle \(from) → \(to)") { try put(draft, id: id, in: $0) }
        return RecordedTransfer(id: id, from: from, to: to, amount: transfer.amount)
    }

    /// The same balances may come again in another month; what was recorded then keeps its own identifier.
    private func transferID(_ transfer: ProposedTransfer, _ contents: BookContents) -> RecordID {
        let taken = Set(contents.spendings.map(\.id) + contents.hidden.map(\.id) + contents.deleted.map(\.id))
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
