import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import TestPlainSQL
import Testing

/// Undo, the changes that it leaves alone, and redo.
struct UndoTests {
    /// Writes as another user's device, so the change is no undo step of this one.
    private func addOfOthers(_ sample: TemporaryBook, under person: String) throws {
        try PlainSQL(sample.path).execute(
            """
            INSERT INTO spending(content, amount, currency, exponent, date, kind, split, person)
            SELECT 'taxi', 500, 'EUR', 2, '2026-07-01', 'expense', '{}', id FROM person WHERE name = '\(person)'
            """)
    }

    @Test func theGroupIsNotUndoneOnceOthersHaveBuiltOnIt() throws {
        let sample = try TemporaryBook()
        try addOfOthers(sample, under: "Bob")
        #expect(throws: BookError.groupStays) { try sample.book.undo() }
        #expect(try sample.book.contents().spendings.map(\.title) == ["taxi"])
    }

    /// Without the group, each of its people would have to be restored separately.
    @Test func theGroupIsNeverUndone() throws {
        let sample = try TemporaryBook()
        #expect(throws: BookError.groupStays) { try sample.book.undo() }
        #expect(try sample.book.contents().members.count == 3)
    }

    @Test func anUndeletedPersonIsDeletedAgainWithWhatWasHidden() throws {
        let sample = try TemporaryBook()
        try sample.add("10") { $0.split.payers = ["Bob"] }
        _ = try sample.book.deletePerson("Bob")
        _ = try sample.book.undelete("Bob")
        #expect(try sample.book.undo() == "undelete Bob")
        #expect(try sample.book.contents().hidden.map(\.title) == ["courses"])
        #expect(try sample.book.undo() == "delete Bob")
        #expect(try sample.book.contents().spendings.count == 1)
    }

    @Test func anUndeletedPersonStaysOnceOthersHaveBuiltOnThem() throws {
        let sample = try TemporaryBook()
        _ = try sample.book.deletePerson("Bob")
        _ = try sample.book.undelete("Bob")
        try addOfOthers(sample, under: "Bob")
        #expect(throws: ReplicaError.self) { try sample.book.undo() }
        #expect(try sample.book.contents().spendings.map(\.title) == ["taxi"])
    }

    @Test func aPersonIsNotUndoneUnderWhomOthersHaveListedASpending() throws {
        let sample = try TemporaryBook()
        _ = try sample.book.addPeople(["Dora"])
        try addOfOthers(sample, under: "Dora")
        let error = #expect(throws: ReplicaError.self) { try sample.book.undo() }
        #expect(error?.message.contains("1 record refers to what it added") == true)
        #expect(try sample.book.contents().members.count == 4)
    }

    @Test func stepsAreRedoneInTheirOrder() throws {
        let sample = try TemporaryBook()
        let (first, second) = (try sample.add("10", "tea").id, try sample.add("20", "cake").id)
        #expect(try sample.book.redo() == nil)
        #expect(try sample.book.undo() == "add cake")
        #expect(try sample.book.undo() == "add tea")
        #expect(try sample.book.redo() == "add tea")
        #expect(try sample.book.contents().spendings.map(\.id) == [first])
        #expect(try sample.book.redo() == "add cake")
        #expect(try sample.book.redo() == nil)
        #expect(Set(try sample.book.contents().spendings.map(\.id)) == [first, second])
        #expect(try sample.book.undo() == "add cake")
        #expect(try sample.book.contents().spendings.map(\.id) == [first])
    }

    @Test func nothingIsRedoneOnceSomethingElseWasDone() throws {
        let sample = try TemporaryBook()
        try sample.add("10", "tea")
        _ = try sample.book.undo()
        try sample.add("20", "cake")
        #expect(try sample.book.redo() == nil)
        #expect(try sample.book.undo() == "add cake")
        #expect(try sample.book.redo() == "add cake")
    }

    @Test func anEditAndADeleteAreRedone() throws {
        let sample = try TemporaryBook()
        let id = try sample.add("10", "tea").id.description
        var request = EditRequest()
        request.title = "green tea"
        _ = try sample.book.edit(id, request)
        _ = try sample.book.deleteSpending(id)
        for _ in 1...2 { _ = try sample.book.undo() }
        #expect(try sample.book.contents().spendings.map(\.title) == ["tea"])
        #expect(try sample.book.redo() == "edit green tea")
        #expect(try sample.book.contents().spendings.map(\.title) == ["green tea"])
        #expect(try sample.book.redo() == "delete green tea")
        #expect(try sample.book.contents().spendings.isEmpty)
    }

    /// The undo of an earlier version could delete the group for everyone.
    @Test func aGroupThatWasDeletedComesBack() throws {
        let sample = try TemporaryBook()
        try sample.book.replica.write("undo") { try $0.delete("GroupSettings", id: GroupInfo.recordID) }
        #expect(throws: BookError.groupDeleted) { try sample.book.contents() }
        #expect(try sample.book.deletedRecords().map(\.id) == [GroupInfo.recordID])
        _ = try sample.book.undelete("group")
        #expect(try sample.book.contents().group.name == "Corse 2026")
    }
}
