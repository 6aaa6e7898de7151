import GRDB
import RoostMerge
import RoostModel
import Testing

@testable import Replica

/// The SQL function that joins slots into the confirmed ones stores and returns the result of ``SlotMerge``.
@Suite struct ConfirmedJoinTests {
    private let file: TemporaryReplica
    private static let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
    }

    /// All combinations of few stamps and hashes, and none: new, accepted, beaten, repeated, half of both, one stamp with two
    /// hashes.
    private static let slots: [SlotStamps] = {
        let puts: [SlotStamps.PutStamp?] =
            [nil] + [1, 2].flatMap { time in [1, 2].map { .init(stamp: stamp(time), hash: hash($0)) } }
        return puts.flatMap { put in [nil, stamp(1), stamp(2)].map { SlotStamps(put: put, delete: $0) } }
    }()

    @Test func isTheMerge() throws {
        try file.replica.engineWrite("join") { database in
            let stamps = EffectiveStamps(database: database, replica: ReplicaID(rawValue: 1))
            for held in Self.slots {
                for incoming in Self.slots {
                    let there = try stamps.confirmed(Self.key)
                    try stamps.replaceConfirmed(there, with: held, of: Self.key)
                    var merged = held
                    if let put = incoming.put { _ = SlotMerge.merge(put, into: &merged) }
                    if let delete = incoming.delete { _ = SlotMerge.merge(delete: delete, into: &merged) }

                    let (before, after) = try stamps.joinConfirmed(incoming, of: Self.key)
                    #expect(before == held, "\(incoming) into \(held)")
                    #expect(after == merged, "\(incoming) into \(held)")
                    #expect(try stamps.confirmed(Self.key) == merged, "\(incoming) into \(held)")
                }
            }
        }
    }

    /// Slots that are not of 16 bytes count as none, as they do for all readers. The record heals with the next page.
    @Test(arguments: ["hash = x'00'", "put_stamp = x''", "hash = NULL", "del_stamp = x'07'"])
    func takesDamagedSlotsForNone(_ damage: String) throws {
        let held = SlotStamps(put: .init(stamp: Self.stamp(2), hash: Self.hash(1)), delete: Self.stamp(2))
        let incoming = SlotStamps(put: .init(stamp: Self.stamp(1), hash: Self.hash(2)), delete: Self.stamp(1))
        try file.replica.engineWrite("join") { database in
            let stamps = EffectiveStamps(database: database, replica: ReplicaID(rawValue: 1))
            try stamps.replaceConfirmed(SlotStamps(), with: held, of: Self.key)
            try database.execute(sql: "UPDATE roost_fact SET \(damage)")
            let read = try stamps.confirmed(Self.key)
            let (before, after) = try stamps.joinConfirmed(incoming, of: Self.key)
            #expect(before == read)
            #expect(before.put == nil || before.delete == nil)
            #expect(try stamps.confirmed(Self.key) == after)
            #expect(after.put == (before.put ?? incoming.put))
            #expect(after.delete == (before.delete ?? incoming.delete))
        }
    }

    /// Programs that have only SQL cannot call the function. Where it can be called, it accepts no number as a pointer.
    @Test func takesNothingFromSQL() throws {
        let sql = "SELECT roost_join(1, 1, x'', x'', x'', x'')"
        #expect(throws: DatabaseError.self) { try file.sql(sql) }
        #expect(throws: ReplicaError.self) { try file.replica.write("join") { try $0.database.query(sql).run() } }
        let refusal = #expect(throws: ReplicaError.self) {
            try file.replica.engineWrite("join") { try $0.query(sql).run() }
        }
        #expect("\(refusal.map { "\($0)" } ?? "")".contains("There are no slots to join."))
    }

    private static func stamp(_ time: UInt64) -> HybridTimestamp {
        HybridTimestamp(milliseconds: time, counter: 0, replica: ReplicaID(rawValue: 9))
    }

    private static func hash(_ number: UInt8) -> ContentHash { ContentHash(of: [number]) }
}
