import GRDB
import RoostModel
import TestScope
import Testing

@testable import Replica

/// Every record of an intact replica passes the checks, whatever program and form it comes from.
@Suite struct NoFalseAlarmTests {
    /// Random histories have masked references, hidden and deleted records, set-aside ones and unknown fields at every step.
    @Test(arguments: 0..<6)
    func soundReplicasPassAtEveryStep(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let schemas = [TemporaryReplica.people, Self.later]
        let replicas = try (0..<3).map { try TemporaryReplica(schemas[$0 % 2], id: UInt64($0 + 1)) }
        var writers = try (0..<3).map { RandomRecords(try Schema(json: schemas[$0 % 2]), seed: seed * 3 + UInt64($0)) }
        let scope = MemoryScope(changesPerPush: 3)
        var page = 0
        var compared = 0
        for _ in 0..<60 {
            let number = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                // Refused changes are reverted to the server's state.
                try scope.push(replicas[number].replica) { _ in
                    Int.random(in: 0..<5, using: &random) == 0 ? ("No.", false) : nil
                }
                page += 1
                try scope.pull(replicas[number].replica, checkpoint: [UInt8(page)])
            case 1: try replicas[number].take(writers[number].page(3), into: scope, UInt8(page + 100))
            default: try writers[number].write(to: replicas[number], 3)
            }
            for replica in replicas {
                let check = try replica.replica.check()
                #expect(check.isSound, "\(check)")
                compared += check.compared
            }
        }
        #expect(compared > 200)
        #expect(try replicas.allSatisfy { try $0.texts("SELECT kind FROM roost_event WHERE kind = 'damage'").isEmpty })
    }

    /// A schema version with an additional attribute of a shared entity, and without another attribute.
    private static let later = TemporaryReplica.people
        .replacing("\"version\": 1", with: "\"version\": 2")
        .replacing(
            "{\"id\": 12, \"name\": \"paid\"",
            with:
                "{\"id\": 14, \"name\": \"note\", \"type\": \"string\", \"default\": \"-\"},\n{\"id\": 12, \"name\": \"paid\""
        )
        .replacing("{\"id\": 11, \"name\": \"rate\", \"type\": \"double\", \"optional\": true},", with: "")

    /// The decoder accepts forms that the columns do not reproduce. Such a put is kept entirely, and compared.
    @Test(arguments: UnusualPut.all)
    func unusualFormsAreKeptAndCompared(_ item: UnusualPut) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 5))
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: item.bytes))
        _ = try file.replica.apply([state], checkpoint: nil, serverTime: nil)
        let check = try file.replica.check()
        #expect(check.isSound)
        #expect(check.irregular == 0)
        #expect(check.compared == 1)
        #expect(try file.replica.content(of: key) == item.bytes)
        // A full resynchronisation does not take it for corruption either.
        try file.replica.pullAnew(.differs)
        #expect(try file.replica.apply([state], checkpoint: nil, serverTime: nil).corrected == 0)
        // A migration does not take it for corruption either.
        try file.migrate(to: Schema(json: Self.later))
        #expect(try file.replica.check().isSound)
    }

    /// A put with random byte changes is decoded or set aside, and never taken for corruption.
    @Test(arguments: 0..<4)
    func noBytesOfAPutAreTakenForDamage(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let file = try TemporaryReplica(TemporaryReplica.people)
        var states: [RecordState] = []
        for number in 1...400 {
            var bytes = UnusualPut.usual
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...40, using: &random), at: place)
                }
            }
            let key = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: UInt64(number)))
            let stamp = HybridTimestamp(milliseconds: UInt64(number), counter: 0, replica: ReplicaID(rawValue: 9))
            states.append(RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: bytes)))
        }
        _ = try file.replica.apply(states, checkpoint: nil, serverTime: nil)
        let check = try file.replica.check()
        #expect(check.isSound, "\(check.damaged)")
        #expect(check.compared == states.count)
        #expect(check.irregular == 0)
    }
}

extension TemporaryReplica {
    /// Applies changes of another device that a scope has.
    fileprivate func take(_ states: [RecordState], into scope: MemoryScope, _ page: UInt8) throws {
        scope.recover(states)
        try scope.pull(replica, checkpoint: [page])
    }
}
