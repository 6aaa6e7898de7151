import Foundation
import GRDB
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// The state that records revert to when the server refuses changes of them.
@Suite struct ReversalTests {
    private let file: TemporaryReplica
    private let other: TemporaryReplica
    private let scope = MemoryScope()
    private let key = RecordKey(entity: 1, number: 1)

    /// Makes two replicas with Ana and a spending of hers.
    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql("INSERT INTO spending(id, content, person) VALUES (\(id(5)), 'tea', \(id(1)))")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
    }

    private func refuseAll() throws { try scope.push(file.replica, atMost: 1) { _ in ("No.", false) } }

    /// Lets another device's blind edit beat one of this device's, and the server refuse this device's next write.
    private func refuseAfterABlindEdit(_ write: String) throws {
        try file.sql("UPDATE person SET name = 'mine'")
        try scope.push(file.replica)
        try other.sql("UPDATE person SET name = 'theirs'")
        try scope.push(other.replica)
        try file.sql(write)
        try refuseAll()
        try scope.pull(file.replica)
    }

    /// Restores the server to before it had Ana, who waits to be brought back.
    private func putBack() throws -> MemoryScope {
        let states = scope.states.filter { $0.key != key }
        try file.replica.pullAnew(.historyChanged)
        _ = try file.replica.apply(Array(states.values), checkpoint: [2], serverTime: nil)
        return MemoryScope(states)
    }

    private func names() throws -> [String] { try file.texts("SELECT name FROM person") }

    /// The reply counts like a page: slots and content.
    @Test func theServersEditStandsAndIsConfirmed() throws {
        try other.sql("UPDATE person SET name = 'theirs'")
        try scope.push(other.replica)
        try file.sql("UPDATE person SET name = 'mine'")
        try refuseAll()
        #expect(try names() == ["theirs"])
        #expect(try file.replica.digest() == scope.digest)
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
    }

    /// The server has deleted the content, which must be hidden before the next page comes.
    @Test func theServersDeleteHides() throws {
        try other.sql("UPDATE person SET name = 'theirs'; DELETE FROM person")
        try scope.push(other.replica)
        try file.sql("UPDATE person SET name = 'mine'")
        try refuseAll()
        #expect(try names() == [])
        #expect(try file.replica.digest() == scope.digest)
    }

    /// Another device's blind edit has beaten the put, which was deleted only here. The journal gets the put's content, and
    /// not the other's.
    @Test func aBeatenPutIsJournaledWithItsOwnContent() throws {
        try refuseAfterABlindEdit("DELETE FROM person")
        #expect(try names() == ["theirs"])
        let beaten = try file.replica.journal().filter { $0.outcome == .beaten }
        #expect(beaten.count == 1)
        #expect(beaten.first?.put.map { String(decoding: $0, as: UTF8.self).contains("mine") } == true)
    }

    /// The refused edit has its own journal entry. Its author had replaced the put before it.
    @Test func anEditedPutIsNotJournaledWithWhatWasRefused() throws {
        try refuseAfterABlindEdit("UPDATE person SET name = 'later'")
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
    }

    /// The server was restored, unnoticed. The content is still here, so that nothing is discarded.
    @Test func aRefusedDeleteLeavesWhatTheServerDoesNotHave() throws {
        scope.purge(key)
        try file.sql("DELETE FROM person")
        try refuseAll()
        #expect(try names() == ["Ana"])
        #expect(try file.texts("SELECT content FROM spending") == ["tea"])
        #expect(try file.replica.checkpoint() == file.replica.startOfPull().checkpoint)
        #expect(try file.replica.check().isSound)
    }

    /// A refused edit, of which only the server has the confirmed content, starts a full resynchronisation while the
    /// next push is sealed already. That one deletes another device's record, whose content stays.
    @Test func aRefusalTakesNothingFromTheNextPush() throws {
        try other.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        let bob = RecordKey(entity: 1, number: 2)
        let rest = scope.states.values.filter { $0.key != bob }
        try file.replica.write("edit") { try $0.put("Person", id: key.id, ["name": .string("Anna")]) }
        try file.replica.write("delete") { try $0.delete("Person", id: bob.id) }
        var limits = scope.limits
        limits.changesPerPush = 1
        try file.replica.sealPushes(limits: limits)
        #expect(try file.replica.sealedPushes().count == 2)
        try scope.push(file.replica, atMost: 1, sendsCurrent: false) { _ in ("No.", false) }
        #expect(try file.replica.status().pullingAnew == .refused)
        _ = try file.replica.apply(rest, checkpoint: [1], serverTime: nil, isLast: false)
        try scope.push(file.replica)
        _ = try file.replica.apply([], checkpoint: [2], serverTime: nil)
        #expect(try names() == ["Ana"])
        #expect(try file.texts("SELECT name FROM roost_hidden_person") == ["Bob"])
        #expect(try file.replica.digest() == scope.digest)
    }

    /// The reason lasts until the last page. The file stores a reason that earlier programs know.
    @Test func aRefusalIsTheReasonOfAFullResynchronisation() throws {
        try file.replica.write("edit") { try $0.put("Person", id: key.id, ["name": .string("Anna")]) }
        try scope.push(file.replica, atMost: 1, sendsCurrent: false) { _ in ("No.", false) }
        #expect(try file.replica.status().pullingAnew == .refused)
        #expect(try file.texts("SELECT pulling_anew FROM roost_control") == ["differs"])
        let report = try file.replica.apply(Array(scope.states.values), checkpoint: [2], serverTime: nil)
        #expect(report.pulledAnew == .refused)
        #expect(try names() == ["Ana"])
        try file.replica.pullAnew(.differs)
        #expect(try file.replica.status().pullingAnew == .differs)
    }

    /// Only the server has the content that was edited. Until a page brings it, the user's own column keeps its value, also in a
    /// row that was hidden with its parent.
    @Test(arguments: [false, true]) func aRefusalKeepsTheUsersColumns(isHidden: Bool) throws {
        try file.sql("ALTER TABLE spending ADD COLUMN mood TEXT; UPDATE spending SET mood = 'good'")
        // The columns of a hidden row are kept once Roost has seen them.
        _ = try file.replica.status()
        try file.sql("UPDATE spending SET content = 'coffee'\(isHidden ? "; DELETE FROM person" : "")")
        try file.replica.sealPushes(limits: scope.limits)
        let changes = try #require(try file.replica.sealedPushes().first).changes
        #expect(changes.count == (isHidden ? 2 : 1))
        try scope.push(file.replica, atMost: 1, sendsCurrent: false) { _ in ("No.", false) }
        #expect(try file.replica.status().pullingAnew == .refused)
        _ = try file.replica.apply(Array(scope.states.values), checkpoint: [2], serverTime: nil)
        #expect(try file.texts("SELECT content || ' ' || mood FROM spending") == ["tea good"])
        #expect(try file.texts("SELECT id FROM roost_hidden_spending") == [])
    }

    /// The record waits to be brought back to a restored server, and still does after the edit was refused.
    @Test(arguments: ["UPDATE person SET name = 'later'", "DELETE FROM person"])
    func whatWaitsToBeBroughtBackIsNotLost(_ write: String) throws {
        let backup = try putBack()
        try file.sql(write)
        try backup.push(file.replica, atMost: 1) { _ in ("No.", false) }
        #expect(try names() == ["Ana"])
        let lost = try file.replica.nextLost(limit: 9, bytesMax: .max)
        #expect(lost.map(\.put?.encoded) == [scope.states[key]?.put?.encoded])
    }

    /// A device has deleted a record that waits to be brought back, and the server takes nothing back: the delete stays.
    @Test func surrenderUndoesNoDelete() throws {
        let backup = try putBack()
        try file.sql("DELETE FROM person")
        let (journaled, renewed) = try file.replica.giveUpLost(mayWrite: true)
        #expect((journaled, renewed) == (1, 0))
        try backup.push(file.replica)
        #expect(try names() == [])
        #expect(backup.states[key]?.put == nil)
    }

    /// No replica sees a part of a transaction in several pushes: neither the others, nor the author after the first part was
    /// refused.
    @Test(arguments: [false, true])
    func theRestOfARefusedTransactionGoesWithIt(isStampedAnew: Bool) throws {
        try file.sql("INSERT INTO person(name) VALUES ('1'), ('2'), ('3'), ('4'), ('5'), ('6'), ('7')")
        try file.replica.write("add another") {
            try $0.put("Person", id: RecordID(high: 0, low: 9), ["name": .string("9")])
        }
        let limits = PushLimits(
            changesPerPush: 2, bytesPerPush: 1 << 20, changesPerTransaction: 100, bytesPerTransaction: 1 << 20)
        func next() throws -> PushRequest? {
            try file.replica.sealPushes(limits: limits).push.map { try PushRequest(protobuf: $0.body) }
        }
        let first = try #require(try next())
        #expect(first.transactions.last?.continues == true)
        try file.replica.acknowledge(first.number, [.refused("Too large.", code: .tooLarge)], current: [])
        #expect(try names().sorted() == ["9", "Ana"])
        #expect(try file.replica.journal().count == 7)
        // The server expects the rest of the transaction, and refuses it too.
        let second = try #require(try next())
        #expect(second.number == first.number + 1)
        #expect(try file.replica.sealPushes(limits: limits) != .leftParts)
        if isStampedAnew {
            // Without the rest, the server would refuse the next push in its place.
            try file.replica.restamp(serverTime: UInt64(Date().timeIntervalSince1970 * 1000))
            for reason in [SealingReason.look, .localChange] {
                #expect(try file.replica.sealPushes(limits: limits, after: reason) == .leftParts)
            }
            return
        }
        var last = second
        while last.transactions.first?.continues == true {
            try file.replica.acknowledge(last.number, [.refused("The rest.")], current: [])
            last = try #require(try next())
        }
        #expect(last.transactions.count == 2)
        try file.replica.acknowledge(last.number, [.refused("The rest."), .stored], current: [])
        #expect(try file.replica.journal().map(\.reason) == Array(repeating: "Too large. (too_large)", count: 7))
        #expect(try !file.replica.sessionStart().hasWaitingChanges)
        #expect(try names().sorted() == ["9", "Ana"])
        #expect(try next() == nil)
    }

    /// The columns of an unusual put do not reproduce it, but the data stored next to them does.
    @Test func anUnusualPutIsBroughtBackAsItWas() throws {
        let unusual = RecordKey(entity: 2, number: 7)
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let bytes = try #require(UnusualPut.all.first { $0.description == "negative zero" }).bytes
        let state = RecordState(key: unusual, put: .init(stamp: stamp, base: nil, encoded: bytes))
        _ = try file.replica.apply([state], checkpoint: [3], serverTime: nil)
        try file.replica.pullAnew(.historyChanged)
        _ = try file.replica.apply(Array(scope.states.values), checkpoint: [4], serverTime: nil)
        #expect(try file.replica.lostCount() == 1)
        #expect(try file.replica.journal() == [])
        #expect(try file.replica.content(of: unusual) == bytes)
    }
}
