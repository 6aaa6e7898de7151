import Replica
import RoostModel
import TestScope
import Testing

/// The base that a put names (protocol.md §6.4 and §11.2), and the fit of records to a schema (§11.3).
@Suite struct OutboxBaseTests {
    private func base(_ change: Change?) -> HybridTimestamp? {
        guard case .put(_, let base)? = change?.kind else { return nil }
        return base
    }

    /// If the base no longer named a put, an informed edit would look like a blind one.
    @Test func basesMoveWithTheStampsOfTheirPuts() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        let confirmed = try #require(scope.states.values.first?.put?.stamp)
        // Simulates a write under a clock that is a day ahead.
        try file.sql("UPDATE roost_control SET reading = reading + ((strftime('%s', 'now') + 86400) * 1000 << 16)")
        try file.sql("UPDATE person SET name = 'Anna'; INSERT INTO person(id, name) VALUES (\(id(2)), 'Ben')")
        let first = try file.replica.sealChanges(.sample)
        #expect(first.count == 2)
        try file.sql("UPDATE person SET name = name || '!'")
        let server = try #require(UInt64(exactly: try file.count("SELECT strftime('%s', 'now') * 1000")))
        try file.replica.restamp(serverTime: server)
        let second = try file.replica.sealChanges(.sample)
        #expect(Set(second.map(\.key)).count == 2)
        let stamps = Set(second.map(\.stamp))
        for change in second {
            #expect(change.stamp.milliseconds <= server + 60_000)
            if let base = base(change) { #expect(base == confirmed || stamps.contains(base), "\(base)") }
        }
        let (ana, ben) = (RecordID(high: 0, low: 1), RecordID(high: 0, low: 2))
        #expect(base(second.first { $0.key.id == ana }) == confirmed)
        // The server has no put of the record.
        #expect(base(second.first { $0.key.id == ben }) == nil)
    }

    @Test func anUndeleteIsEditedFromThePut() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        let put = try #require(scope.states.values.first?.put?.stamp)
        try file.sql("DELETE FROM person")
        try scope.synchronise(file.replica)
        #expect(scope.states.values.first?.delete != nil)
        try file.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        let changes = try file.replica.sealChanges(.sample)
        #expect(changes.count == 1)
        #expect(base(changes.first) == put)
    }

    /// The people's schema with required references.
    private static let required = ["person", "approver", "guarantor"].reduce(TemporaryReplica.people) { text, name in
        text.replacing(
            "\"name\": \"\(name)\", \"kind\": \"toOne\",",
            with: "\"name\": \"\(name)\", \"kind\": \"toOne\", \"optional\": false,")
    }

    /// A masked reference does not hide its record; a missing one may.
    @Test func aMaskedReferenceFits() throws {
        let file = try TemporaryReplica(Self.required)
        func record(_ entity: UInt32, _ number: UInt64, _ references: [(UInt32, UInt64)]) -> RecordState {
            let stamp = HybridTimestamp(time: number << 16, replica: ReplicaID(rawValue: 9))
            let put = Put(
                references: references.map { .init(relationship: PropertyID($0), target: RecordID(high: 0, low: $1)) },
                content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("a"))]))
            return RecordState(
                key: RecordKey(entity: EntityID(entity), id: RecordID(high: 0, low: number)),
                put: .init(stamp: stamp, base: nil, encoded: put.encoded()))
        }
        // Person 8, approver 9, guarantor 10; no record 77 exists.
        let records = [
            record(1, 1, []), record(2, 11, [(8, 1), (9, 1), (10, 1)]), record(2, 12, [(8, 1), (9, 77), (10, 77)]),
            record(2, 13, [(8, 1)]), record(2, 14, [(9, 1), (10, 1)]), record(2, 15, [(8, 77), (9, 1), (10, 1)]),
        ]
        _ = try file.replica.apply(records, checkpoint: [1], serverTime: nil)
        let shown = try file.texts(
            "SELECT hex(substr(id, 16)) || ' ' || (approver IS NULL) || (guarantor IS NULL) FROM spending ORDER BY id")
        #expect(shown == ["0B 00", "0C 11", "0D 11"])
        // The fourteenth lacks its cascade parent, and does not fit; the fifteenth waits for its cascade parent.
        #expect(try file.replica.status().unfit == 1)
    }
}
