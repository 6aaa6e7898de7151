import CekikapeyeApp
import CekikapeyeRules
import Replica
import RoostModel
import Testing

struct LogTests {
    @Test func newestChangesComeFirstWithTheirTitles() throws {
        let sample = try TemporaryBook(["Ana"])
        let id = try sample.add("30").id
        _ = try sample.book.deleteSpending(id.description)
        let lines = try sample.book.log(limit: 2)
        #expect(lines.map(\.isDelete) == [true, false])
        #expect(lines.map(\.title) == ["courses", "courses"])
        #expect(lines.map(\.entity) == ["Spending", "Spending"])
        #expect(lines.map(\.isWaiting) == [true, true])
    }

    @Test func reopenedBookIsTheSame() throws {
        let sample = try TemporaryBook()
        try sample.add("30")
        let replica = try Replica(opening: sample.path)
        let reopened = try ExpenseBook(replica: replica, surroundings: sample.book.surroundings)
        #expect(try reopened.contents().spendings.map(\.title) == ["courses"])
        #expect(try reopened.contents().group.name == "Corse 2026")
    }

    @Test func replicaWithoutAGroupIsTold() throws {
        let sample = try TemporaryBook()
        try sample.book.replica.write("another program") { try $0.delete("GroupSettings", id: GroupInfo.recordID) }
        #expect(throws: BookError.groupDeleted) { try sample.book.contents() }
    }

    @Test func replicaOfAnotherApplicationIsRefused() throws {
        let sample = try TemporaryBook()
        let schema = try Schema(json: #"{"format": 1, "name": "trip", "entities": [{"id": 1, "name": "Person"}]}"#)
        let replica = try Replica.create(at: sample.path + ".other", schema: schema)
        let error = #expect(throws: ReplicaError.self) {
            try ExpenseBook(replica: replica, surroundings: sample.book.surroundings)
        }
        #expect(error?.code == .notAReplica)
        try replica.close()
    }

    @Test func messagesComeInBothLanguages() {
        let error = BookError.unknownPerson("zoe", candidates: ["Ana"])
        #expect(error.message(in: .english).contains("nobody here has a name that begins so"))
        #expect(error.message(in: .french).contains("est inconnu"))
    }
}
