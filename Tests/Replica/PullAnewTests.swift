import Foundation
import Replica
import RoostModel
import TestScope
import Testing

/// A full resynchronisation of a replica: after corruption, after a restore of the server, after a long absence.
@Suite struct PullAnewTests {
    /// Makes two replicas with equal content: two persons and a spending.
    func pair() throws -> (MemoryScope, TemporaryReplica, TemporaryReplica) {
        let scope = MemoryScope()
        let first = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try first.sql("insert into person(id, name) values (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try first.sql("insert into spending(id, content, person) values (\(id(5)), 'dinner', \(id(1)))")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        return (scope, first, second)
    }

    /// Resynchronises fully, page by page.
    @discardableResult
    func pullAnew(
        _ replica: TemporaryReplica, _ scope: MemoryScope, _ reason: PullAnewReason = .differs
    ) throws -> ApplyReport {
        try replica.replica.pullAnew(reason)
        let states = scope.states.values.sorted { $0.key < $1.key }
        for state in states.dropLast() {
            _ = try replica.replica.apply([state], checkpoint: [1], serverTime: nil, isLast: false)
        }
        return try replica.replica.apply(Array(states.suffix(1)), checkpoint: [2], serverTime: nil)
    }

    static let damages = [
        "update roost_fact set put_stamp = x'ffffffffffff0000000000000000ffff' where entity = 1",
        // An own stamp that no clock has shown.
        "update roost_fact set put_stamp = cast(x'ff' || substr(put_stamp, 2) as blob)",
        "update roost_fact set hash = zeroblob(16) where entity = 2",
        "update roost_fact set del_stamp = x'ffffffffffff0000000000000000ffff' where entity = 1",
        "delete from roost_fact where entity = 1",
        "insert into roost_fact(entity, id, put_stamp, hash) values (1, randomblob(16), zeroblob(16), zeroblob(16))",
        "insert into roost_fact(entity, id, put_stamp, hash) values (-7, x'00', zeroblob(16), zeroblob(16))",
        "update roost_control set applying = 1; update person set name = substr(name, 1, 2) || x'00' where id <> \(id(3)); update roost_control set applying = 0",
        "update roost_control set applying = 1000000; delete from person where id <> \(id(3)); update roost_control set applying = 0",
        """
        update roost_control set applying = 1000000;
        insert into roost_hidden_person(id, name, roost_deleted) select id, name, 1 from person where id <> \(id(3));
        delete from person where id <> \(id(3));
        update roost_control set applying = 0
        """,
    ]

    @Test(arguments: damages)
    func damageIsRepairedAndTheOutboxSurvives(damage: String) throws {
        let (scope, _, second) = try pair()
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try second.sql("update spending set content = 'lunch'")
        try second.sql(damage)
        try pullAnew(second, scope)
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob", "Chloé"])
        #expect(try second.texts("select content from spending") == ["lunch"])
        #expect(try second.count("select count(*) from roost_hidden_person") == 0)
        #expect(try second.replica.status().waiting == 2)
        try scope.synchronise(second.replica)
        #expect(try second.replica.digest() == scope.digest)
        #expect(scope.states.count == 4)
        #expect(try second.replica.lostCount() == 0)
    }

    /// Untracked writes of another program that do not look like corruption become local changes.
    @Test func writesPastTheTriggersAreChanges() throws {
        let (scope, first, second) = try pair()
        try second.sql(
            """
            update roost_control set applying = 1;
            update person set name = 'Eve' where id = \(id(1));
            insert into person(id, name) values (\(id(4)), 'Dan');
            update roost_control set applying = 0;
            delete from roost_mark
            """)
        try pullAnew(second, scope)
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.replica.status().waiting == 2)
        // The journal keeps the confirmed content, in case the row was corrupt.
        #expect(try second.replica.journal().map(\.outcome) == [.damaged])
        for replica in [second, first] { try scope.synchronise(replica.replica) }
        #expect(try first.texts("select name from person order by id") == ["Eve", "Bob", "Dan"])
    }

    /// The server was restored again, and lost changes that it had accepted since. These count as lost, and not the ones that
    /// it has.
    @Test func pullThatStartsOverForgetsWhatWasTakenInBefore() throws {
        let (scope, _, second) = try pair()
        try second.replica.pullAnew(.historyChanged)
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        let before = Array(scope.states.values)
        try scope.push(second.replica)
        #expect(try second.count("select count(*) from roost_pulled") == 1)
        #expect(try second.replica.startOfPull() == .checkpoint(nil, anew: 1))
        let report = try second.replica.apply(before, checkpoint: [2], serverTime: nil)
        #expect(report.lost == 1)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob", "Chloé"])
    }

