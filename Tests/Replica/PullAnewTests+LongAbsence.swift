import CSQLite
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Records that a replica forgets after an absence longer than the horizon, and the journal entries about them.
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

    /// Records may have been purged, or lost in a restore of the server: after a long absence the two cannot be
    /// distinguished.
    @Test func ownChangesThatTheServerDoesNotHaveAfterALongAbsenceAreInTheJournal() throws {
        let (scope, first, second) = try pair()
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try second.sql("delete from person where id = \(id(2))")
        try second.sql("insert into person(id, name) values (\(id(4)), 'Dan')")
        try second.sql("delete from person where id = \(id(4))")
        try scope.synchronise(second.replica)
        // The server still has the record that was deleted here, and neither of the two that were created here.
        let made = [3, 4].map { RecordKey(entity: 1, number: $0) }
        let kept = scope.states.filter { !made.contains($0.key) }
            .mapValues { RecordState(key: $0.key, put: $0.put) }
        try pullAnew(second, MemoryScope(kept), .expired)
        let entries = try second.replica.journal().filter { $0.outcome == .lost }
        #expect(Set(entries.map(\.key)) == Set([2, 3, 4].map { RecordKey(entity: 1, number: $0) }))
        #expect(entries.filter { $0.put != nil }.map(\.key) == [made[0]])
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        // Changes of other devices get no journal entry here.
        try pullAnew(second, MemoryScope(), .expired)
        #expect(try second.replica.journal().count { $0.outcome == .lost } == 3)
        _ = first
    }

    /// A restored server has lost the record with its delete, and only this device knows the delete. The record is visible
    /// again when another device brings it back.
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

    /// Only this device has the content of an untracked write to a record that was purged meanwhile.
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
