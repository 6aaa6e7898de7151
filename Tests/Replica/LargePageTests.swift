import RoostModel
import TestSupport
import Testing

@testable import Replica

/// The records of a large page are read by a second thread, wherever it has come to, and taken in by key. What the replica holds afterwards
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
            try Self.expectSame(states, in: large, and: small)
        }
        #expect(try large.count("SELECT count(*) FROM roost_fact") == Self.count)
    }

    /// Contents as other clients may write them, and such as no table takes; an edit takes the place of either by the other.
    @Test(arguments: [1, 2] as [UInt64])
    func largePageOfAnyContentIsManySmallOnes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let large = try TemporaryReplica(TemporaryReplica.people, id: 1)
        let small = try TemporaryReplica(TemporaryReplica.people, id: 2)
        for _ in 0..<3 {
            let states = (0..<Self.count).map { number in
                var state = Self.state(number, &random)
                state.key = RecordKey(entity: EntityID(number % 40 == 39 ? 99 : 2), id: state.key.id)
                state.put?.encoded = PageReadingTests.contents.randomElement(using: &random)!
                return state
            }
            try Self.expectSame(states, in: large, and: small)
        }
        #expect(try large.count("SELECT count(*) FROM roost_unfit WHERE entity = 2") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_unfit WHERE entity = 99") > 0)
        #expect(try large.count("SELECT count(*) FROM roost_extra") > 0)
        #expect(try large.count("SELECT count(*) FROM spending") > 0)
        #expect(try large.replica.check().isSound)
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

    /// Takes the records in as one page here and as many there.
    private static func expectSame(
        _ states: [RecordState], in large: TemporaryReplica, and small: TemporaryReplica
    ) throws {
        let whole = try large.replica.apply(states, checkpoint: nil, serverTime: nil)
        var applied = 0
        for start in stride(from: 0, to: states.count, by: 100) {
            let page = Array(states[start..<min(start + 100, states.count)])
            applied += try small.replica.apply(page, checkpoint: nil, serverTime: nil).applied
        }
        #expect(whole.applied == applied)
        #expect(try whole.digest == small.replica.digest())
        for rows in [
            "SELECT quote(id) || quote(name) FROM person ORDER BY id",
            """
            SELECT quote(id) || quote(content) || quote(amount) || quote(day) || quote(split) || quote(rate) || quote(paid)
              || quote(token) || quote(person) FROM spending ORDER BY id
            """,
            "SELECT quote(entity) || quote(id) || quote(put_stamp) || quote(hash) || quote(del_stamp) FROM roost_fact",
            "SELECT quote(entity) || quote(id) || quote(put) || quote(reason) FROM roost_unfit",
            "SELECT quote(entity) || quote(id) || quote(put) FROM roost_extra",
        ] { #expect(try large.texts(rows) == small.texts(rows)) }
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
