import RoostModel
import TestSupport
import Testing

@testable import Replica

/// The records of a large page are hashed by a second thread, wherever it has come to, and taken in by key. What the replica holds afterwards
/// is what small pages leave, which one thread takes in as they come.
@Suite struct LargePageTests {
    private static let count = PageReading.recordsMin * 3

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func largePageIsManySmallOnes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        // A new record, an edit, a delete, a repeated change, and one that is beaten.
        for _ in 0..<3 {
            let states = (0..<Self.count).shuffled(using: &random).map { Self.state($0, &random) }
            let whole = try large.replica.apply(states, checkpoint: nil, serverTime: nil)
            for start in stride(from: 0, to: states.count, by: 100) {
                let page = Array(states[start..<min(start + 100, states.count)])
                _ = try small.replica.apply(page, checkpoint: nil, serverTime: nil)
            }
            #expect(try whole.digest == small.replica.digest())
        }
        for table in ["person", "spending"] {
            let rows = "SELECT quote(id) || quote(\(table == "person" ? "name" : "content")) FROM \(table) ORDER BY id"
            #expect(try large.texts(rows) == small.texts(rows))
        }
        let facts =
            "SELECT quote(entity) || quote(id) || quote(put_stamp) || quote(hash) || quote(del_stamp) FROM roost_fact"
        #expect(try large.texts(facts) == small.texts(facts))
        #expect(try large.count("SELECT count(*) FROM roost_fact") == Self.count)
    }

    /// What lies side by side in a tree is written one after the other.
    @Test func largePageIsTakenInByKey() throws {
        var random = SplitMix64(state: 5)
        let replica = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let states = (0..<PageReading.recordsMin).shuffled(using: &random).map {
            Self.state($0, &random, isDeleted: false)
        }
        _ = try replica.replica.apply(states, checkpoint: nil, serverTime: nil)
        let written = try replica.texts("SELECT hex(id) FROM person ORDER BY rowid")
        #expect(written == states.map(\.key).sorted().map { Hex.encode($0.id.bytes).uppercased() })
    }

    private static func state(_ number: Int, _ random: inout SplitMix64, isDeleted: Bool? = nil) -> RecordState {
        func stamp() -> HybridTimestamp {
            HybridTimestamp(
                milliseconds: UInt64.random(in: 1...6, using: &random), counter: 0, replica: ReplicaID(rawValue: 9))
        }
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 1, low: UInt64(number)))
        // Two of one stamp have different content now and then: the greater hash stands.
        let name = "name \(Int.random(in: 0..<3, using: &random))"
        let content = ContentCoding.encode([.init(property: PropertyID(1), value: .text(name))])
        return RecordState(
            key: key, put: .init(stamp: stamp(), base: nil, encoded: Put(content: content).encoded()),
            delete: isDeleted ?? (Int.random(in: 0..<4, using: &random) == 0) ? stamp() : nil)
    }
}
