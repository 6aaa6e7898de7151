import Foundation
import GRDB
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// Where records go back to when the server refuses changes of them.
@Suite struct ReversalTests {
    private let file: TemporaryReplica
    private let other: TemporaryReplica
    private let scope = MemoryScope()
    private let key = RecordKey(entity: 1, number: 1)

    /// Both hold Ana, and a spending of hers.
    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
        other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql("INSERT INTO spending(id, content, person) VALUES (\(id(5)), 'tea', \(id(1)))")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
    }

    private func refuseAll() throws { try scope.push(file.replica, atMost: 1) { _ in ("No.", false) } }

    /// Another device's edit beats one of this device's that it has not seen; what this one writes then is refused.
    private func refuseAfterABlindEdit(_ write: String) throws {
        try file.sql("UPDATE person SET name = 'mine'")
        try scope.push(file.replica)
        try other.sql("UPDATE person SET name = 'theirs'")
        try scope.push(other.replica)
        try file.sql(write)
        try refuseAll()
        try scope.pull(file.replica)
    }

    /// The server is put back to before it had Ana, who waits to be brought back.
    private func putBack() throws -> MemoryScope {
        let states = scope.states.filter { $0.key != key }
        try file.replica.pullAnew(.historyChanged)
        _ = try file.replica.apply(Array(states.values), checkpoint: [2], serverTime: nil)
        return MemoryScope(states)
    }

    private func names() throws -> [String] { try file.texts("SELECT name FROM person") }

    /// The reply is a page's word: slots and content.
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

    /// The server's content is deleted there: it was shown until the next page came.
    @Test func theServersDeleteHides() throws {
        try other.sql("UPDATE person SET name = 'theirs'; DELETE FROM person")
        try scope.push(other.replica)
        try file.sql("UPDATE person SET name = 'mine'")
        try refuseAll()
        #expect(try names() == [])
        #expect(try file.replica.digest() == scope.digest)
    }

    /// The put that another device's blind edit has beaten was only deleted here: the journal gets its content, and not the other's.
    @Test func aBeatenPutIsJournaledWithItsOwnContent() throws {
        try refuseAfterABlindEdit("DELETE FROM person")
        #expect(try names() == ["theirs"])
        let beaten = try file.replica.journal().filter { $0.outcome == .beaten }
        #expect(beaten.count == 1)
        #expect(beaten.first?.put.map { String(decoding: $0, as: UTF8.self).contains("mine") } == true)
    }

    /// What was edited here and refused has gone to the journal as that; the put before it was given up by its author.
    @Test func anEditedPutIsNotJournaledWithWhatWasRefused() throws {
        try refuseAfterABlindEdit("UPDATE person SET name = 'later'")
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
    }

    /// The server was put back, and nobody has noticed: the content is here, so nothing is given up.
    @Test func aRefusedDeleteLeavesWhatTheServerDoesNotHave() throws {
        scope.purge(key)
        try file.sql("DELETE FROM person")
        try refuseAll()
        #expect(try names() == ["Ana"])
        #expect(try file.texts("SELECT content FROM spending") == ["tea"])
        #expect(try file.replica.checkpoint() == file.replica.startOfPull().checkpoint)
        #expect(try file.replica.check().isSound)
    }

    /// It waits to be brought back to a server that was put back: so it does after the edit was refused.
    @Test(arguments: ["UPDATE person SET name = 'later'", "DELETE FROM person"])
    func whatWaitsToBeBroughtBackIsNotLost(_ write: String) throws {
        let backup = try putBack()
        try file.sql(write)
        try backup.push(file.replica, atMost: 1) { _ in ("No.", false) }
        #expect(try names() == ["Ana"])
        let lost = try file.replica.nextLost(limit: 9, bytesMax: .max)
        #expect(lost.map(\.put?.encoded) == [scope.states[key]?.put?.encoded])
    }

    /// A device has deleted what waits to be brought back, and the server takes nothing back: the delete stands.
    @Test func surrenderUndoesNoDelete() throws {
        let backup = try putBack()
        try file.sql("DELETE FROM person")
        let (journaled, renewed) = try file.replica.giveUpLost(mayWrite: true)
        #expect((journaled, renewed) == (1, 0))
        try backup.push(file.replica)
        #expect(try names() == [])
        #expect(backup.states[key]?.put == nil)
    }

    /// Of a transaction in several pushes nobody sees a part: neither the others, nor the author once the first part is refused.
    @Test(arguments: [false, true])
    func theRestOfARefusedTransactionGoesWithIt(isStampedAnew: Bool) throws {
        try file.sql("INSERT INTO person(name) VALUES ('1'), ('2'), ('3'), ('4'), ('5'), ('6'), ('7')")
        try file.replica.write("add another") {
            try $0.put("Person", id: RecordID(high: 0, low: 9), ["name": .text("9")])
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
        // The server counts on it, and refuses it too.
        let second = try #require(try next())
        #expect(second.number == first.number + 1)
        #expect(try file.replica.sealPushes(limits: limits) != .leftParts)
        if isStampedAnew {
            // What comes next would be refused in the place of the rest.
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

    /// The columns of a put in an unusual form do not give it again, and what is kept beside them does.
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
