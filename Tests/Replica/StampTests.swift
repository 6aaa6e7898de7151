import Foundation
import Replica
import RoostModel
import RoostProtocol
import TestScope
import Testing

/// The effects on pending changes of a change of their stamps, or of stamps that they meet.
@Suite struct StampTests {
    private let test: TemporaryReplica
    private var replica: Replica { test.replica }
    private let now = UInt64(Date().timeIntervalSince1970 * 1000)

    init() throws {
        test = try TemporaryReplica(TemporaryReplica.people)
    }

    private func key(_ number: UInt64) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: number))
    }

    private func stamp(seconds: UInt64) -> HybridTimestamp {
        HybridTimestamp(milliseconds: now + seconds * 1000, counter: 0, replica: ReplicaID(rawValue: 9))
    }

    private func put(_ name: String, _ stamp: HybridTimestamp) -> RecordState.PutSlot {
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .string(name))])
        return .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded())
    }

    private func insert(_ number: Int) throws {
        try test.sql("INSERT INTO person(id, name) VALUES (\(id(number)), 'person \(number)')")
    }

    private func isVisible(_ number: Int) throws -> Bool {
        try test.count("SELECT count(*) FROM person WHERE id = \(id(number))") == 1
    }

    /// Seals the pending changes, and returns the changes of each push.
    private func seal(changesPerPush: Int = 100) throws -> [[Change]] {
        let limits = PushLimits(
            changesPerPush: changesPerPush, bytesPerPush: 1 << 20, changesPerTransaction: 100,
            bytesPerTransaction: 1 << 20)
        try replica.sealPushes(limits: limits)
        return try replica.sealedPushes().map(\.changes)
    }

    /// A delete that lost to a put on another device must not win later because it is sent with a later stamp.
    @Test func deleteThatWasBeatenIsNotSent() throws {
        _ = try replica.apply(
            [RecordState(key: key(1), put: put("Ana", stamp(seconds: 0)))], checkpoint: [1], serverTime: nil)
        try test.sql("DELETE FROM person WHERE id = \(id(1))")
        _ = try replica.apply(
            [RecordState(key: key(1), put: put("Anna", stamp(seconds: 60)))], checkpoint: [2], serverTime: nil)
        #expect(try test.texts("SELECT name FROM person") == ["Anna"])
        #expect(try seal().isEmpty)
    }

    /// The server's clock is ahead of the clock that stamped the put. With a new stamp, the put beats the delete.
    @Test func recordIsShownWhoseStampWinsOnceItIsMadeAnew() throws {
        try insert(1)
        _ = try replica.apply(
            [RecordState(key: key(1), delete: stamp(seconds: 60))], checkpoint: [1], serverTime: nil)
        #expect(try !isVisible(1))
        try replica.restamp(serverTime: now + 120_000)
        #expect(try isVisible(1))
    }

    /// The later of two pending puts gets the greater stamp, whatever the clock showed. With it, it beats a delete.
    @Test func recordIsShownWhoseStampWinsOnceItIsSealed() throws {
        try insert(1)
        // A second transaction; the clock was set back between the two.
        try replica.write("two") { transaction in
            try transaction.put("Person", id: RecordID(high: 0, low: 2), ["name": .string("person 2")])
        }
        try test.sql(
            "UPDATE roost_outbox SET put_stamp = \(stamp(seconds: 100).time) WHERE entity = 1 AND id = \(id(1))")
        _ = try replica.apply(
            [RecordState(key: key(2), delete: stamp(seconds: 60))], checkpoint: [1], serverTime: nil)
        #expect(try !isVisible(2))
        let changes = try seal().flatMap { $0 }
        #expect(changes.map(\.key) == [key(1), key(2)])
        #expect(try isVisible(2))
    }

    /// The server compares every later stamp with the last of a part that it has accepted. New stamps must all be greater.
    @Test func stampsMadeAnewAreGreaterThanThoseOfAPartThatWasTaken() throws {
        try replica.write("two") { transaction in
            for number in UInt64(1)...2 {
                try transaction.put("Person", id: RecordID(high: 0, low: number), ["name": .string("person")])
            }
        }
        let pushes = try seal(changesPerPush: 1)
        #expect(pushes.count == 2)
        let taken = try #require(pushes.first?.last?.stamp)
        try replica.acknowledge(1, [.staged], current: [])
        // The server's clock is behind.
        try replica.restamp(serverTime: now - 600_000)
        // The rest of the accepted transaction is no longer sealed, so that a session takes a new identity first.
        #expect(try seal().isEmpty)
        try replica.renew(as: ReplicaID(rawValue: 9), token: "new", role: "owner", reason: "Parts are left.")
        let changes = try seal(changesPerPush: 1).flatMap { $0 }
        #expect(changes.count == 2)
        #expect(changes.allSatisfy { $0.stamp > taken })
    }

    /// Changes that one sealing leaves for the next are later than the sealed ones, whatever the clock was. The server
    /// refuses anything else.
    @Test func whatIsLeftByASealingIsLater() throws {
        for number in 1...6 as ClosedRange<UInt64> {
            try replica.write("insert") { try $0.put("Person", id: key(number).id, ["name": .string("Ana")]) }
        }
        // All changes are of one millisecond, and then the clock is set back.
        try test.sql("UPDATE roost_outbox SET put_stamp = (SELECT max(put_stamp) FROM roost_outbox) - (txn / 4 << 16)")
        let limits = PushLimits(
            changesPerPush: 100, bytesPerPush: 1 << 20, changesPerTransaction: 100, bytesPerTransaction: 1 << 20,
            changesPerSealing: 2)
        let sealed = try replica.sealChanges(limits).map { Int64(clamping: $0.stamp.time) }
        #expect(sealed.count == 2)
        let waiting = try test.texts("SELECT put_stamp FROM roost_outbox ORDER BY txn").compactMap { Int64($0) }
        #expect(waiting.count == 6)
        #expect(Array(waiting.prefix(2)) == sealed)
        #expect(zip(waiting, waiting.dropFirst()).allSatisfy { $0 < $1 })
    }

    /// Triggers may give several changes one stamp. Each is sent with its own stamp, which the outbox then has too. A few are
    /// written there one by one, many at once. Some records have a pending delete, or both changes.
    @Test(arguments: [2, 60]) func changesOfOneStampAreSentWithAsMany(_ count: Int) throws {
        let deleted = stride(from: 7, through: count, by: 7)
        _ = try replica.apply(
            deleted.map { RecordState(key: key(UInt64($0)), put: put("Ana", stamp(seconds: 0))) }, checkpoint: [1],
            serverTime: nil)
        for number in (1...count).reversed() where number % 7 > 0 { try insert(number) }
        for number in deleted { try test.sql("DELETE FROM person WHERE id = \(id(number))") }
        for number in stride(from: 5, through: count, by: 5) where number % 7 > 0 {
            try test.sql("DELETE FROM person WHERE id = \(id(number))")
            try insert(number)
        }
        try replica.settle()
        try test.sql(
            """
            UPDATE roost_outbox SET put_stamp = CASE WHEN put_stamp IS NOT NULL THEN \(now << 16) END,
              del_stamp = CASE WHEN del_stamp IS NOT NULL THEN \(now << 16) END
            """)
        #expect(
            try test.count("SELECT count(*) FROM roost_outbox WHERE \(now << 16) IN (put_stamp, del_stamp)") == count)
        let changes = try seal().flatMap { $0 }
        #expect(changes.count >= count)
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.stamp < $1.stamp })
        let sent = changes.map { change in
            let slot = if case .put = change.kind { "put" } else { "delete" }
            return "\(slot) \(change.stamp.time) \(String(format: "%02X", change.key.id.low))"
        }
        let waiting = try test.texts(
            """
            SELECT 'put ' || put_stamp || ' ' || substr(hex(id), 31) FROM roost_outbox WHERE put_stamp IS NOT NULL
            UNION ALL SELECT 'delete ' || del_stamp || ' ' || substr(hex(id), 31) FROM roost_outbox
              WHERE del_stamp IS NOT NULL
            """)
        #expect(Set(sent) == Set(waiting))
    }
}
