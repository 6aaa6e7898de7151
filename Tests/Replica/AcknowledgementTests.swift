import GRDB
import RoostModel
import RoostProtocol
import TestScope
import Testing

@testable import Replica

/// The pending changes after the server has accepted a push, and the base that the next push names.
@Suite struct AcknowledgementTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string", "optional": true}]}]}
        """
    private static let limits = PushLimits(
        changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)

    private let file: TemporaryReplica

    init() throws { file = try TemporaryReplica(Self.schema) }

    /// Acknowledges a push as stored by the server, if it is still sealed.
    private func acknowledge(_ number: UInt64) throws {
        let push = try file.replica.sealedPushes().first { $0.number == number }
        let results = push?.transactions.map { _ in PushReply.Result.stored } ?? []
        try file.replica.acknowledge(number, results, current: [])
    }

    private func waiting() throws -> Int {
        try file.texts("SELECT 1 FROM roost_outbox").count
    }

    @Test func nothingIsLeftOfWhatStoodAlone() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana'), ('Bob')")
        let sent = try file.replica.sealChanges(Self.limits)
        try acknowledge(1)
        #expect(sent.count == 2)
        #expect(try waiting() == 0)
        #expect(try file.replica.sealChanges(Self.limits).isEmpty)
    }

    /// An edit of a change in flight names the sent put as its base. The server must not take it for a blind edit.
    @Test(arguments: [1, 2, 3])
    func editMadeMeanwhileNamesWhatWasSent(times: Int) throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        var sent = try file.replica.sealChanges(Self.limits)
        for number in 1...times {
            let first = try #require(sent.first)
            try file.sql("UPDATE person SET name = 'Ana \(number)'")
            try acknowledge(UInt64(number))
            #expect(try waiting() == 1)
            sent = try file.replica.sealChanges(Self.limits)
            guard case .put(_, let base) = sent.first?.kind else {
                Issue.record("An edit was to be sent, and not \(sent).")
                return
            }
            #expect(base == first.stamp)
        }
    }

    /// The put of a record and its delete share one outbox entry, and each is removed separately.
    @Test func deleteMadeMeanwhileIsSentNext() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.sealPushes(limits: Self.limits)
        try file.sql("DELETE FROM person")
        try acknowledge(1)
        #expect(try waiting() == 1)
        let next = try file.replica.sealChanges(Self.limits)
        #expect(next.map(\.kind) == [.delete])
        try acknowledge(2)
        #expect(try waiting() == 0)
    }

    /// A BEFORE trigger of an insert that did nothing has marked a record in flight. The mark has no effect, even while the
    /// next push is in flight: an edit made elsewhere wins.
    @Test func markOfWhatWasUnderWayBeatsNobody() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        let first = try file.replica.sealChanges(Self.limits)
        let ana = try #require(first.first)
        try file.sql("INSERT INTO person(name) VALUES ('Bob')")
        try file.sql(
            "INSERT INTO person(id, name) SELECT id, 'Eve' FROM person WHERE name = 'Ana' ON CONFLICT DO NOTHING")
        try acknowledge(1)
        var one = Self.limits
        one.changesPerPush = 1
        let second = try file.replica.sealChanges(one)
        #expect(second.count == 1 && second.first?.key != ana.key)
        let other = try TemporaryReplica(Self.schema)
        try other.sql("INSERT INTO person(name) VALUES ('Ana of another device')")
        let edited = try #require(try other.replica.sealChanges(Self.limits).first?.encodedPut)
        let edit = RecordState.PutSlot(
            stamp: HybridTimestamp(time: ana.stamp.time + 1, replica: ReplicaID(rawValue: 9)), base: ana.stamp,
            encoded: edited)
        _ = try file.replica.apply([RecordState(key: ana.key, put: edit)], checkpoint: [1], serverTime: nil)
        #expect(try file.texts("SELECT name FROM person ORDER BY name") == ["Ana of another device", "Bob"])
        try acknowledge(2)
        #expect(try waiting() == 0)
    }

    /// A record that is deleted after such a no-op insert stays deleted: the user meant the delete, and no edit before it.
    @Test func markBeforeADeleteBeatsNobody() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.settle()
        try file.sql("INSERT INTO person(name) VALUES ('Bob')")
        var one = Self.limits
        one.changesPerPush = 1
        let sent = try file.replica.sealChanges(one)
        let ana = try #require(sent.first)
        try #require(sent.count == 2)
        try file.sql(
            "INSERT INTO person(id, name) SELECT id, 'Eve' FROM person WHERE name = 'Ana' ON CONFLICT DO NOTHING")
        try file.replica.settle()
        try file.sql("DELETE FROM person WHERE name = 'Ana'")
        try acknowledge(1)
        let other = try TemporaryReplica(Self.schema)
        try other.sql("INSERT INTO person(name) VALUES ('Ana of another device')")
        let edited = try #require(try other.replica.sealChanges(Self.limits).first?.encodedPut)
        let edit = RecordState.PutSlot(
            stamp: HybridTimestamp(time: ana.stamp.time + 1, replica: ReplicaID(rawValue: 9)), base: ana.stamp,
            encoded: edited)
        _ = try file.replica.apply([RecordState(key: ana.key, put: edit)], checkpoint: [1], serverTime: nil)
        try acknowledge(2)
        #expect(try file.replica.sealChanges(Self.limits).map(\.kind.isDelete) == [true])
    }

    /// While a create and its delete were in flight, a page beat the delete by a later one, and the next page reported the
    /// record as purged. The server has accepted the two changes since.
    @Test func deleteIsSeenAfterThePurgeOfWhatHadBeatenIt() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.settle()
        try file.sql("DELETE FROM person")
        let sent = try file.replica.sealChanges(Self.limits)
        #expect(sent.map(\.kind.isDelete) == [false, true])
        let first = try #require(sent.first)
        let put = RecordState.PutSlot(
            stamp: HybridTimestamp(time: first.stamp.time - 1, replica: ReplicaID(rawValue: 9)), base: nil,
            encoded: try #require(first.encodedPut))
        let delete = HybridTimestamp(time: first.stamp.time + 9, replica: ReplicaID(rawValue: 9))
        _ = try file.replica.apply(
            [RecordState(key: first.key, put: put, delete: delete)], checkpoint: [1], serverTime: nil)
        _ = try file.replica.apply([], purged: [first.key], checkpoint: [2], serverTime: nil)
        try acknowledge(1)
        #expect(try file.texts("SELECT count(*) FROM person") == ["0"])
    }

    /// A reply may arrive again after it was applied and the record's slots were confirmed.
    @Test func repeatedReplyChangesNothing() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.sealPushes(limits: Self.limits)
        try acknowledge(1)
        let digest = try file.replica.digest()
        try acknowledge(1)
        #expect(try file.replica.digest() == digest)
    }

    /// SQLite stores any bytes as text. Only the text that no other device could show is refused, and the journal keeps it.
    @Test func textThatIsNotUTF8IsRefusedAlone() throws {
        try file.sql("INSERT INTO person(name) VALUES (CAST(x'41ff42' AS TEXT)), (''), ('Ünal'), (NULL)")
        let contents = try file.replica.sealChanges(Self.limits).map { change in
            guard case .put(let encoded, _) = change.kind else { return [Value.null] }
            return try ContentCoding.decode(Put(encoded: encoded).content).map(\.value)
        }
        #expect(Set(contents) == [[.string("")], [.string("Ünal")], []])
        #expect(try file.replica.journal().map(\.outcome) == [.refused])
        #expect(try file.count("SELECT count(*) FROM person") == 3)
    }

    /// A flipped bit can turn a text into a blob, or a blob into a text.
    @Test func stateThatReadsInAnotherFormIsTheSame() throws {
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        let first = try file.replica.sealChanges(Self.limits)
        try acknowledge(1)
        try file.sql(
            """
            UPDATE roost_control SET replica = CAST(replica AS BLOB), digest = CAST(digest AS TEXT),
              push_number = CAST(push_number AS TEXT)
            """)
        try file.sql("UPDATE person SET name = 'Bea'")
        let sent = try file.replica.sealChanges(Self.limits)
        #expect(sent.map(\.stamp.replica) == first.map(\.stamp.replica))
        try acknowledge(2)
        #expect(try waiting() == 0)
        #expect(try file.replica.digest() == file.plain.read { try ConfirmedDigest(database: $0).sum() })
    }

    // MARK: With a page

    /// An empty page that comes with a reply takes effect as a separate page would.
    @Test func emptyPageIsTakenInWithTheReply() throws {
        _ = try file.replica.apply([], checkpoint: [1], serverTime: nil)
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.sealPushes(limits: Self.limits)
        let page = EmptyPage(since: [1], checkpoint: [2], serverTime: 1 << 50)
        let done = try file.replica.acknowledge(1, [.stored], current: [], with: page)
        #expect(try done.page?.digest == file.replica.digest())
        #expect(done.page?.isNoted == true)
        #expect(try file.replica.checkpoint() == [2])
        #expect(try file.count("SELECT clock_offset > 0 FROM roost_control") == 1)
        #expect(try file.replica.status().lastContact != nil)
    }

    /// An empty page is left to the ordinary path if it needs more than recording the checkpoint.
    @Test(arguments: ["another place", "refused", "unfit", "pulling anew"])
    func emptyPageIsLeftWhereMoreIsToBeDone(_ reason: String) throws {
        _ = try file.replica.apply([], checkpoint: [1], serverTime: nil)
        try file.sql("INSERT INTO person(name) VALUES ('Ana')")
        try file.replica.sealPushes(limits: Self.limits)
        var result = PushReply.Result.stored
        switch reason {
        case "unfit": try file.sql("INSERT INTO roost_unfit VALUES (1, \(id(9)), x'', 'why')")
        case "pulling anew": try file.replica.pullAnew(.differs)
        case "refused": result = .refused("No.")
        default: break
        }
        let page = EmptyPage(since: reason == "another place" ? [9] : [1], checkpoint: [2], serverTime: 0)
        let before = try file.replica.checkpoint()
        let done = try file.replica.acknowledge(1, [result], current: [], with: page)
        #expect(done.page == nil)
        #expect(try file.replica.checkpoint() == before)
        #expect(try waiting() == 0)
    }

    /// Joined pushes may have the rest of one transaction, which is refused, and the first part of another. The second
    /// transaction must not get the parts of the first.
    @Test func partsOfARefusedTransactionAreNotTheNextOnes() throws {
        for (text, count) in [("A", 4), ("B", 3), ("C", 2)] as [(String, UInt64)] {
            try file.replica.write(text) { transaction in
                for number in 1...count {
                    let id = RecordID(high: count, low: number)
                    try transaction.put("Person", id: id, ["name": .string("\(text)\(number)")])
                }
            }
        }
        var limits = Self.limits
        limits.changesPerPush = 3
        try file.replica.sealPushes(limits: limits)
        try file.replica.acknowledge(1, [.staged], current: [])
        _ = try file.replica.joinPushes(from: 2, within: limits)
        let joined = try file.replica.sealedPushes()
        #expect(joined.map { $0.transactions.map(\.changes.count) } == [[1, 2], [1, 2]])
        try file.replica.acknowledge(2, [.refused("no"), .staged], current: [])
        try file.replica.acknowledge(3, [.stored, .stored], current: [])
        #expect(try file.texts("SELECT name FROM person ORDER BY name") == ["B1", "B2", "B3", "C1", "C2"])
        #expect(try file.texts("SELECT count(*) FROM roost_fact") == ["5"])
        #expect(try file.texts("SELECT count(*) FROM roost_journal WHERE outcome = 'refused'") == ["4"])
    }

    /// An untracked write replaces the content of a change in flight, which the server then refuses.
    @Test func untrackedContentOfARefusedChangeIsInTheJournal() throws {
        try file.sql("INSERT INTO person(name) VALUES ('sent')")
        try file.replica.sealPushes(limits: Self.limits)
        try file.sql("DROP TRIGGER roost_update_1; UPDATE person SET name = 'unseen'")
        try file.replica.acknowledge(1, [.refused("no")], current: [])
        let journal = try file.replica.journal()
        #expect(Set(journal.map(\.outcome)) == [.refused, .damaged])
        #expect(journal.contains { $0.put.map { String(decoding: $0, as: UTF8.self).contains("unseen") } ?? false })
    }
}
