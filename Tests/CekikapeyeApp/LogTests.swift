import CekikapeyeApp
import CekikapeyeRules
import Foundation
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

    @Test func amountsAreInTheLog() throws {
        let sample = try TemporaryBook(["Ana"])
        try sample.add("30")
        #expect(try sample.book.log(limit: 2).map { $0.amount?.minorUnits } == [3000, nil])
    }

    @Test func aFileThatJoiningHasLeftIsKnown() throws {
        let sample = try TemporaryBook()
        #expect(!ExpenseBook.isUnfinished(at: sample.path))
        try sample.book.checkIsMade()
        let path = sample.path + ".joined"
        let book = try ExpenseBook(
            replica: try Replica.create(at: path, schema: sample.book.replica.schema),
            surroundings: sample.book.surroundings)
        #expect(throws: BookError.joinInterrupted(path: book.replica.path)) { try book.checkIsMade() }
        try book.replica.close()
        #expect(ExpenseBook.isUnfinished(at: path))
        for bytes in ["", "notes"] {
            try Data(bytes.utf8).write(to: URL(filePath: path))
            #expect(ExpenseBook.isUnfinished(at: path) == bytes.isEmpty)
        }
    }

    /// The WAL of a group that was moved without it holds the newest spendings.
    @Test func aNewGroupTakesNoLogAway() throws {
        let sample = try TemporaryBook()
        let log = URL(filePath: sample.path + ".new-wal")
        try Data("newest".utf8).write(to: log)
        let error = #expect(throws: ReplicaError.self) {
            try Replica.create(at: sample.path + ".new", schema: sample.book.replica.schema)
        }
        #expect(error?.code == .exists && error?.message.contains("newest changes") == true)
        #expect(try Data(contentsOf: log) == Data("newest".utf8))
    }

    /// Beginners mistype amounts, days, currencies and splits most.
    @Test(
        arguments: [
            { (book: TemporaryBook) in _ = try book.add("abc") },
            { book in _ = try book.add("5") { $0.date = "avant-hier" } },
            { book in _ = try book.add("5") { $0.currency = "EURO" } },
            { book in _ = try book.add("30") { $0.split.percent = ["Ana=60,Bob=30"] } },
            { book in _ = try book.add("30") { $0.split.payers = ["Ana=10"] } },
            { book in _ = try book.add("-5") { $0.kind = .transfer } },
        ] as [@Sendable (TemporaryBook) throws -> Void])
    func refusalsComeInFrench(_ mistake: @Sendable (TemporaryBook) throws -> Void) throws {
        let sample = try TemporaryBook()
        let message = #expect(throws: BookError.self) { try mistake(sample) }?.message(in: .french) ?? "Cannot"
        #expect(!message.contains("Cannot") && !message.contains("expected"), "\(message)")
    }

    @Test func messagesComeInBothLanguages() {
        let error = BookError.unknownPerson("zoe", candidates: ["Ana"])
        #expect(error.message(in: .english).contains("nobody here has a name that begins so"))
        #expect(error.message(in: .french).contains("est inconnu"))
    }
}
