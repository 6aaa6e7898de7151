import CSQLite
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// What a replica forgets that was away for longer than the horizon, and what its journal says of that.
extension PullAnewTests {
    @Test func whatTheServerPurgedIsForgottenAfterALongAbsenceAndCreatesSurvive() throws {
        let (_, _, second) = try pair()
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        let report = try pullAnew(second, MemoryScope(), .expired)
        #expect(report.forgotten == 3)
        #expect(try second.texts("select name from person") == ["Chloé"])
        #expect(try second.replica.digest() == ScopeDigest())
        #expect(try second.replica.lostCount() == 0)
    }

    /// Purged, or lost by a server that was put back: after a long absence nothing tells the two apart.
    @Test func ownChangesThatTheServerDoesNotHaveAfterALongAbsenceAreInTheJournal() throws {
        let (scope, first, second) = try pair()
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try second.sql("delete from person where id = \(id(2))")
        try second.sql("insert into person(id, name) values (\(id(4)), 'Dan')")
        try second.sql("delete from person where id = \(id(4))")
        try scope.synchronise(second.replica)
        // The server still has the record that was deleted here, and nothing of the two that were made here.
        let made = [3, 4].map { RecordKey(entity: 1, number: $0) }
        let kept = scope.states.filter { !made.contains($0.key) }
            .mapValues { RecordState(key: $0.key, put: $0.put) }
        try pullAnew(second, MemoryScope(kept), .expired)
        let entries = try second.replica.journal().filter { $0.outcome == .lost }
        #expect(Set(entries.map(\.key)) == Set([2, 3, 4].map { RecordKey(entity: 1, number: $0) }))
        #expect(entries.filter { $0.put != nil }.map(\.key) == [made[0]])
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        // What others brought is none of this device's business.
        try pullAnew(second, MemoryScope(), .expired)
        #expect(try second.replica.journal().count { $0.outcome == .lost } == 3)
        _ = first
    }

    /// A restored server has lost the record with its delete, and nobody but this device knows of that: the record shows again when
    /// another one brings it back.
    @Test func ownDeleteThatALongAbsenceForgetsIsInTheJournalWhenTheRecordComesBack() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let held = try #require(scope.states[key])
        try second.sql("delete from person where id = \(id(2))")
        try scope.synchronise(second.replica)
        let delete = try #require(scope.states[key]?.delete)
        try pullAnew(second, MemoryScope(scope.states.filter { $0.key != key }), .expired)
        #expect(try second.texts("select name from person") == ["Ana"])
        _ = try second.replica.apply([held], checkpoint: [3], serverTime: nil)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        #expect(try second.replica.journal().map(\.stamp) == [delete])
        #expect(try second.replica.journal().map(\.outcome) == [.lost])
    }

    @Test func ownDeleteThatALaterPutBeatDuringALongAbsenceIsNotLost() throws {
        let (scope, first, second) = try pair()
        try second.sql("delete from person where id = \(id(2))")
        try scope.synchronise(second.replica)
        let deleted = try #require(scope.states[RecordKey(entity: 1, number: 2)])
        let bob = try #require(deleted.put?.encoded)
        let stamp = HybridTimestamp(time: try #require(deleted.delete).time + 1, replica: ReplicaID(rawValue: 9))
        scope.recover([RecordState(key: deleted.key, put: .init(stamp: stamp, base: nil, encoded: bob))])
        try pullAnew(second, scope, .expired)
        let entry = try #require(try second.replica.journal().first)
        #expect((entry.outcome, entry.stamp, entry.by) == (.beaten, deleted.delete, stamp))
        #expect(try second.replica.journal().count == 1)
        _ = first
    }

    /// No other device has what was written past the triggers over a record that was purged meanwhile.
    @Test func untrackedContentOfWhatWasPurgedIsInTheJournal() throws {
        let (_, first, second) = try pair()
        try second.plain.writeWithoutTransaction { database in
            _ = csqlite_enable_triggers(try #require(database.sqliteConnection), 0)
            try database.execute(sql: "update person set name = 'unseen' where id = \(id(1))")
        }
        try pullAnew(second, MemoryScope(), .expired)
        let entry = try #require(try second.replica.journal().first)
        #expect(entry.key == RecordKey(entity: 1, number: 1))
        #expect(entry.put.map { String(decoding: $0, as: UTF8.self).contains("unseen") } == true)
        _ = first
    }
}
