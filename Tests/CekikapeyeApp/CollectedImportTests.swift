import CekikapeyeApp
import CekikapeyeRules
import Testing

/// Imports of real exports. They are not part of the project, so these tests are skipped where they are absent.
@Suite(
    .enabled(if: CollectedFiles.arePresent, "needs the sample exports in ../shared/data, which are not in the project"))
struct CollectedImportTests {
    private func run(_ sample: TemporaryBook, _ path: String, skipsBadRows: Bool = false) throws -> ImportPreview {
        let preview = try sample.book.planImport(CollectedFiles.bytes(path), skipsBadRows: skipsBadRows)
        try sample.book.carryOut(preview, named: path)
        return preview
    }

    @Test(arguments: ["MKD", "EUR", "USD"])
    func tenYearLedgerEndsAtZero(_ code: String) throws {
        let sample = try TemporaryBook([])
        #expect(try run(sample, "splitwise/friend-2p-mkd-2016-2026.csv").newCount == 673)
        #expect(try sample.balances(code) == ["John Doe": 0, "Jane Doe": 0])
        #expect(try sample.book.proposals(sample.book.contents()).isEmpty)
    }

    @Test func tenYearLedgerIsImportedOnce() throws {
        let sample = try TemporaryBook([])
        _ = try run(sample, "splitwise/friend-2p-mkd-2016-2026.csv")
        #expect(try run(sample, "splitwise/friend-2p-mkd-2016-2026.csv").changesNothing)
        #expect(try sample.book.contents().spendings.count == 673)
    }

    @Test func groupExportHasTheBalancesOfItsTotal() throws {
        let sample = try TemporaryBook([])
        _ = try run(sample, "splitwise/group-2p-mkd-20rows.csv")
        #expect(try sample.balances("MKD").values.sorted() == [-149_850, 149_850])
    }

    @Test func edgeCasesAreRefusedOrSkipped() throws {
        let sample = try TemporaryBook([])
        #expect(throws: BookError.self) { try run(sample, "splitwise/edge-cases-en.csv") }
        #expect(try sample.book.contents().spendings.isEmpty)
        #expect(try run(sample, "splitwise/edge-cases-en.csv", skipsBadRows: true).newCount == 9)
        #expect(try sample.balances() == ["Alice": 7000, "Bob": -1000, "Charlie": -6000])
    }
}