    /// Own slots that the server lacks are brought back, even if they change nothing visible: an undelete would show them.
    @Test func ownEditBehindAnothersDeleteIsBroughtBack() throws {
        let (scope, first, second) = try pair()
        let early = try #require(scope.states[RecordKey(entity: 1, number: 1)])
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try scope.synchronise(second.replica)
        try scope.synchronise(first.replica)
        try first.sql("delete from person where id = \(id(1))")
        try scope.synchronise(first.replica)
        let deleted = try #require(scope.states[RecordKey(entity: 1, number: 1)]?.delete)
        // The server was restored to before the edit, and received the delete again.
        var states = scope.states
        states[early.key] = RecordState(key: early.key, put: early.put, delete: deleted)
        try second.replica.pullAnew(.differs)
        let report = try second.replica.apply(Array(states.values), checkpoint: [3], serverTime: nil)
        #expect(report.lost == 1)
        #expect(try second.replica.nextLost(limit: 9, bytesMax: 9999).map(\.key) == [early.key])
    }

    @Test func nothingChangesBeforeTheLastPageIsThere() throws {
        let (scope, _, second) = try pair()
        let digest = try second.replica.digest()
        try second.replica.pullAnew(.historyChanged)
        _ = try second.replica.apply([], checkpoint: [1], serverTime: nil, isLast: false)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        #expect(try second.replica.digest() == digest)
        #expect(try second.replica.status().pullingAnew == .historyChanged)
        _ = try second.replica.apply(Array(scope.states.values), checkpoint: [2], serverTime: nil)
        #expect(try second.replica.status().pullingAnew == nil)
        #expect(try second.replica.digest() == digest)
    }

    @Test func editKeepsWhatItWasMadeFrom() throws {
        let (scope, _, second) = try pair()
        let base = try #require(scope.states[RecordKey(entity: 1, number: 1)]?.put?.stamp)
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try pullAnew(second, MemoryScope(), .expired)
        let sent = try second.replica.sealChanges(scope.limits)
        #expect(sent.map(\.kind.base) == [base])
        #expect(try second.texts("select name from person") == ["Anna"])
    }

