import Foundation
import GRDB
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

@Suite struct ReplicaTests {
    private let ana = RecordID(high: 0, low: 1)
    private let pizza = RecordID(high: 0, low: 5)

    private func pair() throws -> (TemporaryReplica, TemporaryReplica, MemoryScope) {
        let first = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try first.sql(
            "INSERT INTO spending(id, content, person, approver) VALUES (\(id(5)), 'pizza', \(id(1)), \(id(1)))")
        try scope.synchronise(first.replica)
        try scope.synchronise(second.replica)
        return (first, second, scope)
    }

    @Test func processThatUsesSQLiteIsNotSetUpAnew() throws {
        let test = try TemporaryReplica(TemporaryReplica.people)
        #expect(!Replica.prepareProcess())
        #expect(try test.count("SELECT count(*) FROM person") == 0)
    }

    /// V35 of the specification: an update that does not touch a reference keeps the stored one, not the masked NULL.
    @Test func updateOfAnotherColumnKeepsTheStoredReference() throws {
        let (first, second, scope) = try pair()
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        try first.sql("UPDATE spending SET person = \(id(2)) WHERE id = \(id(5))")
        try first.sql("DELETE FROM person WHERE id = \(id(1))")
        try first.sql("UPDATE spending SET content = 'big pizza' WHERE id = \(id(5))")
        #expect(try first.count("SELECT count(*) FROM spending WHERE approver IS NULL") == 1)
        try scope.synchronise(first.replica)
        try scope.synchronise(second.replica)
        try second.replica.write("undelete") { try $0.undelete("Person", id: ana) }
        #expect(try second.texts("SELECT content FROM spending WHERE approver = \(id(1))") == ["big pizza"])
    }

