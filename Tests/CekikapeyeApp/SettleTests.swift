import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

struct SettleTests {
    @Test func recordingAllProposalsEvensOut() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        try sample.add("60") { $0.split.payers = ["Bob"] }
        let recorded = try sample.book.recordProposal(1)
        #expect(recorded.amount.minorUnits == 3000)
        #expect((recorded.from, recorded.to) == ("Chloé", "Bob"))
        #expect(try sample.balances() == ["Ana": 0, "Bob": 0, "Chloé": 0])
        #expect(try sample.book.proposals(sample.book.contents()).isEmpty)
    }

    /// A payment listed under a person who is hidden would be hidden, too.
    @Test func aPaymentOfSomebodyDeletedIsShown() throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        _ = try sample.book.deletePerson("Bob")
        #expect(try sample.book.recordProposal(1).from == "(deleted) Bob")
        #expect(try sample.book.contents().spendings.count == 2)
        #expect(try sample.balances().values.allSatisfy { $0 == 0 })
    }

    @Test func aPaymentHasTheNamesThatItsPeopleHaveNow() throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        _ = try sample.book.deletePerson("Bob")
        let id = try sample.book.recordProposal(1).id
        _ = try sample.book.undelete("Bob")
        _ = try sample.book.rename(person: "Bob", to: "Robert")
        func title() throws -> String? { try sample.book.contents().spendings.first { $0.id == id }?.title }
        #expect(try title() == "Robert → Ana")
        var query = SpendingQuery()
        query.search = "robert"
        #expect(try sample.book.list(query).sections.flatMap(\.spendings).map(\.title) == ["Robert → Ana"])
        query.search = "bob"
        #expect(try sample.book.list(query).sections.isEmpty)
        var request = EditRequest()
        request.title = "Paris → Nice"
        _ = try sample.book.edit(id.description, request)
        #expect(try title() == "Paris → Nice")
    }

    @Test func twoDevicesMakeOneRecord() throws {
        let (one, two) = (try TemporaryBook(), try TemporaryBook())
        try one.add("30")
        try two.add("30")
        #expect(try one.book.recordProposal(1).id == two.book.recordProposal(1).id)
    }

    @Test func theSameBalancesAgainMakeAnotherRecord() throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        let first = try sample.book.recordProposal(1)
        try sample.add("30")
        let second = try sample.book.recordProposal(1)
        #expect(first.id != second.id)
        #expect(try sample.balances() == ["Ana": 0, "Bob": 0])
    }

    @Test func undoneProposalCanBeRecordedAgain() throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        _ = try sample.book.recordProposal(1)
        _ = try sample.book.undo()
        _ = try sample.book.recordProposal(1)
        #expect(try sample.balances() == ["Ana": 0, "Bob": 0])
    }

    /// A number would refer to another payment after a sync has brought expenses, or after a payment was recorded.
    @Test func aNumberMeansTheProposalThatWasShown() throws {
        let sample = try TemporaryBook(["Ana", "Bob", "Chloé"])
        try sample.add("30")
        let shown = ExpenseBook.fingerprints(
            of: try sample.book.proposals(try sample.book.contents()).flatMap(\.transfers))
        #expect(shown.count == 2)
        let first = try sample.book.recordProposal(1, shown: shown)
        let second = try sample.book.recordProposal(2, shown: shown)
        #expect(Set([first.from, second.from]) == ["Bob", "Chloé"])
        #expect(throws: BookError.proposalChanged(1)) { try sample.book.recordProposal(1, shown: shown) }
        try sample.add("60")
        #expect(throws: BookError.proposalChanged(1)) { try sample.book.recordProposal(1, shown: shown) }
    }

    @Test(arguments: [0, 2, -1])
    func numbersBeyondTheProposalsAreRefused(_ number: Int) throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        #expect(throws: BookError.noProposal(number, count: 1)) { try sample.book.recordProposal(number) }
    }
}
