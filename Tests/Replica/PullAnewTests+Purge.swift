import Foundation
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// Records that the server has purged.
extension PullAnewTests {
    @Test func purgedRecordsAreForgottenBeforeThePagesRecords() throws {
        let (scope, _, second) = try pair()
        let created = try #require(scope.states[RecordKey(entity: 1, number: 1)])
        try second.sql("update spending set content = 'lunch'")
        let names = [1, 2].map { RecordKey(entity: 1, number: $0) } + [RecordKey(entity: 2, number: 5)]
        let report = try second.replica.apply([created], purged: names, checkpoint: [3], serverTime: nil)
        #expect(report.forgotten == 2)
        #expect(try second.texts("select name from person") == ["Ana"])
        #expect(try second.texts("select content from spending") == ["lunch"])
        var digest = ScopeDigest()
        digest.replace(SlotStamps(), with: created.stamps, of: created.key)
        #expect(try second.replica.digest() == digest)
        // The page is applied again, as after a lost commit.
        _ = try second.replica.apply([created], purged: names, checkpoint: [3], serverTime: nil)
        #expect(try second.replica.digest() == digest)
    }

    /// The server was restored, unnoticed, to a time after it had purged a record that this device undeleted since; or others
    /// deleted the record while this device was away.
    @Test func ownPutThatIsNamedAsPurgedIsInTheJournal() throws {
        let (scope, first, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let own = try #require(scope.states[key]?.put)
        _ = try first.replica.apply([], purged: [key], checkpoint: [3], serverTime: nil)
        #expect(try first.replica.journal().map(\.outcome) == [.lost])
        #expect(try first.replica.journal().map(\.put) == [own.encoded])
        // The put was not the other device's own.
        _ = try second.replica.apply([], purged: [key], checkpoint: [3], serverTime: nil)
        #expect(try second.replica.journal().isEmpty)
    }

    /// After the restore, another device created or deleted the record with an earlier stamp. It beats nothing, and is all
    /// that the server has.
    @Test(arguments: [true, false]) func ownPutThatShowsAndWasMadeAnewEarlierIsInTheJournal(isDelete: Bool) throws {
        let (scope, first, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        try first.sql("update person set name = 'Bobby' where id = \(id(2))")
        try scope.synchronise(first.replica)
        let own = try #require(scope.states[key]?.put)
        let other = try #require(scope.states[RecordKey(entity: 1, number: 1)]?.put)
        let stamp = HybridTimestamp(time: own.stamp.time - 1, replica: ReplicaID(rawValue: 9))
        let state =
            isDelete
            ? RecordState(key: key, delete: stamp)
            : RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: other.encoded))
        for _ in 0..<2 { _ = try first.replica.apply([state], purged: [key], checkpoint: [9], serverTime: nil) }
        let entry = try #require(try first.replica.journal().first { $0.key == key })
        #expect((entry.outcome, entry.stamp, entry.put) == (.lost, own.stamp, own.encoded))
        #expect(try first.replica.journal().count { $0.outcome == .lost } == 1)
        #expect(try first.texts("select name from person where id = \(id(2))") == (isDelete ? [] : ["Ana"]))
        _ = try second.replica.apply([state], purged: [key], checkpoint: [9], serverTime: nil)
        #expect(try second.replica.journal().allSatisfy { $0.outcome != .lost })
    }

    /// A record that is hidden below a parent purged with it is forgotten without a journal entry.
    @Test func ownPutThatIsPurgedWithItsParentIsInNoJournal() throws {
        let (scope, first, _) = try pair()
        _ = try first.replica.apply([], checkpoint: [1], serverTime: nil)
        let (person, spending) = (RecordKey(entity: 1, number: 1), RecordKey(entity: 2, number: 5))
        try first.sql("delete from person where id = \(id(1))")
        try scope.push(first.replica)
        #expect(try first.texts("select content from spending").isEmpty)
        _ = try first.replica.apply([], purged: [person, spending], checkpoint: [3], serverTime: nil)
        #expect(try first.replica.journal().isEmpty)
    }

    /// The record is hidden for another reason than the one for which the server has purged a record with its identifier.
    @Test func ownPutThatIsHiddenBelowSomethingElseIsInTheJournal() throws {
        let (scope, first, _) = try pair()
        _ = try first.replica.apply([], checkpoint: [1], serverTime: nil)
        let spending = RecordKey(entity: 2, number: 5)
        try first.sql("delete from person where id = \(id(1))")
        try scope.push(first.replica)
        _ = try first.replica.apply([], purged: [spending], checkpoint: [3], serverTime: nil)
        let entry = try #require(try first.replica.journal().first { $0.outcome == .lost })
        #expect(try (entry.key, entry.put) == (spending, #require(scope.states[spending]?.put).encoded))
    }

