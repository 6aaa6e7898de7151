import GRDB
import RoostMerge
import RoostModel
import TestScope
import Testing

@testable import Replica

/// Several replicas written by plain SQL, exchanging through one scope, compared with the derivation from scratch.
@Suite struct ExchangeTests {
    /// All references; and those without deny and hierarchy, which most schemas do not have and for which the replica takes
    /// shorter paths.
    static let all = ["a", "b", "t", "n", "d", "o"]
    static let plain = ["a", "b", "n", "o"]

    @Test(arguments: 0..<8, [all, plain])
    func replicasConvergeToWhatTheSlotsDerive(seed: UInt64, columns: [String]) throws {
        try converge(seed, columns, changesPerPush: 3)
    }

    /// Pages, settling and full resynchronisations are divided as if they were large.
    @Test(arguments: 100..<116, [all, plain])
    func replicasConvergeInTurns(seed: UInt64, columns: [String]) throws {
        try ChangesInTurns.$changesAtOnce.withValue(2) {
            try converge(seed, columns, changesPerPush: 50, pullsAnew: true)
        }
    }

    private func converge(
        _ seed: UInt64, _ columns: [String], changesPerPush: Int, pullsAnew: Bool = false
    ) throws {
        var random = SplitMix64(state: seed)
        let schema = Self.schema(columns)
        let replicas = try (1...3).map { try TemporaryReplica(schema, id: UInt64($0)) }
        let scope = MemoryScope(changesPerPush: changesPerPush)
        for _ in 0..<60 {
            let replica = replicas[Int.random(in: 0..<3, using: &random)]
            if Int.random(in: 0..<4, using: &random) == 0 {
                try scope.synchronise(replica.replica)
            } else if pullsAnew, Int.random(in: 0..<9, using: &random) == 0 {
                try replica.replica.pullAnew([.differs, .damaged].randomElement(using: &random)!)
                try scope.synchronise(replica.replica)
            } else {
                try writeAnything(replica, columns, using: &random)
            }
        }
        for _ in 0..<2 { for replica in replicas { try scope.synchronise(replica.replica) } }
        let expected = try derived(scope, schema)
        for replica in replicas {
            #expect(try visible(replica, columns) == expected)
            #expect(try replica.replica.digest() == scope.digest)
            #expect(try replica.replica.status().waiting == 0)
        }
    }

    /// Runs one to three statements in one transaction. A deny rule may refuse it, which leaves no effect.
    private func writeAnything(
        _ replica: TemporaryReplica, _ columns: [String], using random: inout SplitMix64
    ) throws {
        let statements = (0..<Int.random(in: 1...3, using: &random)).map { _ in statement(columns, using: &random) }
        do {
            try replica.plain.write { database in
                for statement in statements { try database.execute(sql: statement) }
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
    }

    private func statement(_ columns: [String], using random: inout SplitMix64) -> String {
        let record = id(Int.random(in: 1...6, using: &random))
        let column = columns[Int.random(in: 0..<columns.count, using: &random)]
        let target = Int.random(in: 0..<3, using: &random) == 0 ? "NULL" : id(Int.random(in: 1...6, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: return "INSERT OR IGNORE INTO node(id, \(column)) VALUES (\(record), \(target))"
        case 2: return "INSERT OR REPLACE INTO node(id, \(column)) VALUES (\(record), \(target))"
        case 3, 4: return "UPDATE node SET \(column) = \(target) WHERE id = \(record)"
        case 5: return "UPDATE node SET id = \(id(Int.random(in: 7...9, using: &random))) WHERE id = \(record) AND 0"
        default: return "DELETE FROM node WHERE id = \(record)"
        }
    }

    /// Returns the schema of the vectors with some of its references only.
    private static func schema(_ columns: [String]) -> String {
        let dropped = all.filter { !columns.contains($0) }
        let lines = ReplayHistory.schemaText.split(separator: "\n").filter { line in
            !dropped.contains { line.contains("\"\($0)\"") }
        }
        return lines.joined(separator: "\n")
    }

    private func derived(_ scope: MemoryScope, _ schema: String) throws -> [RecordID: [PropertyID: RecordID?]] {
        let rules = ReferenceRules(try Schema(json: schema))
        let facts = try scope.states.mapValues { try RecordFacts($0) }
        return VisibleState(facts, rules: rules).visible(facts).mapValues(\.references)
    }

    /// Returns the visible records, with a nil for each masked reference.
    private func visible(
        _ replica: TemporaryReplica, _ columns: [String]
    ) throws -> [RecordID: [PropertyID: RecordID?]] {
        let numbers = columns.compactMap { Self.all.firstIndex(of: $0) }.map { $0 + 1 }
        let rows = try replica.replica.select("SELECT id, \(columns.joined(separator: ", ")) FROM node")
        let masked = try replica.replica.select("SELECT id, relationship FROM roost_raw")
        var visible: [RecordID: [PropertyID: RecordID?]] = [:]
        for row in rows {
            guard case .data(let bytes) = row[0], let id = RecordID(bytes: bytes) else { continue }
            var references: [PropertyID: RecordID?] = [:]
            for (number, value) in zip(numbers, row.dropFirst()) {
                let property = PropertyID(UInt32(number))
                if case .data(let target) = value {
                    references[property] = .some(RecordID(bytes: target))
                } else if masked.contains([.data(bytes), .integer(Int64(number))]) {
                    references[property] = .some(nil)
                }
            }
            visible[id] = references
        }
        return visible
    }
}
