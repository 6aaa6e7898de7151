import RoostModel
import TestScope
import Testing

@testable import Replica

/// Set-aside records with pending changes of this device.
@Suite struct KeptAsideTests {
    private static let loan =
        #", {"id": 3, "name": "Loan", "attributes": [{"id": 1, "name": "reader", "type": "string"}]}"#

    private static func schema(_ version: Int, _ size: String, _ rest: String = "") -> String {
        #"""
        {"format": 1, "name": "library", "version": \#(version), "entities": [
          {"id": 1, "name": "Shelf", "attributes": [{"id": 2, "name": "size", \#(size)}], "relationships": [
            {"id": 1, "name": "books", "kind": "toMany", "destination": "Book", "inverse": "shelf", "deleteRule": "cascade"}]},
          {"id": 2, "name": "Book", "relationships": [
            {"id": 1, "name": "shelf", "kind": "toOne", "destination": "Shelf", "inverse": "books"}]}\#(rest)]}
        """#
    }

    private let first = schema(1, #""type": "integer""#, loan)
    private let second = schema(2, #""type": "double", "widens": "integer""#)

    @Test func aRefusedEditOfAnEntityThatIsGoneTakesNothingElseAway() throws {
        let replica = try TemporaryReplica(first)
        let scope = MemoryScope()
        try replica.sql("INSERT INTO loan(id, reader) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(replica.replica)
        let key = RecordKey(entity: EntityID(3), id: RecordID(high: 0, low: 1))
        let stored = try #require(scope.states[key]?.put?.encoded)
        for edit in ["UPDATE loan SET reader = 'Bob'", "DELETE FROM loan"] {
            let replica = try TemporaryReplica(first, id: 2)
            try scope.synchronise(replica.replica)
            try replica.sql(edit)
            try replica.migrate(to: Schema(json: second))
            try scope.synchronise(replica.replica) { _ in "No." }
            #expect(try replica.replica.content(of: key) == stored)
            try replica.migrate(to: Schema(json: Self.schema(3, #""type": "double", "widens": "integer""#, Self.loan)))
            #expect(try replica.texts("SELECT reader FROM loan") == ["Ana"])
        }
    }

    /// A pending change of a removed entity is found through the set-aside record, if the outbox has lost its entry.
    @Test func whatWaitsOfAnEntityThatIsGoneIsFoundAgain() throws {
        let replica = try TemporaryReplica(first)
        let scope = MemoryScope()
        try replica.sql("INSERT INTO loan(id, reader) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob'), (\(id(3)), 'Eva')")
        try scope.synchronise(replica.replica)
        try replica.sql("UPDATE loan SET reader = 'Anne' WHERE id = \(id(1)); DELETE FROM loan WHERE id = \(id(2))")
        try replica.migrate(to: Schema(json: second))
        try replica.sql("UPDATE roost_outbox SET id = \(id(0x4001)) WHERE id = \(id(1))")
        try scope.synchronise(replica.replica)
        let other = try TemporaryReplica(first, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT reader FROM loan ORDER BY id") == ["Anne", "Eva"])
    }

    /// A record that does not fit the schema counts as missing, whatever changes of it are pending.
    @Test func whatIsKeptAsideHidesWhatHangsOffItAlsoWhenItIsStampedAnew() throws {
        let replica = try TemporaryReplica(first)
        try replica.sql(
            """
            INSERT INTO shelf(id, size) VALUES (\(id(1)), 9007199254740993);
            INSERT INTO book(id, shelf) VALUES (\(id(2)), \(id(1)))
            """)
        try replica.migrate(to: Schema(json: second))
        #expect(try replica.count("SELECT count(*) FROM book") == 0)
        try replica.replica.restamp(serverTime: 1_000_000)
        #expect(try replica.count("SELECT count(*) FROM book") == 0)
        let scope = MemoryScope()
        try scope.synchronise(replica.replica)
        let fresh = try TemporaryReplica(second, id: 2)
        try scope.synchronise(fresh.replica)
        let (left, right) = (try replica.tables(), try fresh.tables())
        for (name, rows) in right { #expect(left[name] == rows, "table \(name)") }
    }

    /// A program writes a record under an identifier that is set aside. Its row is derived like any other, and is not
    /// overwritten later.
    @Test func whatIsWrittenInPlaceOfARecordThatIsKeptAsideStays() throws {
        let replica = try TemporaryReplica(first)
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))
        let half = Put(
            references: [], content: ContentCoding.encode([.init(property: PropertyID(2), value: .double(0.5))]))
        func state(_ milliseconds: UInt64) -> RecordState {
            let stamp = HybridTimestamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: 9))
            return RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: half.encoded()))
        }
        try replica.take([state(1000)])
        #expect(try replica.count("SELECT count(*) FROM roost_unfit") == 1)
        try replica.sql("INSERT INTO shelf(id, size) VALUES (\(id(1)), 7)")
        // This put is older than the inserted row, and is derived from too.
        try replica.take([state(2000)])
        #expect(try replica.count("SELECT size FROM shelf") == 7)
        try replica.migrate(to: Schema(json: second))
        #expect(try replica.count("SELECT size FROM shelf") == 7)
        #expect(try replica.count("SELECT count(*) FROM roost_unfit WHERE entity = 1") == 0)
    }
}
