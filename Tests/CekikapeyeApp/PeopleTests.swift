import CekikapeyeApp
import CekikapeyeRules
import RoostModel
import Testing

struct PeopleTests {
    @Test(arguments: [["Ana", "ana"], ["Chloe", "Chloé"], [""]])
    func namesMustDifferWhateverCaseAndAccents(_ names: [String]) {
        #expect(throws: BookError.self) { try TemporaryBook(names) }
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

    /// "Undo" would take back what was done before it.
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
