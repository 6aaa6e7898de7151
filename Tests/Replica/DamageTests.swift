import Foundation
import GRDB
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// Replica files with corrupt bytes.
@Suite struct DamageTests {
    /// The rows are intact: pending changes are found and sent, although the index by identifier has lost their entries.
    @Test func damagedIndexLosesNoWaitingChange() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(name) VALUES ('Ana'), ('Bob'), ('Cem')")
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        try file.plain.close()
        // The cells of an index are stored at the end of its page.
        let page = try TablePage(of: "sqlite_autoindex_person_1", in: file.path)
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seek(toOffset: UInt64(page.bytes.upperBound - 60))
        try handle.write(contentsOf: Data(count: 60))
        try handle.close()
        let replica = try Replica(opening: file.path)
        defer { try? replica.close() }
        let limits = PushLimits(
            changesPerPush: 100, bytesPerPush: 100_000, changesPerTransaction: 100, bytesPerTransaction: 100_000)
        #expect(try replica.sealChanges(limits).count == 3)
    }

    /// SQLite would read the rest of the last page as zeros.
    @Test func copyThatBrokeOffIsNotOpenedAndIsRepaired() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(name) VALUES ('Ana'), ('Bob'), ('Cem')")
        try file.replica.settle()
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        try file.plain.close()
        let handle = try FileHandle(forUpdating: URL(filePath: file.path))
        try handle.truncate(atOffset: try handle.seekToEnd() - 1)
        try handle.close()
        #expect {
            try Replica(opening: file.path)
        } throws: {
            ($0 as? ReplicaError)?.code == .corrupt
        }
        try Replica.repair(at: file.path)
        let replica = try Replica(opening: file.path)
        defer { try? replica.close() }
        #expect(try replica.status().waiting == 3)
    }

    /// Makes a replica with one pending transaction, which edits a confirmed person and adds two.
    private func replicaWithThreeThatWait() throws -> (file: TemporaryReplica, scope: MemoryScope) {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql(
            """
            UPDATE person SET name = 'Anne' WHERE id = \(id(1));
            INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob'), (\(id(3)), 'Cem')
            """)
        return (file, scope)
    }

    /// Seals the pending changes, and returns the pushes and the corruption found.
    private func seal(_ file: TemporaryReplica, _ scope: MemoryScope) throws -> ([PushRequest], OutboxDamage?) {
        var damage: OutboxDamage?
        try file.replica.sealPushes(limits: scope.limits) { damage = $0 }
        return (try file.replica.sealedPushes(), damage)
    }

    /// The writes of one transaction arrive all or not at all, even if the file has lost a part of them.
    @Test func lostContentHoldsItsWholeTransactionBack() throws {
        let (file, scope) = try replicaWithThreeThatWait()
        try file.replica.write("add a person of another transaction") { transaction in
            try transaction.put("Person", id: RecordID(high: 0, low: 9), ["name": .string("Dan")])
        }
        // Simulates the loss of the row's page.
        try file.loseRow("person", id(2))
        _ = try file.replica.apply([], checkpoint: [1], serverTime: nil)
        let (pushes, damage) = try seal(file, scope)
        #expect(pushes.changes.count == 1)
        #expect(damage?.refused == 3)
        // A full resynchronisation has started, and the push claims no checkpoint.
        #expect(try file.replica.checkpoint() == nil)
        #expect(pushes.map(\.checkpoint) == [nil])
        let journal = try file.replica.journal()
        #expect(journal.filter { $0.outcome == .damaged && $0.put == nil }.map(\.key.id) == [RecordID(high: 0, low: 2)])
        #expect(journal.filter { $0.outcome == .refused && $0.put != nil }.count == 2)
        #expect(try file.texts("SELECT kind FROM roost_event WHERE kind = 'damage'") == ["damage"])
    }

    @Test func contentThatIsGoneCannotBeRestored() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        try file.loseRow("person", id(2))
        try file.replica.sealPushes(limits: MemoryScope().limits)
        let entry = try #require(try file.replica.journal().first?.ordinal)
        #expect(throws: ReplicaError.self) { try file.replica.restore(entry) }
    }

    /// Records of a transaction that is held back show their confirmed content again after the next pull.
    @Test func heldBackRecordsGoBackToWhatIsConfirmed() throws {
        let (file, scope) = try replicaWithThreeThatWait()
        try file.loseRow("person", id(2))
        try scope.synchronise(file.replica)
        #expect(try file.texts("SELECT name FROM person") == ["Ana"])
        #expect(try file.replica.digest() == scope.digest)
        #expect(try !file.replica.sessionStart().hasWaitingChanges)
    }

    /// Lost outbox entries are rebuilt from the rows, and no transaction is sent in part.
    @Test(arguments: TableDamage.allCases, ["roost_outbox", "roost_mark", "roost_outbox as text"])
    func damagedOutboxIsMadeAnew(_ kind: TableDamage, _ table: String) throws {
        let scope = MemoryScope()
        let form = table.hasSuffix("as text") ? IdentifierForm.text : .bytes
        let damaged = try DamagedOutbox(scope, kind, of: table.replacing(" as text", with: ""), identifiers: form)
        let replica = try Replica(opening: damaged.path)
        defer { try? replica.close() }
        #expect(try replica.checkOutbox()?.notices.count == 1)
        try scope.synchronise(replica)
        #expect(try damaged.differences(scope) == [])
        #expect(try replica.digest() == scope.digest)
        #expect(try replica.checkOutbox() == nil)
    }

    /// A mark has a corrupt identifier. SQLite reports no fault in its page, and the record is found by its row.
    @Test(arguments: [1, 100]) func markThatNamesNoRecordIsFoundByItsRow(_ count: Int) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        for number in 1...count { try file.sql("INSERT INTO person(id, name) VALUES (\(id(number)), 'Ana')") }
        try file.sql("UPDATE roost_mark SET id = x'07' WHERE n = 1")
        try scope.synchronise(file.replica)
        #expect(scope.states.count == count)
        #expect(try file.replica.checkOutbox() == nil)
    }

    /// An outbox entry with a corrupt identifier names nothing. Its record is found by its row.
    @Test(
        arguments: [
            ("delete of a confirmed", "DELETE FROM person WHERE id = \(id(1))"),
            ("edit of a confirmed", "UPDATE person SET name = 'Anne' WHERE id = \(id(1))"),
            ("new", "INSERT INTO person(id, name) VALUES (\(id(1)), 'Anne') ON CONFLICT DO UPDATE SET name = 'Anne'"),
        ])
    func entryThatNamesNothingIsFoundByItsRow(_ name: String, _ write: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        if name != "new" {
            try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
            try scope.synchronise(file.replica)
        }
        try file.sql("\(write); INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        try file.replica.settle()
        try file.sql("UPDATE roost_outbox SET id = \(id(0x4001)) WHERE id = \(id(1))")
        let (pushes, damage) = try seal(file, scope)
        let sent = pushes.changes.map(\.key.id)
        #expect(sent.sorted() == [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)])
        #expect(damage?.notices.count == 1)
        #expect(damage?.refused == 0)
    }

    /// No record lacks its entry: the delete is sent unchanged, and no corruption is reported.
    @Test func deleteOfAPurgedRecordIsNoDamage() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("DELETE FROM person WHERE id = \(id(1))")
        _ = try file.replica.apply(
            [], purged: [RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))], checkpoint: nil,
            serverTime: nil)
        let (pushes, damage) = try seal(file, scope)
        let sent = pushes.changes
        #expect(sent.map(\.kind) == [.delete])
        #expect(damage == nil)
    }

    /// The outbox names the record of each row: the delete of a purged record stays as it was written, in either form of
    /// identifiers.
    @Test(arguments: [IdentifierForm.bytes, .text])
    func deleteOfAPurgedRecordBesideOthersIsNoDamage(form: IdentifierForm) throws {
        let file = try TemporaryReplica(TemporaryReplica.people, identifiers: form)
        let scope = MemoryScope()
        let (ana, bob) = (RecordID(high: 0, low: 1), RecordID(high: 0, low: 2))
        try file.sql("INSERT INTO person(id, name) VALUES (\(form.literal(ana)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("DELETE FROM person WHERE id = \(form.literal(ana))")
        try file.sql("INSERT INTO person(id, name) VALUES (\(form.literal(bob)), 'Bob')")
        _ = try file.replica.apply(
            [], purged: [RecordKey(entity: EntityID(1), id: ana)], checkpoint: nil, serverTime: nil)
        let (pushes, damage) = try seal(file, scope)
        #expect(pushes.changes.map(\.key.id) == [ana, bob])
        #expect(damage == nil)
    }

    /// Stamps follow the server's clock, however far it is ahead of this machine's.
    @Test func aClockOfTheServerThatIsDaysAheadIsNoDamage() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        let serverTime = UInt64(Date().timeIntervalSince1970 * 1000) + 3 * 86_400_000
        _ = try file.replica.apply([], checkpoint: [1], serverTime: serverTime)
        try file.sql("DELETE FROM person WHERE id = \(id(1)); INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        _ = try file.replica.apply(
            [], purged: [RecordKey(entity: 1, number: 1)], checkpoint: [2], serverTime: serverTime)
        let (pushes, damage) = try seal(file, scope)
        #expect(pushes.changes.map(\.key.id).sorted() == [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)])
        #expect(damage == nil)
    }

    /// Only the server has the content that was edited, so the delete after the edit names nothing. It is sent at once, and the
    /// refusal of the edit is reported.
    @Test func deleteAfterAnEditThatIsTooLargeIsNoDamage() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql(
            """
            UPDATE person SET name = printf('%2000d', 1) WHERE id = \(id(1));
            DELETE FROM person WHERE id = \(id(1));
            INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')
            """)
        var limits = scope.limits
        limits.bytesPerPut = 1000
        var damage: OutboxDamage?
        try file.replica.sealPushes(limits: limits) { damage = $0 }
        let sent = try file.replica.sealedPushes().changes
        #expect(sent.map(\.key.id).sorted() == [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)])
        #expect(damage?.refused == 1)
        #expect(damage?.notices == [])
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
        #expect(try file.texts("SELECT kind FROM roost_event WHERE kind = 'quarantine'") == ["quarantine"])
    }

    /// A record's edit is too large, and a later transaction deletes the record. The edit is refused with what was
    /// written together with it, and the later transaction arrives whole, or not at all where another edit of it is too
    /// large.
    @Test(arguments: [false, true]) func transactionOfADeleteAfterATooLargeEditArrivesWhole(isRefused: Bool) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try scope.synchronise(file.replica)
        let people = (0...4).map { RecordID(high: 0, low: $0) }
        let large = Value.string(String(repeating: "x", count: 2000))
        try file.replica.write("edit") { transaction in
            try transaction.put("Person", id: people[1], ["name": large])
            try transaction.put("Person", id: people[3], ["name": .string("Cem")])
        }
        try file.replica.write("delete") { transaction in
            try transaction.delete("Person", id: people[1])
            try transaction.put("Person", id: people[4], ["name": .string("Dag")])
            if isRefused { try transaction.put("Person", id: people[2], ["name": large]) }
        }
        var limits = scope.limits
        limits.bytesPerPut = 1000
        try file.replica.sealPushes(limits: limits)
        let sent = try file.replica.sealedPushes().changes
        #expect(sent.map(\.key.id).sorted() == (isRefused ? [] : [people[1], people[4]]))
        #expect(sent.filter { $0.kind == .delete }.map(\.key.id) == (isRefused ? [] : [people[1]]))
        let refused = try file.replica.journal().filter { $0.outcome == .refused }.map(\.key.id).sorted()
        #expect(refused == (isRefused ? [1, 1, 2, 3, 4] : [1, 3]).map { people[$0] })
    }

    /// One transaction edits a record too largely and deletes it. Nobody else would see the edit, so the rest is sent.
    @Test func transactionThatDeletesItsTooLargeEditArrivesWithoutTheEdit() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.replica.write("delete") { transaction in
            let ana = RecordID(high: 0, low: 1)
            try transaction.put("Person", id: ana, ["name": .string(String(repeating: "x", count: 2000))])
            try transaction.delete("Person", id: ana)
            try transaction.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("Bob")])
        }
        var limits = scope.limits
        limits.bytesPerPut = 1000
        try file.replica.sealPushes(limits: limits)
        let sent = try file.replica.sealedPushes().changes
        #expect(sent.map(\.key.id).sorted() == [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)])
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
    }

    /// Nothing but the outbox shows the delete of a record whose row another program has taken past the triggers.
    @Test func rebuiltOutboxKeepsADeleteWithoutARow() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try scope.synchronise(file.replica)
        try file.sql(
            "DELETE FROM person WHERE id = \(id(1)); UPDATE person SET name = 'Ben' WHERE id = \(id(2))")
        try file.replica.settle()
        try file.loseRow("roost_hidden_person", id(1))
        try file.sql("UPDATE roost_outbox SET id = \(id(0x4001)) WHERE id = \(id(2))")
        let (pushes, damage) = try seal(file, scope)
        #expect(pushes.changes.map(\.key.id).sorted() == [RecordID(high: 0, low: 1), RecordID(high: 0, low: 2)])
        #expect(pushes.changes.filter { $0.kind == .delete }.map(\.key.id) == [RecordID(high: 0, low: 1)])
        #expect(damage?.notices.count == 1)
    }

    /// Content that a reply has brought from the server is not taken for a change whose outbox entry was lost.
    @Test func contentThatAReplyHasBroughtIsNoSignOfDamage() throws {
        let (file, scope) = try replicaWithDeletedContentOfTheServers()
        let (pushes, damage) = try seal(file, scope)
        let sent = pushes.changes
        #expect(sent.map(\.kind) == [.delete])
        #expect(sent.map(\.key.id) == [RecordID(high: 0, low: 1)])
        #expect(damage == nil)
    }

    /// Rebuilding a corrupt outbox must not turn content that a reply has brought into a delete that no user made.
    @Test func madeAnewTheListDeletesNothingThatTheServerHasDeleted() throws {
        let (file, scope) = try replicaWithDeletedContentOfTheServers()
        let replica = try reopenedWithDamagedOutbox(file)
        defer { try? replica.close() }
        #expect(try replica.checkOutbox()?.notices.count == 1)
        try scope.synchronise(replica)
        #expect(scope.states.count == 392)
        #expect(try replica.digest() == scope.digest)
        let second = scope.states[RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 2))]
        #expect(second.map { $0.stamps.own } == .put)
    }

    /// A row that does not reproduce its put's bytes is no sign of corruption.
    @Test func anUnusualPutIsNoSignOfDamage() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let states = UnusualPut.all.enumerated().map { place, item in
            RecordState(
                key: RecordKey(entity: 2, number: place),
                put: .init(stamp: stamp, base: nil, encoded: item.bytes))
        }
        try file.sql("DELETE FROM person WHERE id = \(id(1))")
        _ = try file.replica.apply(
            states, purged: [RecordKey(entity: 1, number: 1)], checkpoint: nil, serverTime: nil)
        let (pushes, damage) = try seal(file, scope)
        let sent = pushes.changes
        #expect(sent.map(\.kind) == [.delete])
        #expect(damage == nil)
    }

    /// Another device's delete has hidden a pending put. Rebuilding the outbox adds no delete of this device.
    @Test func madeAnewTheListDeletesNothingThatAnotherHasDeleted() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try scope.pull(other.replica)
        try file.sql("UPDATE person SET name = 'Anne'")
        try other.sql("DELETE FROM person")
        try scope.synchronise(other.replica)
        try scope.pull(file.replica)
        let replica = try reopenedWithDamagedOutbox(file)
        defer { try? replica.close() }
        #expect(try replica.checkOutbox()?.notices.count == 1)
        var deletes = 0
        try scope.push(replica) { changes in
            deletes += changes.count { $0.kind == .delete }
            return nil
        }
        #expect(deletes == 0)
        #expect(scope.states.count == 392)
    }

    /// Opens a copy with many pending changes and an unreadable outbox page.
    private func reopenedWithDamagedOutbox(_ file: TemporaryReplica) throws -> Replica {
        for number in 10...400 { try file.sql("INSERT INTO person(id, name) VALUES (\(id(number)), 'Ana')") }
        try file.replica.settle()
        let path = file.path + "-damaged"
        try file.copy(to: path)
        try TableDamage.zeroedLeaf.damage("roost_outbox", of: path)
        return try Replica(opening: path)
    }

    /// Makes a replica with a pending delete of a purged record. Another record was deleted and undeleted by another device,
    /// which a push reply has reported and no page yet.
    private func replicaWithDeletedContentOfTheServers() throws -> (file: TemporaryReplica, scope: MemoryScope) {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try scope.synchronise(file.replica)
        try scope.pull(other.replica)
        try file.sql(
            "UPDATE person SET name = 'Anne' WHERE id = \(id(1)); UPDATE person SET name = 'Ben' WHERE id = \(id(2))")
        try other.sql("DELETE FROM person WHERE id = \(id(2))")
        try scope.push(other.replica)
        try scope.pull(file.replica)
        try other.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bella')")
        try scope.push(other.replica)
        try file.sql("DELETE FROM person WHERE id = \(id(1))")
        scope.purge(RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1)))
        try scope.push(file.replica, atMost: 1) { _ in ("It was purged.", true) }
        return (file, scope)
    }

    /// Rows are not trusted if the slots that they are compared with are corrupt too.
    @Test(arguments: TableDamage.allCases)
    func damagedOutboxBesideDamagedSlotsStops(_ kind: TableDamage) throws {
        let damaged = try DamagedOutbox(MemoryScope(), kind)
        try damaged.sql("DELETE FROM roost_fact WHERE id = (SELECT min(id) FROM roost_fact)")
        let before = try damaged.bytes()
        do {
            let replica = try Replica(opening: damaged.path)
            defer { try? replica.close() }
            #expect(throws: ReplicaError.self) { try replica.checkOutbox() }
            // A check that could not repair does not count as done.
            #expect(throws: ReplicaError.self) { try replica.checkOutboxNowAndThen() }
        } catch let error as ReplicaError {
            #expect(error.code == .corrupt)
        }
        #expect(try damaged.bytes() == before)
    }

    /// A masked reference would be sent as NULL if `roost_raw` had lost its entry.
    @Test(arguments: TableDamage.allCases)
    func damagedListOfStoredReferencesStops(_ kind: TableDamage) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        for number in 1...300 {
            try file.sql(
                """
                INSERT INTO person(id, name) VALUES (\(id(number)), 'Ana');
                INSERT INTO spending(id, content, approver) VALUES (\(id(number)), 'tea', \(id(number)))
                """)
        }
        try file.sql("DELETE FROM person")
        try scope.synchronise(file.replica)
        try file.sql("UPDATE spending SET amount = 5")
        let path = file.path + "-damaged"
        try file.copy(to: path)
        try kind.damage("roost_raw", of: path)
        let replica = try Replica(opening: path)
        defer { try? replica.close() }
        do {
            try replica.sealPushes(limits: scope.limits)
            Issue.record("something was sealed")
        } catch let error as ReplicaError {
            #expect(error.code == .corrupt)
        }
        #expect(try replica.sessionStart().hasWaitingChanges)
    }
}

extension [PushRequest] {
    fileprivate var changes: [Change] { flatMap(\.changes) }
}