    @Test func beatenEditIsJournaledWithItsContentAndCanBeRestored() throws {
        let (first, second, scope) = try pair()
        try first.sql("UPDATE spending SET content = 'first' WHERE id = \(id(5))")
        try second.sql("UPDATE spending SET content = 'second' WHERE id = \(id(5))")
        try scope.synchronise(first.replica)
        try scope.synchronise(second.replica)
        try scope.synchronise(first.replica)
        #expect(try first.texts("SELECT content FROM spending") == ["second"])
        let entry = try #require(try first.replica.journal().first { $0.outcome == .beaten })
        #expect(entry.by?.replica == ReplicaID("0000000000000002"))
        _ = try first.replica.restore(try #require(entry.ordinal))
        #expect(try first.texts("SELECT content FROM spending") == ["first"])
    }

    @Test func deleteThatALaterEditBeatsIsJournaled() throws {
        let (first, second, scope) = try pair()
        try first.sql("DELETE FROM spending WHERE id = \(id(5))")
        try scope.synchronise(first.replica)
        try second.sql("UPDATE spending SET content = 'kept' WHERE id = \(id(5))")
        try scope.synchronise(second.replica)
        try scope.synchronise(first.replica)
        #expect(try first.texts("SELECT content FROM spending") == ["kept"])
        let entry = try #require(try first.replica.journal().first)
        #expect(entry.outcome == .beaten)
        #expect(entry.put == nil)
    }

    @Test func refusedTransactionGoesBackAndIsJournaledWhileOthersFlow() throws {
        let (first, second, scope) = try pair()
        try first.replica.write("bad") { try $0.put("Spending", id: pizza, ["content": .string("bad")]) }
        try first.replica.write("good") { try $0.put("Person", id: ana, ["name": .string("Anna")]) }
        try scope.synchronise(first.replica) { changes in changes.contains { $0.key.id == pizza } ? "too large" : nil }
        try scope.synchronise(second.replica)
        #expect(try first.texts("SELECT content FROM spending") == ["pizza"])
        #expect(try second.texts("SELECT name FROM person") == ["Anna"])
        let entry = try #require(try first.replica.journal().first)
        #expect(entry.outcome == .refused)
        #expect(entry.reason == "too large (forbidden)")
        #expect(try first.replica.digest() == scope.digest)
    }

    /// A local create keeps its empty base, whatever arrives before it is sent.
    @Test func createThatMeetsAnotherIsSentWithoutABase() throws {
        let first = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        try second.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'second')")
        try scope.synchronise(second.replica)
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'first')")
        _ = try first.replica.apply(Array(scope.states.values), checkpoint: nil, serverTime: nil)
        let sent = try first.replica.sealChanges(scope.limits)
        guard case .put(_, let base) = try #require(sent.first).kind else { return }
        #expect(sent.count == 1)
        #expect(base == nil)
    }

    @Test func writingAHiddenRecordKeepsWhatIsLeftOut() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try replica.sql("INSERT INTO spending(id, content, amount, person) VALUES (\(id(5)), 'pizza', 12, \(id(1)))")
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        let bob = Value.data(RecordID(high: 0, low: 2).bytes)
        try replica.replica.write("move") { try $0.put("Spending", id: pizza, ["person": bob]) }
        #expect(try replica.count("SELECT amount FROM spending WHERE person = \(id(2)) AND content = 'pizza'") == 12)
    }

    @Test func undoOfADeleteAndAnEditRestoresTheStoredReference() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try replica.sql("INSERT INTO spending(id, content, approver) VALUES (\(id(5)), 'pizza', \(id(1)))")
        try replica.replica.write("both") { transaction in
            try transaction.delete("Person", id: ana)
            try transaction.put("Spending", id: pizza, ["content": .string("x")])
        }
        _ = try replica.replica.undo()
        #expect(try replica.texts("SELECT content FROM spending WHERE approver = \(id(1))") == ["pizza"])
    }

    @Test func refusedEditComesBackByThePullWhereTheReplyHadNoRoomForIt() throws {
        let (first, _, scope) = try pair()
        try first.sql("UPDATE spending SET content = 'bad' WHERE id = \(id(5))")
        try scope.synchronise(first.replica, sendsCurrent: false) { _ in "no" }
        #expect(try first.texts("SELECT content FROM spending") == ["pizza"])
        #expect(try first.replica.digest() == scope.digest)
    }

    /// Columns of other programs are never sent.
    @Test func refusedEditLeavesTheColumnsOfOtherPrograms() throws {
        let (first, _, scope) = try pair()
        try first.sql("ALTER TABLE spending ADD COLUMN mine TEXT")
        try first.sql("UPDATE spending SET mine = 'note' WHERE id = \(id(5))")
        try scope.synchronise(first.replica)
        try first.sql("UPDATE spending SET content = 'bad' WHERE id = \(id(5))")
        try scope.synchronise(first.replica, sendsCurrent: false) { _ in "no" }
        #expect(try first.texts("SELECT content || mine FROM spending") == ["pizzanote"])
        #expect(try first.replica.digest() == scope.digest)
        #expect(try first.replica.check().isSound)
    }

    @Test func refusedCreateIsTakenAway() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(replica.replica) { _ in "no" }
        #expect(try replica.count("SELECT count(*) FROM person") == 0)
        #expect(try replica.replica.journal().map(\.outcome) == [.refused])
    }

    @Test func transactionThatIsWrittenAgainInPartArrivesWhole() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.write("both") { transaction in
            try transaction.put("Person", id: RecordID(high: 0, low: 1), ["name": .string("a")])
            try transaction.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("b")])
        }
        try replica.replica.write("one again") {
            try $0.put("Person", id: RecordID(high: 0, low: 1), ["name": .string("c")])
        }
        let limits = PushLimits(
            changesPerPush: 100, bytesPerPush: 1 << 20, changesPerTransaction: 100, bytesPerTransaction: 1 << 20)
        try replica.replica.sealPushes(limits: limits)
        #expect(try replica.replica.sealedPushes().flatMap(\.transactions).map(\.changes.count) == [2])
    }

    @Test func sealedStampsIncreaseStrictly() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) INSERT INTO person(name) SELECT i FROM n"
        )
        let limits = PushLimits(
            changesPerPush: 100, bytesPerPush: 1 << 20, changesPerTransaction: 10_000, bytesPerTransaction: 1 << 20)
        let stamps = try replica.replica.sealChanges(limits).map(\.stamp)
        #expect(stamps.count == 500)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func argumentThatIsNotGivenReadsNil() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let sql = "SELECT ?, ?"
        let (one, two) = (Value.integer(1), Value.string("two"))
        #expect(try replica.replica.select(sql, [one, two]) == [[one, two]])
        #expect(try replica.replica.select(sql, [one]) == [[one, .null]])
        #expect(try replica.replica.select(sql) == [[.null, .null]])
    }

    @Test func applyingAPageTwiceChangesNothing() throws {
        let (first, second, scope) = try pair()
        try first.sql("UPDATE spending SET content = 'x' WHERE id = \(id(5))")
        try scope.synchronise(first.replica)
        let page = scope.states.values.sorted { $0.key < $1.key }
        let once = try second.replica.apply(page, checkpoint: [1], serverTime: nil)
        let twice = try second.replica.apply(page, checkpoint: [1], serverTime: nil)
        #expect(once.digest == twice.digest)
        #expect(twice.applied == 0)
    }

    @Test func recordsOfUnknownShapeAreKeptNotShownAndPassedOn() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let unknown = RecordKey(entity: EntityID(77), id: ana)
        let bad = RecordKey(entity: EntityID(2), id: pizza)
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .integer(5))])
        let report = try replica.replica.apply(
            [
                RecordState(
                    key: unknown, put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded())),
                RecordState(key: bad, put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded())),
            ], checkpoint: nil, serverTime: nil)
        #expect(report.unfit == 2)
        #expect(try replica.count("SELECT count(*) FROM spending") == 0)
        #expect(try replica.replica.content(of: unknown) == Put(content: content).encoded())
    }

    @Test func unknownAttributeSurvivesAnEditHere() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let key = RecordKey(entity: EntityID(1), id: ana)
        let content = ContentCoding.encode([
            .init(property: PropertyID(1), value: .string("Ana")),
            .init(property: PropertyID(99), value: .string("future")),
        ])
        _ = try replica.replica.apply(
            [RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))],
            checkpoint: nil, serverTime: nil)
        try replica.sql("UPDATE person SET name = 'Anna'")
        let put = try Put(encoded: try #require(try replica.replica.content(of: key)))
        #expect(try ContentCoding.decode(put.content).map(\.value) == [.string("Anna"), .string("future")])
    }

    @Test func undoTakesBackTheLastStepAndThenTheOneBefore() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.write("add Ana") { try $0.put("Person", id: ana, ["name": .string("Ana")]) }
        try replica.replica.write("rename") { try $0.put("Person", id: ana, ["name": .string("Anna")]) }
        #expect(try replica.replica.undo() == "rename")
        #expect(try replica.texts("SELECT name FROM person") == ["Ana"])
        #expect(try replica.replica.undo() == "add Ana")
        #expect(try replica.texts("SELECT name FROM person") == [])
        #expect(try replica.replica.undo() == nil)
    }

    /// Records hidden and references masked by settling do not count as written.
    @Test func whatSettlingLeavesIsWhatCanBeUndone() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        let pasta = RecordID(high: 0, low: 6)
        try replica.replica.write("add") { transaction in
            try transaction.put("Spending", id: pizza, ["content": .string("pizza"), "person": .data(ana.bytes)])
            try transaction.put("Spending", id: pasta, ["content": .string("pasta"), "approver": .data(ana.bytes)])
        }
        #expect(try replica.texts("SELECT content FROM spending WHERE approver IS NULL") == ["pasta"])
        #expect(try replica.texts("SELECT after IS NULL FROM roost_history ORDER BY ordinal") == ["1", "0"])
        try replica.replica.write("rename") { try $0.put("Spending", id: pasta, ["content": .string("Pasta")]) }
        #expect(try replica.replica.undo() == "rename")
        #expect(try replica.replica.undo() == "add")
        #expect(try replica.count("SELECT count(*) FROM spending") == 0)
    }

    @Test func undoRefusesWhenSomebodyElseWroteSince() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.replica.write("add Ana") { try $0.put("Person", id: ana, ["name": .string("Ana")]) }
        try replica.sql("UPDATE person SET name = 'Anna'")
        #expect(throws: ReplicaError.self) { try replica.replica.undo() }
        #expect(try replica.texts("SELECT name FROM person") == ["Anna"])
    }

    @Test func restampingBringsWaitingChangesBackUnderTheServersClock() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        // Simulates a write under a clock that is a day ahead.
        try replica.sql("UPDATE roost_control SET reading = reading + ((strftime('%s', 'now') + 86400) * 1000 << 16)")
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        let server = try #require(UInt64(exactly: try replica.count("SELECT strftime('%s', 'now') * 1000")))
        try replica.replica.restamp(serverTime: server)
        let stamp = try replica.count("SELECT put_stamp >> 16 FROM roost_outbox")
        #expect(stamp <= Int(server) + 60_000)
    }

    /// SQLite keeps a WAL for each name of a file: programs that use two names corrupt it.
    @Test func moreThanOneNameIsReported() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        #expect(try file.replica.status().names == 1)
        try FileManager.default.linkItem(atPath: file.path, toPath: file.path + "-other")
        #expect(try file.replica.status().names == 2)
        #expect(file.replica.namesNotice?.contains("2 names") == true)
        try FileManager.default.removeItem(atPath: file.path + "-other")
        #expect(try file.replica.status().names == 1)
        #expect(file.replica.namesNotice == nil)
    }
}
