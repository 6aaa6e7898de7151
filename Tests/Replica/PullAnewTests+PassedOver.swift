import Replica
import RoostModel
import TestScope
import Testing

/// Records that a restored server does not take back because it has purged them before.
extension PullAnewTests {
    /// Makes a server with two persons, the second of whom was deleted, restored to the time just after her purge.
    private func purged() throws -> (backup: MemoryScope, second: TemporaryReplica, deleted: RecordState) {
        let (scope, first, second) = try pair()
        try first.sql("delete from person where id = \(id(2))")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        let deleted = try #require(scope.states[RecordKey(entity: 1, number: 2)])
        return (MemoryScope(scope.states.filter { $0.key != deleted.key }), second, deleted)
    }

    /// Only a delete of the record waits to be brought back. The record was created again since, and is visible.
    @Test func ownPutThatIsPurgedWhileAnOlderDeleteWaitsToComeBackIsInTheJournal() throws {
        let (scope, first, _) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let restored = MemoryScope(scope.states)
        try first.sql("delete from person where id = \(id(2))")
        try scope.synchronise(first.replica)
        #expect(try pullAnew(first, restored, .historyChanged).lost == 1)
        try first.sql("insert into person(id, name) values (\(id(2)), 'Bobby')")
        try restored.push(first.replica)
        let own = try #require(restored.states[key]?.put)
        _ = try first.replica.apply([], purged: [key], checkpoint: [9], serverTime: nil)
        #expect(try first.texts("select name from person") == ["Ana"])
        let entry = try #require(try first.replica.journal().first { $0.outcome == .lost })
        #expect((entry.key, entry.stamp, entry.put) == (key, own.stamp, own.encoded))
    }

    /// The server may have purged exactly this record. If the replica kept it, its content would differ from the server's
    /// permanently.
    @Test func whatTheServerPassesOverAsPurgedIsForgotten() throws {
        let (backup, second, deleted) = try purged()
        #expect(try pullAnew(second, backup, .historyChanged).lost == 1)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost.map(\.stamps) == [deleted.stamps])
        try second.replica.broughtBack(lost, purged: [deleted.key])
        #expect(try second.count("select count(*) from roost_hidden_person") == 0)
        let rest = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        backup.recover(rest)
        try second.replica.broughtBack(rest)
        #expect(try second.replica.lostCount() == 0)
        #expect(try second.replica.digest() == backup.digest)
        #expect(try pullAnew(second, backup, .differs).lost == 0)
    }

    /// The record was created again and deleted after the purge, long ago. A device that does not know of that creates it
    /// once more, with a lesser stamp.
    @Test(arguments: [true, false]) func deleteOfWhatIsPassedOverIsBroughtBackAlone(isMadeAnewBefore: Bool) throws {
        let (backup, second, deleted) = try purged()
        var anew = RecordState(key: deleted.key, put: deleted.put)
        anew.put?.stamp = HybridTimestamp(
            time: try #require(deleted.put).stamp.time - 1, replica: ReplicaID(rawValue: 3))
        if isMadeAnewBefore { backup.recover([anew]) }
        try pullAnew(second, backup, .historyChanged)
        try second.replica.broughtBack(
            try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20), purged: [deleted.key])
        #expect(try second.texts("select name from person") == ["Ana"])
        if !isMadeAnewBefore {
            backup.recover([anew])
            _ = try second.replica.apply([anew], checkpoint: [3], serverTime: nil)
            #expect(try second.texts("select name from person") == ["Ana"])
        }
        let rest = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(rest == [RecordState(key: deleted.key, delete: deleted.delete)])
        backup.recover(rest)
        try second.replica.broughtBack(rest)
        #expect(try second.replica.digest() == backup.digest)
        #expect(try second.texts("select name from person") == ["Ana"])
    }

    /// A restored server cannot tell a purged record from one that was created under its identifier long ago.
    @Test(arguments: [true, false]) func putThatIsPassedOverAsPurgedIsInTheJournal(isOwn: Bool) throws {
        let (scope, first, second) = try pair()
        let holder = isOwn ? first : second
        let key = RecordKey(entity: 1, number: 2)
        let put = try #require(scope.states[key]?.put)
        #expect(try pullAnew(holder, MemoryScope(scope.states.filter { $0.key != key }), .historyChanged).lost == 1)
        let lost = try holder.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        try holder.replica.broughtBack(lost, purged: [key])
        #expect(try holder.texts("select name from person") == ["Ana"])
        let entry = try #require(try holder.replica.journal().first)
        #expect((entry.key, entry.outcome, entry.stamp) == (key, .lost, put.stamp))
        #expect(entry.put == put.encoded)
    }

    /// The server shows an older put of the record, which another device has created again since.
    @Test func putThatIsPassedOverForAnOlderOneIsInTheJournal() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let put = try #require(scope.states[key]?.put)
        var older = try #require(scope.states[RecordKey(entity: 1, number: 1)]?.put)
        older.stamp = HybridTimestamp(time: put.stamp.time - 1, replica: ReplicaID(rawValue: 3))
        let backup = MemoryScope(scope.states.merging([key: RecordState(key: key, put: older)]) { $1 })
        #expect(try pullAnew(second, backup, .historyChanged).lost == 1)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        try second.replica.broughtBack(lost, purged: [key])
        #expect(try second.texts("select name from person") == ["Ana", "Ana"])
        #expect(try second.replica.digest() == backup.digest)
        let entry = try #require(try second.replica.journal().first)
        #expect((entry.outcome, entry.stamp, entry.put) == (.lost, put.stamp, put.encoded))
    }

    /// Another device has created the purged record again on the server, which still skips the old delete.
    @Test func recordMadeAnewStaysWhenItsOldDeleteIsPassedOver() throws {
        let (scope, first, second) = try pair()
        try first.sql("delete from person where id = \(id(2))")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        let key = RecordKey(entity: 1, number: 2)
        let old = try #require(scope.states[key])
        var anew = RecordState(key: key, put: old.put)
        anew.put?.stamp = HybridTimestamp(time: try #require(old.delete).time + 1, replica: ReplicaID(rawValue: 3))
        let backup = MemoryScope(scope.states.merging([key: anew]) { $1 })
        #expect(try pullAnew(second, backup, .historyChanged).lost == 1)
        let lost = try second.replica.nextLost(limit: 1000, bytesMax: 1 << 20)
        #expect(lost == [RecordState(key: key, delete: old.delete)])
        try second.replica.broughtBack(lost, purged: [key])
        #expect(try second.replica.digest() == backup.digest)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
    }
}
