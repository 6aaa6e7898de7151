import CekikapeyeApp
import CekikapeyeRules
import Replica
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
        return try sample.book.list(query)
    }

    @Test func sectionsArePeopleWithTheLargestFirst() throws {
        let list = try list()
        #expect(list.sections.map(\.title) == ["Ana", "Bob"])
        #expect(list.sections.first?.spendings.map(\.title) == ["sushi", "courses", "Café crème"])
    }

    @Test func moneyHandedOverIsNobodysSpending() throws {
        let sample = try TemporaryBook(["Ana", "Bob"])
        try sample.add("30")
        try sample.add("15", "paid back") {
            $0.split.participants = ["Bob"]
            $0.kind = .transfer
        }
        #expect(try sample.book.list(SpendingQuery()).sections.map { $0.totals.map(\.minorUnits) } == [[3000]])
    }

    @Test func sectionsAreInTheOrderOfADictionary() throws {
        let sample = try TemporaryBook(["Zoé", "éric", "Œdipe", "Omer", "Eva"])
        for name in ["Zoé", "éric", "Œdipe", "Omer", "Eva"] { try sample.add("10") { $0.split.payers = [name] } }
        let names = ["éric", "Eva", "Œdipe", "Omer", "Zoé"]
        #expect(try sample.book.list(SpendingQuery()).sections.map(\.title) == names)
        #expect(try sample.book.contents().members.map(\.name) == names)
    }

    /// Two devices may each have made a person with the name. Payments of one are not those of the other.
    @Test func peopleOfOneNameHaveSectionsOfTheirOwn() throws {
        let sample = try TemporaryBook()
        let other = RecordID(derivedFrom: ["the other Ana"])
        try sample.book.replica.write("another device") { try $0.put("Person", id: other, ["name": .string("Ana")]) }
        for (day, payer) in [("2026-07-03", "Bob"), ("2026-07-02", other.description), ("2026-07-01", "Bob")] {
            try sample.add("10", payer) {
                $0.split.payers = [payer == "Bob" ? payer : String(payer.suffix(6))]
                $0.date = day
            }
        }
        let first = try sample.book.contents().members.first { $0.name == "Ana" && $0.id != other }?.id
        try sample.add("20", "first") { $0.split.payers = [String(first?.description.suffix(6) ?? "")] }
        let sections = try sample.book.list(SpendingQuery()).sections
        #expect(sections.map(\.spendings.count) == [1, 1, 2])
        #expect(
            Set(sections.prefix(2).map(\.title))
                == Set([first, other].map { "Ana (\($0?.description.suffix(6) ?? ""))" }))
    }

    @Test func searchLooksIntoCategoriesAndNotesWhateverTheWidth() throws {
        let sample = try TemporaryBook()
        try sample.add("10", "one") { $0.category = "ＣＡＦＥ" }
        try sample.add("10", "two") { $0.note = "au Café" }
        try sample.add("10", "three")
        var query = SpendingQuery()
        query.search = " café "
        #expect(try Set(sample.book.list(query).sections.flatMap(\.spendings).map(\.title)) == ["one", "two"])
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
        let list = try sample.book.list(SpendingQuery())
        #expect(list.sections.first?.totals.map(\.minorUnits) == [2000])
    }
}