    @Test func changeAcknowledgedMeanwhileIsNotTakenForLost() throws {
        let (scope, _, second) = try pair()
        let states = Array(scope.states.values)
        try second.replica.pullAnew(.differs)
        _ = try second.replica.apply(states, checkpoint: [1], serverTime: nil, isLast: false)
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try scope.push(second.replica)
        let report = try second.replica.apply([], checkpoint: [2], serverTime: nil)
        #expect(report.lost == 0)
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.texts("select name from person order by id") == ["Anna", "Bob"])
    }

    // MARK: A restored server

    /// Makes a server restored to before all changes; only the replicas have the later ones.
    private func restored() throws -> (MemoryScope, TemporaryReplica, TemporaryReplica) {
        let (scope, first, second) = try pair()
        let backup = MemoryScope(scope.states)
        try first.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try first.sql("update spending set content = 'lunch'")
        try second.sql("delete from person where id = \(id(2))")
        for replica in [first, second, first] { try scope.synchronise(replica.replica) }
        return (backup, first, second)
    }

    @Test func whatTheServerLostIsShownOnAndBroughtBack() throws {
        let (backup, first, second) = try restored()
        #expect(try pullAnew(second, backup, .historyChanged).lost == 3)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Chloé"])
        #expect(try second.texts("select content from spending") == ["lunch"])
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        backup.recover(lost)
        try second.replica.broughtBack(lost)
        #expect(try second.replica.lostCount() == 0)
        #expect(try second.replica.digest() == backup.digest)
        #expect(try pullAnew(first, backup, .historyChanged).lost == 0)
        #expect(try first.replica.digest() == backup.digest)
        #expect(try first.texts("select name from person order by id") == ["Ana", "Chloé"])
    }

    /// A second full resynchronisation for another reason keeps the first one's reason for lost records.
    @Test func longAbsenceWhileSomethingWaitsToBeBroughtBackLosesNothingElse() throws {
        let (scope, first, second) = try pair()
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        for replica in [second, first] { try scope.synchronise(replica.replica) }
        let own = RecordKey(entity: 1, number: 3)
        let purged = RecordKey(entity: 1, number: 2)
        let before = MemoryScope(scope.states.filter { $0.key != own })
        #expect(try pullAnew(second, before, .differs).lost == 1)
        let after = MemoryScope(before.states.filter { $0.key != purged })
        #expect(try pullAnew(second, after, .expired).lost == 1)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost.map(\.key) == [own])
        #expect(try second.texts("select name from person order by id") == ["Ana", "Chloé"])
        after.recover(lost)
        try second.replica.broughtBack(lost)
        #expect(try second.replica.digest() == after.digest)
    }

    /// The server has the edit now, so that the put that it was made from need not be brought back.
    @Test func editOfALostRecordTakesItsPlace() throws {
        let (backup, _, second) = try restored()
        #expect(try pullAnew(second, backup, .historyChanged).lost == 3)
        try second.sql("update person set name = 'Claire' where id = \(id(3))")
        try backup.push(second.replica)
        #expect(try pullAnew(second, backup, .historyChanged).lost == 2)
        _ = try second.replica.giveUpLost(mayWrite: true)
        #expect(try second.texts("select name from person where id = \(id(3))") == ["Claire"])
        try backup.push(second.replica)
        #expect(try second.replica.digest() == backup.digest)
    }

    /// The record waited to be brought back, and others had deleted it there. If it is later than that delete, it stays
    /// waiting.
    @Test(arguments: [true, false])
    func purgeOfALostRecordIsHeardOf(isDeletedLater: Bool) throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let put = try #require(scope.states[key]?.put?.stamp)
        let time = isDeletedLater ? put.time + 1 : put.time - 1
        let delete = HybridTimestamp(time: time, replica: ReplicaID(rawValue: 9))
        let backup = MemoryScope(scope.states.merging([key: RecordState(key: key, delete: delete)]) { $1 })
        #expect(try pullAnew(second, backup, .historyChanged).lost == 1)
        backup.purge(key)
        _ = try second.replica.apply([], purged: [key], checkpoint: [3], serverTime: nil)
        #expect(try second.texts("select name from person") == (isDeletedLater ? ["Ana"] : ["Ana", "Bob"]))
        #expect(try second.replica.lostCount() == (isDeletedLater ? 0 : 1))
        _ = try second.replica.giveUpLost(mayWrite: true)
        #expect(try second.replica.digest() == backup.digest)
        #expect(try second.replica.journal().contains { $0.outcome == .lost && $0.put != nil } != isDeletedLater)
    }

    @Test func whatTheServerDoesNotTakeBackGoesAnewOrToTheJournal() throws {
        let (backup, first, second) = try restored()
        try pullAnew(second, backup, .historyChanged)
        let (journaled, renewed) = try second.replica.giveUpLost(mayWrite: true)
        #expect((journaled, renewed) == (2, 1))
        #expect(try second.count("select count(*) from roost_fact") == backup.states.count)
        let entries = try second.replica.journal().filter { $0.outcome == .lost }
        #expect(entries.count == 2)
        #expect(entries.allSatisfy { $0.put != nil })
        #expect(try second.texts("select name from person order by id") == ["Ana"])
        #expect(try second.texts("select content from spending") == ["dinner"])
        // The other device made the changes, and resends them as its own.
        try pullAnew(first, backup, .historyChanged)
        #expect(try first.replica.giveUpLost(mayWrite: true) == (1, 2))
        for replica in [first, second, first] { try backup.synchronise(replica.replica) }
        for replica in [first, second] {
            #expect(try replica.texts("select name from person order by id") == ["Ana", "Chloé"])
            #expect(try replica.texts("select content from spending") == ["lunch"])
            #expect(try replica.replica.digest() == backup.digest)
        }
    }

    /// Another device may still have the record, and bring it back.
    @Test func deleteOfARecordThatTheServerLostTooGoesAnew() throws {
        let (scope, first, second) = try pair()
        let backup = MemoryScope(scope.states)
        try first.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try first.sql("delete from person where id = \(id(3))")
        try scope.synchronise(first.replica)
        try pullAnew(first, backup, .historyChanged)
        _ = try first.replica.giveUpLost(mayWrite: true)
        try pullAnew(second, backup, .historyChanged)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        backup.recover(lost)
        try second.replica.broughtBack(lost)
        for replica in [first, second, first] { try backup.synchronise(replica.replica) }
        for replica in [first, second] {
            #expect(try replica.texts("select name from person order by id") == ["Ana", "Bob"])
        }
    }

    /// The put was refused or purged, and only the delete is known: another device may still have a put.
    @Test func deleteWithoutAPutGoesAnew() throws {
        let (scope, first, _) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        try first.sql("delete from person where id = \(id(2))")
        try scope.synchronise(first.replica)
        let delete = try #require(scope.states[key]?.delete)
        var rest = scope.states
        rest[key] = RecordState(key: key, delete: delete)
        try pullAnew(first, MemoryScope(rest), .historyChanged)
        _ = try first.replica.giveUpLost(mayWrite: true)
        rest[key] = nil
        let backup = MemoryScope(rest)
        #expect(try pullAnew(first, backup, .historyChanged).lost == 1)
        #expect(try first.replica.giveUpLost(mayWrite: true) == (0, 1))
        try backup.push(first.replica)
        #expect(try #require(backup.states[key]?.delete) > delete)
        #expect(try first.replica.digest() == backup.digest)
    }

    @Test func lostDeleteDoesNotGoOverWhatWasWrittenSince() throws {
        let (scope, first, _) = try pair()
        let backup = MemoryScope(scope.states.filter { $0.key != RecordKey(entity: 1, number: 2) })
        try first.sql("delete from person where id = \(id(2))")
        try scope.synchronise(first.replica)
        try pullAnew(first, backup, .historyChanged)
        try first.replica.write("made anew") {
            try $0.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("Bert")])
        }
        _ = try first.replica.giveUpLost(mayWrite: true)
        try backup.push(first.replica)
        #expect(try first.texts("select name from person order by id") == ["Ana", "Bert"])
        #expect(try first.replica.digest() == backup.digest)
    }

    /// The pending changes have readings of the server's time, years ahead of the machine's, which is no corruption.
    @Test func deleteGoesAnewAlsoWhereTheMachinesClockIsYearsBehind() throws {
        let file = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        let replica = try Replica(opening: file.path, durability: .normal) { now - 3 * 365 * 86_400_000 }
        _ = try replica.apply([], checkpoint: [1], serverTime: UInt64(now))
        let scope = MemoryScope()
        try replica.write("people") { transaction in
            for number in 3...4 {
                try transaction.put("Person", id: RecordID(high: 0, low: UInt64(number)), ["name": .string("Chloé")])
            }
        }
        try replica.write("one less") { try $0.delete("Person", id: RecordID(high: 0, low: 3)) }
        try scope.push(replica)
        try replica.pullAnew(.differs)
        _ = try replica.apply([], checkpoint: [2], serverTime: UInt64(now))
        _ = try replica.giveUpLost(mayWrite: true)
        var sent: [Change] = []
        try MemoryScope().push(replica) { changes in
            sent += changes
            return nil
        }
        #expect(sent.count { $0.kind == .delete } == 1)
        #expect(sent.count == 2)
    }

    /// The writes of one transaction must not be seen in part, and their transactions are unknown by now.
    @Test func whatGoesAnewIsOneTransaction() throws {
        let (backup, first, _) = try restored()
        try pullAnew(first, backup, .historyChanged)
        #expect(try first.replica.giveUpLost(mayWrite: true) == (1, 2))
        var sizes: [Int] = []
        try backup.synchronise(first.replica) { changes in
            sizes.append(changes.count)
            return nil
        }
        #expect(sizes == [2])
    }

    /// A server that has purged the record refuses an edit of it as gone. A create would bring the purged record back.
    @Test func whatGoesAnewSaysThatItWasThere() throws {
        let (scope, first, _) = try pair()
        try pullAnew(first, MemoryScope(), .differs)
        #expect(try first.replica.giveUpLost(mayWrite: true) == (0, 3))
        let sent = try first.replica.sealChanges(scope.limits)
        #expect(sent.count == 3)
        #expect(sent.allSatisfy { $0.kind.base == scope.states[$0.key]?.put?.stamp })
    }

    @Test func whatTheServerLostIsBroughtBackInTheOrderInWhichItWasWritten() throws {
        let (scope, first, _) = try pair()
        let backup = MemoryScope(scope.states)
        for number in [9, 3, 7] {
            try first.sql("insert into person(id, name) values (\(id(number)), 'Chloé')")
            try scope.synchronise(first.replica)
        }
        try pullAnew(first, backup, .historyChanged)
        let lost = try first.replica.nextLost(limit: 2, bytesMax: 1 << 20)
        #expect(lost.map(\.key) == [9, 3].map { RecordKey(entity: 1, number: $0) })
    }

    @Test func viewerJournalsWhatTheServerLost() throws {
        let (backup, _, second) = try restored()
        try pullAnew(second, backup, .historyChanged)
        #expect(try second.replica.giveUpLost(mayWrite: false) == (3, 0))
        #expect(try second.replica.status().waiting == 0)
        #expect(try second.replica.digest() == backup.digest)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
    }

    @Test func lostContentIsBroughtBackThoughTheRecordWasEditedSince() throws {
        let (backup, first, _) = try restored()
        try pullAnew(first, backup, .historyChanged)
        try first.sql("update person set name = 'Chloe' where id = \(id(3))")
        let lost = try first.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost.contains { $0.key == RecordKey(entity: 1, number: 3) && $0.put != nil })
        backup.recover(lost)
        try first.replica.broughtBack(lost)
        try backup.synchronise(first.replica)
        #expect(try first.texts("select name from person order by id") == ["Ana", "Chloe"])
        #expect(try first.replica.digest() == backup.digest)
    }

    /// A pending edit takes the place of the lost content: only the delete is brought back, and no device has the put any
    /// more.
    @Test func putThatCannotBeBroughtBackIsNotConfirmedBesideADeleteThatIs() throws {
        let (scope, first, _) = try pair()
        let backup = MemoryScope(scope.states)
        let key = RecordKey(entity: 1, number: 3)
        try first.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try scope.synchronise(first.replica)
        try first.sql("delete from person where id = \(id(3))")
        try scope.synchronise(first.replica)
        try first.sql("insert into person(id, name) values (\(id(3)), 'Chloe')")
        try pullAnew(first, backup, .historyChanged)
        let lost = try first.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost == [RecordState(key: key, delete: scope.states[key]?.delete)])
        backup.recover(lost)
        try first.replica.broughtBack(lost)
        #expect(try first.replica.digest() == backup.digest)
        let sent = try first.replica.sealChanges(scope.limits)
        #expect(sent.map(\.kind.base) == [scope.states[key]?.put?.stamp])
        #expect(try first.texts("select name from person order by id") == ["Ana", "Bob", "Chloe"])
    }

    /// Only the digest shows that a change is missing. Another device's put may be corrupt, and is not brought back.
    @Test func othersPutIsNotConfirmedBesideAnOwnDeleteThatIsBroughtBack() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let backup = MemoryScope(scope.states.filter { $0.key != key })
        try second.sql("delete from person where id = \(id(2))")
        try scope.synchronise(second.replica)
        try pullAnew(second, backup, .differs)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost == [RecordState(key: key, delete: scope.states[key]?.delete)])
        backup.recover(lost)
        try second.replica.broughtBack(lost)
        #expect(try second.replica.digest() == backup.digest)
    }

    /// The server was restored again, unnoticed, during a pull without a checkpoint. This cannot be distinguished from
    /// corruption.
    @Test func othersChangesThatTheServerDoesNotHaveAreInTheJournal() throws {
        let (scope, _, second) = try pair()
        let backup = MemoryScope(scope.states.filter { $0.key != RecordKey(entity: 1, number: 2) })
        try pullAnew(second, backup)
        #expect(try second.texts("select name from person order by id") == ["Ana"])
        let entries = try second.replica.journal()
        #expect(entries.map(\.outcome) == [.lost])
        #expect(try second.count("select count(*) from roost_journal where instr(put, 'Bob') > 0") == 1)
        #expect(try second.replica.digest() == backup.digest)
    }

    @Test func damagedContentIsNotBroughtBack() throws {
        let (backup, first, _) = try restored()
        try first.sql(
            "update roost_control set applying = 1; update person set name = 'Eve' where id = \(id(3)); update roost_control set applying = 0"
        )
        try pullAnew(first, backup, .historyChanged)
        let lost = try first.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(!lost.contains { $0.key == RecordKey(entity: 1, number: 3) })
        backup.recover(lost)
        try first.replica.broughtBack(lost)
        #expect(try first.replica.digest() == backup.digest)
        #expect(try first.texts("select name from person order by id") == ["Ana"])
    }
}

extension RecordKey {
    init(entity: UInt32, number: Int) {
        self.init(entity: EntityID(entity), id: RecordID(high: 0, low: UInt64(number)))
    }
}

extension Change.Kind {
    var base: HybridTimestamp? { if case .put(_, let base) = self { base } else { nil } }
}
