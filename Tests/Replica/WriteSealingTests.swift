import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// A program's writes are sealed by their own transaction while its session waits for changes, with the result of any other
/// sealing.
@Suite struct WriteSealingTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.apply([], checkpoint: [9], serverTime: nil)
        file.replica.sealWrites(within: .sample)
    }

    private func write(_ ids: ClosedRange<UInt64>, to file: TemporaryReplica? = nil, _ word: String = "") throws {
        try (file ?? self.file).replica.write("add") { transaction in
            for id in ids {
                try transaction.put("Person", id: RecordID(high: 1, low: id), ["name": .string("\(id)\(word)")])
            }
        }
    }

    private func next(_ reason: SealingReason = .localChange, _ seen: inout ForeignCommits?) throws -> Sealed {
        try file.replica.sealPushes(limits: .sample, after: reason, seen: &seen) { _ in }
    }

    private func next(_ reason: SealingReason = .localChange) throws -> Sealed {
        var seen: ForeignCommits?
        return try next(reason, &seen)
    }

    private func sealedCount(_ file: TemporaryReplica? = nil) throws -> Int {
        try (file ?? self.file).count("SELECT count(*) FROM roost_push")
    }

    /// Returns the records of each sealed transaction, by the low parts of their identifiers.
    private func sealedRecords() throws -> [[UInt64]] {
        try file.replica.sealedPushes().flatMap(\.transactions).map { $0.changes.map(\.key.id.low) }
    }

    private func acknowledge(_ number: UInt64) throws {
        let push = try #require(try file.replica.sealedPushes().first)
        #expect(push.number == number)
        try file.replica.acknowledge(number, push.transactions.map { _ in .stored }, current: [])
    }

    @Test(arguments: [SealingReason.localChange, .look])
    func writeIsSealedByItself(reason: SealingReason) throws {
        try write(1...9)
        #expect(try sealedCount() == 1)
        var seen: ForeignCommits?
        #expect(try file.replica.hasUnsealedChanges(since: &seen), "the session does not know of it")
        let body = try #require(try file.replica.sealedPushes().first).protobuf()
        #expect(try next(reason, &seen) == .next(SealedPush(number: 1, body: body, isLast: true, checkpoint: [9])))
        #expect(seen != nil)
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
        #expect(try file.replica.sealedPushes().map(\.number) == [1])
        #expect(try sealedRecords() == [Array(1...9)])
        #expect(try file.count("SELECT count(DISTINCT put_stamp) FROM roost_outbox") == 9)
        try acknowledge(1)
        #expect(try file.count("SELECT count(*) FROM roost_outbox") == 0)
        #expect(try next() == .nothingWaits)
    }

    /// However the session has got the push, a notification does not bring the next attempt for a push in flight forward.
    @Test func whatTheSessionHoldsIsNoNews() throws {
        try write(1...1)
        let session = try Replica(opening: file.path)
        defer { try? session.close() }
        try session.sealPushes(limits: .sample)
        for replica in [file.replica, session] {
            var seen: ForeignCommits?
            #expect(try !replica.hasUnsealedChanges(since: &seen, holding: 1))
            #expect(try !replica.hasUnsealedChanges(since: &seen, holding: 1))
        }
    }

    /// A write may be committed after its session has ended and another program's has started.
    @Test func anotherSessionHearsOfIt() throws {
        let session = try Replica(opening: file.path)
        defer { try? session.close() }
        var seen: ForeignCommits?
        #expect(try !session.hasUnsealedChanges(since: &seen))
        try write(1...1)
        #expect(try session.hasUnsealedChanges(since: &seen))
        #expect(try !session.hasUnsealedChanges(since: &seen), "it was told")
    }

    @Test func whatFollowsWaitsForTheReply() throws {
        try write(1...1)
        try write(1...2, "again")
        #expect(try sealedCount() == 1)
        #expect(try sealedRecords() == [[1]])
        _ = try next()
        try acknowledge(1)
        // The first was written again meanwhile.
        #expect(try file.count("SELECT count(*) FROM roost_outbox") == 2)
        _ = try next(.look)
        #expect(try sealedRecords() == [[1, 2]])
    }

    @Test func whatOtherProgramsWroteGoesBesideItAndNotWithIt() throws {
        try file.sql("INSERT INTO person(id, name) VALUES (x'0000000000000001000000000000000A', 'Ana')")
        try write(1...1)
        try file.sql("INSERT INTO person(name) VALUES ('Bob')")
        #expect(try sealedRecords() == [[10], [1]])
        _ = try next()
        try acknowledge(1)
        _ = try next(.look)
        #expect(try sealedRecords().count == 1)
    }

    @Test func undoIsSealedToo() throws {
        try write(1...1)
        _ = try next()
        try acknowledge(1)
        _ = try file.replica.undo()
        #expect(try file.replica.sealedPushes().flatMap(\.changes).map(\.kind.isDelete) == [true])
    }

    @Test func muchIsLeftToTheSession() throws {
        try write(1...65)
        #expect(try sealedCount() == 0)
        guard case .next = try next() else {
            Issue.record("nothing was sealed")
            return
        }
        #expect(try sealedRecords().map(\.count) == [65])
    }

    @Test func nothingIsSealedUnasked() throws {
        file.replica.sealWrites(within: nil)
        try write(1...1)
        #expect(try sealedCount() == 0)
        var seen: ForeignCommits?
        #expect(try file.replica.hasUnsealedChanges(since: &seen))
    }

    @Test func whatIsTakenBackIsNotSealed() throws {
        struct Failure: Error {}
        #expect(throws: ReplicaError.self) {
            try file.replica.write("fail") { transaction in
                try transaction.put("Person", id: RecordID(high: 1, low: 1), ["name": .string("Ana")])
                throw Failure()
            }
        }
        try file.replica.write("nothing") { _ in }
        #expect(try sealedCount() == 0)
        var seen: ForeignCommits?
        #expect(try !file.replica.hasUnsealedChanges(since: &seen))
    }

    /// An entry that names nothing, or whose content is lost, is left to the session. It does not block the writer.
    @Test(arguments: [true, false]) func damageIsLeftToTheSession(isConfirmed: Bool) throws {
        file.replica.sealWrites(within: nil)
        try write(7...7)
        if isConfirmed {
            _ = try next()
            try acknowledge(1)
            try write(7...7)
        }
        try file.loseRow("person", "x'00000000000000010000000000000007'")
        file.replica.sealWrites(within: .sample)
        try write(1...1)
        #expect(try file.count("SELECT count(*) FROM person") == 1)
        #expect(try sealedCount() == 0)
    }

    /// A failure of any step of sealing is left to the session: the write is committed as without it.
    @Test(arguments: [
        // The table of sealed pushes is unreadable, or accepts no row.
        "DROP TABLE roost_push; CREATE VIEW roost_push AS SELECT abs(-9223372036854775808) AS number, 0 AS staged",
        "CREATE TRIGGER full BEFORE INSERT ON roost_push BEGIN SELECT RAISE(ABORT, 'full'); END",
        // The data stored next to another program's row cannot be decoded.
        """
        INSERT INTO person(id, name) VALUES (x'0000000000000001000000000000000A', 'Ana');
        INSERT INTO roost_extra(entity, id, put) VALUES (1, x'0000000000000001000000000000000A', x'FF')
        """,
    ])
    func failureOfSealingKeepsNoWriteFromBeingMade(damage: String) throws {
        try file.sql(damage)
        let before = try file.texts("SELECT txn FROM roost_control")
        try write(1...3)
        #expect(try file.count("SELECT count(*) FROM person WHERE name <> 'Ana'") == 3)
        #expect(try file.count("SELECT count(*) FROM roost_outbox WHERE unsettled = 1") == 0)
        #expect(try file.count("SELECT count(*) FROM roost_history") == 3)
        #expect(try file.count("SELECT sealed IS NULL FROM roost_control") == 1)
        #expect(try file.texts("SELECT txn FROM roost_control") != before)
        #expect(try file.replica.undo() == "add")
        #expect(try file.count("SELECT count(*) FROM person WHERE name <> 'Ana'") == 0)
    }

    /// Changes that are sent with later stamps than their original ones may move the cut of a cycle, which is settled with
    /// them.
    @Test func whatFollowsFromItsFinalStampsIsSettled() throws {
        let file = try TemporaryReplica(Self.folders)
        file.replica.sealWrites(within: .sample)
        try write(1...3, to: file, "Folder")
        #expect(try sealedCount(file) == 1)
        #expect(try file.count("SELECT count(*) FROM roost_outbox WHERE unsettled = 1") == 0)
        #expect(try file.count("SELECT count(DISTINCT put_stamp) FROM roost_outbox") == 3)
        #expect(try file.count("SELECT applying FROM roost_control") == 0)
        #expect(try file.replica.undo() == "add")
        #expect(try file.count("SELECT count(*) FROM folder") == 0)
    }

    private func write(_ ids: ClosedRange<UInt64>, to file: TemporaryReplica, _ entity: String) throws {
        try file.replica.write("add") { transaction in
            for id in ids { try transaction.put(entity, id: RecordID(high: 1, low: id), ["name": .string("\(id)")]) }
        }
    }

    private static let folders = """
        {"format": 1, "name": "disk", "version": 1, "entities": [
          {"id": 1, "name": "Folder", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 2, "name": "parent", "kind": "toOne", "destination": "Folder", "inverse": "children",
             "deleteRule": "nullify"},
            {"id": 3, "name": "children", "kind": "toMany", "destination": "Folder", "inverse": "parent",
             "deleteRule": "cascade"}]}]}
        """
}
