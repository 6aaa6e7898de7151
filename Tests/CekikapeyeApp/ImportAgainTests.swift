import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

/// Repeated imports of a file after changes of the group, and their proofs, which claim only what the data show.
struct ImportAgainTests {
    private static let file = """
        Date,Description,Category,Cost,Currency,Ana,Ben,Chloe P

        2026-07-01,Courses,Groceries,30.00,EUR,20.00,-10.00,-10.00
        2026-07-02,Taxi,Taxi,9.00,EUR,-3.00,-3.00,6.00

        2026-07-05,Total balance, , ,EUR,17.00,-13.00,-4.00
        """

    private func group() throws -> TemporaryBook { try TemporaryBook(["Ana", "Ben", "Chloe P"]) }

    private func run(_ sample: TemporaryBook, _ text: String = file, skipsBadRows: Bool = false) throws -> ImportPreview
    {
        let preview = try sample.book.planImport(Array(text.utf8), skipsBadRows: skipsBadRows)
        try sample.book.carryOut(preview, named: "file.csv")
        return preview
    }

    @Test func somebodyRenamedIsFoundByWhatWasImportedBefore() throws {
        let sample = try group()
        _ = try run(sample)
        _ = try sample.book.rename(person: "Chloe P", to: "Zoé")
        let again = try run(sample)
        #expect(again.changesNothing && again.failedProof == nil)
        #expect(again.mappings.map(\.state) == [.present, .present, .present])
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Ben", "Zoé"])
    }

    @Test func newRowsOfSomebodyRenamedAreTheirs() throws {
        let sample = try group()
        _ = try run(sample)
        _ = try sample.book.rename(person: "Chloe P", to: "Zoé")
        let longer = Self.file.replacing(
            "\n\n2026-07-05,Total balance, , ,EUR,17.00,-13.00,-4.00",
            with:
                "\n2026-07-03,Tea,Food,2.00,EUR,1.00,0.00,-1.00\n\n2026-07-05,Total balance, , ,EUR,18.00,-13.00,-5.00")
        #expect(try run(sample, longer).newCount == 1)
        #expect(try sample.balances() == ["Ana": 1800, "Ben": -1300, "Zoé": -500])
    }

    /// A second person with the name would share each new expense.
    @Test func somebodyDeletedIsNotAddedAgain() throws {
        let sample = try group()
        let file = Self.file.replacing("\n2026-07-02,Taxi,Taxi,9.00,EUR,-3.00,-3.00,6.00", with: "")
            .replacing("17.00,-13.00,-4.00", with: "20.00,-10.00,-10.00")
        _ = try run(sample, file)
        _ = try sample.book.deletePerson("Chloe P")
        let again = try run(sample, file)
        #expect(again.changesNothing && again.failedProof == nil)
        #expect(again.mappings.map(\.state) == [.present, .present, .deleted])
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Ben"])
        _ = try sample.book.undelete("Chloe P")
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Ben", "Chloe P"])
        #expect(try run(sample, file).failedProof == nil)
    }

    @Test func nobodyIsAddedWhereNothingIsNew() throws {
        let sample = try group()
        _ = try run(sample)
        // Two people with equal parts in all spendings cannot be distinguished.
        for id in try sample.book.contents().spendings.map(\.id) {
            var request = EditRequest()
            request.split.payers = ["Ana"]
            request.split.participants = ["Ana"]
            _ = try sample.book.edit(id.description, request)
        }
        _ = try sample.book.rename(person: "Ben", to: "X")
        _ = try sample.book.rename(person: "Chloe P", to: "Y")
        let again = try run(sample)
        #expect(again.changesNothing && again.failedProof != nil)
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "X", "Y"])
    }

    @Test func aProofThatFailsIsKnownThoughNothingIsNew() throws {
        let sample = try group()
        _ = try run(sample)
        let id = try #require(try sample.book.contents().spendings.first).id
        var request = EditRequest()
        request.amount = "44"
        _ = try sample.book.edit(id.description, request)
        let again = try run(sample)
        #expect(again.changesNothing)
        #expect(again.failedProof?.currency.code == "EUR")
    }

    @Test func anEntryByHandThatLooksLikeARowIsNamed() throws {
        let sample = try group()
        let entered = try sample.add("30", "courses au marché") { $0.date = "2026-07-01" }
        try sample.add("30", "other day") { $0.date = "2026-07-02" }
        let preview = try run(sample)
        #expect(preview.lookalikes.map(\.line) == [3])
        #expect(preview.lookalikes.map(\.id) == [entered.id])
        #expect(preview.enteredHere == 2)
    }

    @Test func skippedRowsWithoutATotalAreNoProof() throws {
        let sample = try group()
        let file = """
            Date,Description,Category,Cost,Currency,Ana,Ben
            2026-07-01,Courses,Groceries,40.00,EUR,20.00,-20.00
            2026-02-31,Hotel,Hotel,400.00,EUR,-200.00,200.00
            """
        let proof = try #require(try run(sample, file, skipsBadRows: true).proofs.first)
        #expect(!proof.holds && proof.rowsHold)
        #expect(proof.skippedRows == 1 && !proof.isStated)
    }
}
