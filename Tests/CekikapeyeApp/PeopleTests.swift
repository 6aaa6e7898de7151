import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import Testing

struct PeopleTests {
    @Test(arguments: [["Ana", "ana"], ["Chloe", "Chloé"], [""]])
    func namesMustDifferWhateverCaseAndAccents(_ names: [String]) {
        #expect(throws: BookError.self) { try TemporaryBook(names) }
    }

    @Test func namesWithCommasAreSeveralPeople() throws {
        let sample = try TemporaryBook(["Ana,Bob", "Chloé"])
        #expect(try sample.book.addPeople(["Dora, Émile,"]).map(\.name) == ["Dora", "Émile"])
        #expect(try sample.book.contents().members.map(\.name) == ["Ana", "Bob", "Chloé", "Dora", "Émile"])
    }

    @Test func marksOfOptionsAreInNoName() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.nameWithMark("Zoé=x")) { try sample.book.addPeople(["Zoé=x"]) }
        #expect(throws: BookError.nameWithMark("A,B")) { try sample.book.rename(person: "Ana", to: "A,B") }
    }

    /// A character may have any number of combining marks.
    @Test func aNameOfOneCharacterMayBeTooLong() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.tooLong(limit: 200)) {
            try sample.book.addPeople(["a" + String(repeating: "\u{301}", count: 50_000)])
        }
        #expect(throws: Never.self) { try sample.book.addPeople([String(repeating: "👨‍👩‍👧", count: 200)]) }
    }

    /// Two devices added the same person while offline.
    @Test func namesakesAreToldApartByTheirIdentifiers() throws {
        let sample = try TemporaryBook(["Ana", "Eve"])
        let other = RecordID(derivedFrom: ["the other Eve"])
        try sample.book.replica.write("another device") { try $0.put("Person", id: other, ["name": .string("Eve")]) }
        let contents = try sample.book.contents()
        let namesakes = try #require(contents.roster.namesakes.first)
        #expect(contents.roster.namesakes.count == 1 && namesakes.map(\.name) == ["Eve", "Eve"])
        #expect(Set(namesakes.map { contents.name(of: $0.personID) }) == Set(namesakes.map { "Eve (\($0.shortID))" }))
        let error = #expect(throws: BookError.self) { try sample.add("10") { $0.split.participants = ["Eve"] } }
        #expect(error?.message(in: .english).contains("what stands in brackets") == true)
        try sample.add("10") { $0.split.participants = [String(other.description.suffix(6))] }
        let count = try sample.book.contents().spendings(of: try #require(namesakes.first { $0.id == other })).count
        #expect(count == 1)
        #expect(try sample.book.rename(person: String(other.description.suffix(6)), to: "Eva").new.id == other)
        #expect(try sample.book.contents().roster.namesakes.isEmpty)
    }

    @Test func whatWasNotDeletedIsSearchedAmongTheDeleted() throws {
        let sample = try TemporaryBook()
        let error = #expect(throws: BookError.notDeleted("Bpb")) { try sample.book.undelete("Bpb") }
        #expect(error?.message(in: .english).contains("\"cekikapeye undelete\" lists") == true)
    }

    /// A list of deleted records shows day and amount, because a title and twelve digits do not identify a spending.
    @Test func whatWasDeletedHasItsDayAndAmount() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("12.50") { $0.date = "2026-07-01" }.id
        _ = try sample.book.deleteSpending(id.description)
        _ = try sample.book.deletePerson("Bob")
        let deleted = try sample.book.deletedRecords()
        #expect(deleted.first { $0.id == id }?.date == "2026-07-01")
        #expect(deleted.first { $0.id == id }?.amount?.minorUnits == 1250)
        #expect(deleted.first { $0.title == "Bob" }?.date == nil)
    }

    @Test func anEmptyGroupNamesItsWayOut() throws {
        let sample = try TemporaryBook([])
        let error = #expect(throws: BookError.self) { try sample.add("10") }
        #expect(error?.message(in: .english).contains("cekikapeye person add NAME") == true)
        #expect(BookError.unknownPerson("Ana", candidates: []).message(in: .french).contains("person add NOM"))
    }

    @Test func addedPeopleTakePartInWhatComes() throws {
        let sample = try TemporaryBook(["Ana"])
        #expect(try sample.book.addPeople(["Bob"]).map(\.name) == ["Bob"])
        #expect(throws: BookError.nameTaken("bob")) { try sample.book.addPeople(["bob"]) }
        try sample.add("10")
        #expect(try sample.balances() == ["Ana": 500, "Bob": -500])
    }

    @Test func deactivatedPeopleKeepTheirBalance() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        #expect(try !sample.book.setActive(false, person: "bob").person.isActive)
        try sample.add("10")
        #expect(try sample.balances() == ["Ana": 2500, "Bob": -1000, "Chloé": -1500])
        #expect(try sample.book.setActive(true, person: "bob").person.isActive)
    }

    /// An empty step would make "undo" revert the step before it.
    @Test func whatChangesNothingIsNoStep() throws {
        let sample = try TemporaryBook()
        #expect(try sample.book.setActive(false, person: "bob").isStep)
        #expect(try !sample.book.setActive(false, person: "bob").isStep)
        #expect(try !sample.book.rename(person: "ana", to: "Ana").isStep)
        #expect(try sample.book.undo() == "deactivate Bob")
    }

    @Test func renamingKeepsTheRecord() throws {
        let sample = try TemporaryBook()
        let (old, new, isStep) = try sample.book.rename(person: "bob", to: "Robert")
        #expect(isStep && old.id == new.id && old.name == "Bob" && new.name == "Robert")
        #expect(throws: BookError.nameTaken("ana")) { try sample.book.rename(person: "rob", to: "ana") }
    }

    @Test func renamingMayChangeCaseOnly() throws {
        let sample = try TemporaryBook()
        #expect(try sample.book.rename(person: "bob", to: "BOB").new.name == "BOB")
    }

    @Test func deletingHidesWhatTheyPaidAndUndeletingShowsIt() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        try sample.add("60", "essence") { $0.split.payers = ["Bob"] }
        #expect(try sample.book.deletePerson("Bob").hidden == 1)
        let contents = try sample.book.contents()
        #expect(contents.hidden.map(\.title) == ["essence"])
        #expect(contents.hidden.map(\.because) == ["Bob"])
        #expect(try sample.balances() == ["Ana": 2000, "Chloé": -1000, "(deleted) Bob": -1000])
        #expect(try sample.book.undelete("bob").entity == "Person")
        #expect(try sample.book.contents().hidden.isEmpty)
        #expect(try sample.balances() == ["Ana": 0, "Bob": 3000, "Chloé": -3000])
    }

    @Test func undoBringsADeletedPersonBack() throws {
        let sample = try TemporaryBook()
        try sample.add("60") { $0.split.payers = ["Bob"] }
        _ = try sample.book.deletePerson("Bob")
        #expect(try sample.book.undo() == "delete Bob")
        #expect(try sample.book.contents().spendings.count == 1)
    }

    @Test func peopleNoReplicaKnowsAreShownByIdentifier() throws {
        let sample = try TemporaryBook()
        let stranger = try PersonID("deadbeef-0000-4000-8000-000000000000")
        #expect(try sample.book.contents().name(of: stranger) == "(deleted) deadbeef")
    }
}
