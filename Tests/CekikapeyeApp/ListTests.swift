import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

struct ListTests {
    private func sample() throws -> TemporaryBook {
        let sample = try TemporaryBook()
        try sample.add("10", "Café crème") { $0.date = "2026-07-01" }
        try sample.add("30", "courses") { $0.date = "2026-07-02" }
        try sample.add("2000", "sushi") {
            $0.currency = "JPY"
            $0.date = "2026-07-02"
            $0.split.participants = ["Bob"]
        }
        try sample.add("20", "essence") {
            $0.split.payers = ["Bob"]
            $0.split.participants = ["Bob"]
            $0.date = "2026-07-01"
        }
        return sample
    }

    private func list(_ change: (inout SpendingQuery) -> Void = { _ in }) throws -> SpendingList {
        var query = SpendingQuery()
        change(&query)
        let sample = try sample()
        return try SpendingList(sample.book.contents(), query)
    }

    @Test func sectionsArePeopleWithTheLargestFirst() throws {
        let list = try list()
        #expect(list.sections.map(\.title) == ["Ana", "Bob"])
        #expect(list.sections.first?.spendings.map(\.title) == ["sushi", "courses", "Café crème"])
    }

    @Test func totalsArePerCurrency() throws {
        let totals = try #require(list().sections.first).totals
        #expect(totals.map { MoneyFormat.plain.string(from: $0) } == ["40.00 EUR", "2000 JPY"])
    }

    @Test func daysComeNewestFirst() throws {
        let list = try list { $0.grouping = .date }
        #expect(list.sections.map(\.title) == ["2026-07-02", "2026-07-01"])
        #expect(list.sections.last?.spendings.map(\.title) == ["essence", "Café crème"])
    }

    @Test func searchIgnoresCaseAndAccents() throws {
        let list = try list { $0.search = "CREME" }
        #expect(list.sections.flatMap(\.spendings).map(\.title) == ["Café crème"])
    }

    @Test func personKeepsWhatConcernsThem() throws {
        let list = try list {
            $0.person = "bob"
            $0.search = "s"
        }
        #expect(list.sections.flatMap(\.spendings).map(\.title) == ["sushi", "courses", "essence"])
    }

    @Test func incomeCountsTheOtherWay() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        try sample.add("10") { $0.kind = .income }
        let list = try SpendingList(sample.book.contents(), SpendingQuery())
        #expect(list.sections.first?.totals.map(\.minorUnits) == [2000])
    }
}