    /// Another device has used the identifier again before this device was notified that its own put was beaten, or of the
    /// purge.
    @Test func ownPutThatALaterOneBeatAfterAPurgeIsInTheJournal() throws {
        let (scope, first, _) = try pair()
        let key = RecordKey(entity: 1, number: 1)
        let own = try #require(scope.states[key]?.put)
        let stamp = HybridTimestamp(time: own.stamp.time + 1, replica: ReplicaID(rawValue: 9))
        let other = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("Another"))]))
            .encoded()
        let later = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: other))
        _ = try first.replica.apply([later], purged: [key], checkpoint: [3], serverTime: nil)
        let entry = try #require(try first.replica.journal().first)
        #expect((entry.outcome, entry.stamp, entry.by) == (.beaten, own.stamp, stamp))
        #expect(entry.put == own.encoded)
    }

    /// The put was pushed before the first pull. Others deleted it since, or the server was restored and the purged record
    /// was another one.
    @Test(arguments: 0...2) func ownPutThatTheFirstPullNamesAsPurgedIsInTheJournal(pagesBefore: UInt8) throws {
        let scope = MemoryScope()
        let device = try TemporaryReplica(TemporaryReplica.people, id: 1)
        try device.sql("insert into person(id, name) values (\(id(1)), 'Ana')")
        try scope.push(device.replica)
        let key = RecordKey(entity: 1, number: 1)
        let own = try #require(scope.states[key]?.put)
        for number in 0..<pagesBefore {
            _ = try device.replica.apply([], checkpoint: [number], serverTime: nil, isLast: false)
        }
        _ = try device.replica.apply([], purged: [key], checkpoint: [9], serverTime: nil)
        #expect(try device.texts("select name from person").isEmpty)
        let entry = try #require(try device.replica.journal().first)
        #expect((entry.outcome, entry.stamp, entry.put) == (.lost, own.stamp, own.encoded))
    }

    @Test func editOfAPurgedRecordComesBackAsGoneWithItsContent() throws {
        let (scope, _, second) = try pair()
        // The library sees one transaction, as it does for all writes of others between two settlings.
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let purged = RecordKey(entity: 1, number: 1)
        scope.purge(purged)
        try scope.push(second.replica) { changes in
            changes.contains { $0.key == purged } ? (reason: "It was purged.", isGone: true) : nil
        }
        #expect(try second.texts("select name from person order by id") == ["Bobby", "Chloé"])
        #expect(try second.replica.status().waiting == 0)
        #expect(scope.states[RecordKey(entity: 1, number: 3)] != nil)
        let entry = try #require(try second.replica.journal().first { $0.outcome == .refused })
        #expect(entry.put != nil)
        #expect(try second.replica.digest() == scope.digest)
    }

    /// A repeated push gets its first reply, from a time when the record did not exist. A page has brought a later state
    /// since.
    @Test(arguments: [true, false])
    func refusalThatIsOlderThanAPageTakesNothingAway(isGone: Bool) throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let bob = try #require(scope.states[key]?.put?.encoded)
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let sent = try second.replica.sealChanges(scope.limits)
        let stamp = HybridTimestamp(time: try #require(sent.first).stamp.time + 1, replica: ReplicaID(rawValue: 9))
        let anew = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: bob))
        let page = try second.replica.apply([anew], checkpoint: [3], serverTime: nil)
        try second.replica.acknowledge(1, [.refused("It was purged.", code: isGone ? .gone : .forbidden)], current: [])
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        #expect(try second.replica.digest() == page.digest)
        #expect(try second.replica.checkpoint() == [3])
        #expect(try second.replica.journal().contains { $0.stamp == sent.first?.stamp })
    }

    /// A page has brought a delete of the record, written after the purge: for example, by a device that did not know of it.
    @Test func refusalThatIsOlderThanAPageLeavesItsDelete() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let sent = try second.replica.sealChanges(scope.limits)
        let stamp = HybridTimestamp(time: try #require(sent.first).stamp.time + 1, replica: ReplicaID(rawValue: 9))
        scope.purge(key)
        scope.recover([RecordState(key: key, delete: stamp)])
        _ = try second.replica.apply([try #require(scope.states[key])], checkpoint: [3], serverTime: nil)
        try second.replica.acknowledge(1, [.refused("It was purged.", code: .gone)], current: [])
        #expect(try second.texts("select name from person") == ["Ana"])
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.replica.checkpoint() == [3])
    }

    /// The first reply had the server's state of its time. A page has brought a later put since, which the edit would have
    /// replaced.
    @Test func refusalThatIsOlderThanAPageShowsNoOlderContent() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let old = try #require(scope.states[key])
        let ana = try #require(scope.states[RecordKey(entity: 1, number: 1)]?.put?.encoded)
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let sent = try second.replica.sealChanges(scope.limits)
        let stamp = HybridTimestamp(time: try #require(sent.first).stamp.time - 1, replica: ReplicaID(rawValue: 9))
        scope.recover([RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: ana))])
        let all = scope.states.values.sorted { $0.key < $1.key }
        _ = try second.replica.apply(all, checkpoint: [3], serverTime: nil)
        try second.replica.acknowledge(1, [.refused("No room.", code: .quotaExceeded)], current: [old])
        _ = try second.replica.apply(all, checkpoint: [4], serverTime: nil)
        #expect(try second.texts("select name from person where id = \(id(2))") == ["Ana"])
        #expect(try second.replica.digest() == scope.digest)
    }

    /// The edit is later than the put that a page has brought since. Neither its content nor the page's stays, and a full
    /// resynchronisation follows. Neither content is taken for a change of this device.
    @Test(arguments: [true, false])
    func refusedContentIsNotSentAgainAsItsOwn(isPurgedToo: Bool) throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let bob = try #require(scope.states[key]?.put)
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let sent = try second.replica.sealChanges(scope.limits)
        let stamp = HybridTimestamp(time: bob.stamp.time + 1, replica: ReplicaID(rawValue: 9))
        let anew = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: bob.encoded))
        _ = try second.replica.apply([anew], checkpoint: [3], serverTime: nil)
        if isPurgedToo { scope.purge(key) }
        try second.replica.acknowledge(1, [.refused("It was purged.", code: .gone)], current: [])
        let left = """
            select 'fact' from roost_fact where id = \(id(2)) union all select 'hidden' from roost_hidden_person
            """
        #expect(try second.replica.checkpoint() == nil)
        #expect(try second.texts("select name from person") == ["Ana"])
        #expect(try second.texts(left) == [])
        #expect(try second.replica.journal().contains { $0.stamp == sent.first?.stamp })
        // This record is purged too, and a full resynchronisation no longer reports the purge.
        scope.purge(RecordKey(entity: 1, number: 1))
        try scope.synchronise(second.replica)
        #expect(try second.texts("select name from person") == (isPurgedToo ? [] : ["Bob"]))
        #expect(try second.replica.digest() == scope.digest)
    }

    /// The size of a reply is limited: a record that is missing in it may exist nevertheless.
    @Test func editOfARecordThatTheReplyHadNoRoomForIsSentAgain() throws {
        let (scope, _, second) = try pair()
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        scope.purge(RecordKey(entity: 1, number: 1))
        let sent = try second.replica.sealChanges(scope.limits)
        let index = try #require(sent.firstIndex { $0.key == RecordKey(entity: 1, number: 1) })
        try second.replica.acknowledge(
            1, [.refused("It was purged.", code: .gone, at: index)], current: [], isWhole: false)
        #expect(try second.replica.status().waiting == 1)
        #expect(try second.replica.journal().filter { $0.outcome == .refused }.map(\.key.id) == [sent[index].key.id])
        try scope.push(second.replica)
        #expect(try second.texts("select name from person") == ["Bobby"])
        #expect(try second.replica.digest() == scope.digest)
    }

    /// The resent changes need later stamps than those stored from their push.
    @Test func deleteOfAPurgedRecordIsSentAgainWithANewStamp() throws {
        let (scope, _, second) = try pair()
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try second.sql("delete from person where id = \(id(1))")
        let purged = RecordKey(entity: 1, number: 1)
        scope.purge(purged)
        var deletes: [HybridTimestamp] = []
        try scope.push(second.replica) { changes in
            deletes += changes.filter { $0.kind == .delete }.map(\.stamp)
            return changes.contains { $0.kind.base != nil } ? (reason: "It was purged.", isGone: true) : nil
        }
        #expect(deletes.count == 2)
        #expect(deletes.last != deletes.first)
        #expect(try second.replica.status().waiting == 0)
    }

    /// A put leaves the outbox when a later one comes. If the later one was purged before the put arrives, the put is
    /// current.
    @Test func putThatIsCurrentAfterAllIsShown() throws {
        let scope = MemoryScope()
        let first = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try second.sql("insert into person(id, name) values (\(id(3)), 'Chloé')")
        try first.sql("insert into person(id, name) values (\(id(3)), 'Clara')")
        try scope.synchronise(first.replica)
        let key = RecordKey(entity: 1, number: 3)
        let others = try #require(scope.states[key])
        scope.purge(key)
        var isUnderWay = true
        try scope.push(second.replica) { _ in
            guard isUnderWay else { return nil }
            isUnderWay = false
            #expect(throws: Never.self) {
                _ = try second.replica.apply([others], checkpoint: [1], serverTime: nil)
                _ = try second.replica.apply([], purged: [key], checkpoint: [2], serverTime: nil)
            }
            return nil
        }
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.texts("select name from person") == ["Chloé"])
    }

    /// A repeated push gets its first reply. A put that a page has brought since stays on the server, whatever that reply
    /// says. Its content was replaced by the edit, and is pulled again.
    @Test func refusalThatIsOlderThanAPageForgetsNothingThatThePageBrought() throws {
        let (scope, _, second) = try pair()
        let key = RecordKey(entity: 1, number: 2)
        let bob = try #require(scope.states[key]?.put?.encoded)
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let sent = try second.replica.sealChanges(scope.limits)
        // Later than the base of the edit, and earlier than the edit.
        let stamp = HybridTimestamp(time: try #require(sent.first).stamp.time - 1, replica: ReplicaID(rawValue: 9))
        scope.recover([RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: bob))])
        let all = scope.states.values.sorted { $0.key < $1.key }
        _ = try second.replica.apply(all, checkpoint: [3], serverTime: nil)
        try second.replica.acknowledge(1, [.refused("It was purged.", code: .gone)], current: [])
        #expect(try second.replica.checkpoint() == nil)
        _ = try second.replica.apply(all, checkpoint: [4], serverTime: nil)
        #expect(try second.texts("select name from person order by id") == ["Ana", "Bob"])
        #expect(try second.replica.digest() == scope.digest)
    }

    /// Resending with a later stamp must not undo another device's later delete.
    @Test func editThatALaterDeleteBeatsIsNotSentAgain() throws {
        let (scope, first, second) = try pair()
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let purged = RecordKey(entity: 1, number: 1)
        let deleted = RecordKey(entity: 1, number: 2)
        scope.purge(purged)
        // Stamps have a resolution of milliseconds.
        Thread.sleep(forTimeInterval: 0.005)
        try first.sql("delete from person where id = \(id(2))")
        try scope.push(first.replica)
        let state = try #require(scope.states[deleted])
        try scope.push(second.replica) { changes in
            guard changes.contains(where: { $0.key == purged }) else { return nil }
            #expect(throws: Never.self) { _ = try second.replica.apply([state], checkpoint: [1], serverTime: nil) }
            return (reason: "It was purged.", isGone: true)
        }
        #expect(try second.texts("select name from person") == [])
        #expect(scope.states[deleted] == state)
        let entry = try #require(try second.replica.journal().first { $0.key == deleted && $0.outcome == .beaten })
        #expect(entry.put != nil)
        #expect(entry.by == state.delete)
        #expect(try second.replica.status().waiting == 0)
        #expect(try second.replica.digest() == scope.digest)
    }

    /// A resent edit gets a new stamp. A delete that was written meanwhile stays the later one.
    @Test func deleteWrittenSinceStaysAfterTheEditThatIsSentAgain() throws {
        let (scope, _, second) = try pair()
        try second.sql("update person set name = 'Anna' where id = \(id(1))")
        try second.sql("update person set name = 'Bobby' where id = \(id(2))")
        let purged = RecordKey(entity: 1, number: 1)
        scope.purge(purged)
        try scope.push(second.replica) { changes in
            guard changes.contains(where: { $0.key == purged }) else { return nil }
            #expect(throws: Never.self) { try second.sql("delete from person where id = \(id(2))") }
            return (reason: "It was purged.", isGone: true)
        }
        #expect(try second.texts("select name from person") == [])
        #expect(scope.states[RecordKey(entity: 1, number: 2)]?.stamps.own == .deleted)
        #expect(try second.replica.digest() == scope.digest)
    }
}
