import GRDB
import Replica
import RoostMerge
import RoostModel
import TestSupport
import Testing

/// Several replicas written by plain SQL, exchanging through one scope, held against the derivation from scratch.
@Suite struct ExchangeTests {
    @Test(arguments: 0..<12)
    func replicasConvergeToWhatTheSlotsDerive(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let replicas = try (1...3).map { try TemporaryReplica(ReplayHistory.schemaText, id: UInt64($0)) }
        let scope = MemoryScope(changesPerPush: 3)
        for _ in 0..<60 {
            let replica = replicas[Int.random(in: 0..<3, using: &random)]
            if Int.random(in: 0..<4, using: &random) == 0 {
                try scope.synchronise(replica.replica)
            } else {
                try writeAnything(replica, using: &random)
            }
        }
        for _ in 0..<2 { for replica in replicas { try scope.synchronise(replica.replica) } }
        let expected = try derived(scope)
        for replica in replicas {
            #expect(try visible(replica) == expected)
            #expect(try replica.replica.digest() == scope.digest)
            #expect(try replica.replica.status().waiting == 0)
        }
    }

    /// One to three statements in one transaction; a deny rule may stop it, which leaves nothing behind.
    private func writeAnything(_ replica: TemporaryReplica, using random: inout SplitMix64) throws {
        let statements = (0..<Int.random(in: 1...3, using: &random)).map { _ in statement(using: &random) }
        do {
            try replica.plain.write { database in
                for statement in statements { try database.execute(sql: statement) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
    }

    private func statement(using random: inout SplitMix64) -> String {
        let record = id(Int.random(in: 1...6, using: &random))
        let column = ["a", "b", "t", "n", "d", "o"][Int.random(in: 0..<6, using: &random)]
        let target = Int.random(in: 0..<3, using: &random) == 0 ? "NULL" : id(Int.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return "INSERT OR IGNORE INTO node(id, \(column)) VALUES (\(record), \(target))"
        case 2: return "INSERT OR REPLACE INTO node(id, \(column)) VALUES (\(record), \(target))"
        case 3, 4: return "UPDATE node SET \(column) = \(target) WHERE id = \(record)"
        case 5: return "UPDATE node SET id = \(id(Int.random(in: 7...9, using: &random))) WHERE id = \(record) AND 0"
        default: return "DELETE FROM node WHERE id = \(record)"
        }
    }

    private func derived(_ scope: MemoryScope) throws -> [RecordID: [PropertyID: RecordID?]] {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        let facts = try scope.states.mapValues { try RecordFacts($0) }
        return VisibleState(facts, rules: rules).visible(facts).mapValues(\.references)
    }

    /// The visible records, with a nil for each stored reference that reads nil.
    private func visible(_ replica: TemporaryReplica) throws -> [RecordID: [PropertyID: RecordID?]] {
        let columns = ["a", "b", "t", "n", "d", "o"]
        let rows = try replica.replica.select("SELECT id, \(columns.joined(separator: ", ")) FROM node")
        let masked = try replica.replica.select("SELECT id, relationship FROM roost_raw")
        var visible: [RecordID: [PropertyID: RecordID?]] = [:]
        for row in rows {
            guard case .bytes(let bytes) = row[0], let id = RecordID(bytes: bytes) else { continue }
            var references: [PropertyID: RecordID?] = [:]
            for (index, value) in row.dropFirst().enumerated() {
                let property = PropertyID(UInt32(index + 1))
                if case .bytes(let target) = value {
                    references[property] = .some(RecordID(bytes: target))
                } else if masked.contains([.bytes(bytes), .integer(Int64(index + 1))]) {
                    references[property] = .some(nil)
                }
            }
            visible[id] = references
        }
        return visible
    }
}
