import BenchmarkData
import Foundation
import Replica
import RoostModel

/// A file with identifiers as text, compared with a file with identifiers as bytes.
struct IdentifierForms {
    static let row = Row(
        names: ["identifiers"],
        help: """
            A file that stores identifiers as text, as a multiple of one with bytes: pulled records taken in, 1,000 in a page;
            the same records written by the library, 1,000 in a transaction; and the size of the file. Both forms in turns.
            """, run: { try IdentifierForms(context: $0).run() })

    private static let pageSize = 1000

    /// The seconds of each work, and the bytes of the file.
    private struct Cost {
        var apply = 0.0
        var write = 0.0
        var bytes = 0.0
    }

    let context: Context

    func run() throws -> [Figure] {
        let count = context.applyCount
        let work = Workload(people: count / Person.spendingsEach, spendings: count, seed: 12)
        var costs: [IdentifierForm: [Cost]] = [:]
        for _ in 0..<3 {
            for form in IdentifierForm.allCases { costs[form, default: []].append(try cost(form, work)) }
        }
        func figure(_ measure: String, _ work: String, _ read: (Cost) -> Double) -> Figure {
            let ratios = zip(costs[.text] ?? [], costs[.bytes] ?? []).map { read($0) / read($1) }
            return Figure(
                row: "identifiers", measure: measure, work: "\(count) records \(work), text against bytes",
                durability: .normal,
                samples: Samples(ratios), unit: "×", bar: nil)
        }
        return [
            figure("apply", "taken in", \.apply), figure("write", "written", \.write),
            figure("size", "in the file", \.bytes),
        ]
    }

    private func cost(_ form: IdentifierForm, _ work: Workload) throws -> Cost {
        let schema = try Schema(json: Workload.schema)
        var paths: [String] = []
        defer { for path in paths { context.remove(path) } }
        func make() throws -> Replica {
            let path = try context.freshPath("identifiers")
            paths.append(path)
            let replica = try Replica.create(at: path, schema: schema, identifiers: form, durability: .normal)
            let stamp = HybridTimestamp(milliseconds: 1_760_000_000_000, counter: 0, replica: ReplicaID(rawValue: 9))
            _ = try replica.apply(work.people.map { $0.state(at: stamp) }, checkpoint: [1], serverTime: nil)
            return replica
        }
        var cost = Cost()
        let pages = stride(from: 0, to: work.spendings.count, by: Self.pageSize).map { start in
            Array(work.spendings[start..<min(start + Self.pageSize, work.spendings.count)])
        }
        let pulling = try make()
        let stamp = HybridTimestamp(milliseconds: 1_760_003_600_000, counter: 0, replica: ReplicaID(rawValue: 9))
        for page in pages {
            let states = page.map { $0.state(at: stamp) }
            cost.apply += try Stopwatch.seconds {
                _ = try pulling.apply(states, checkpoint: [UInt8](repeating: 1, count: 8), serverTime: nil)
            }
        }
        try pulling.close()
        cost.bytes = Double(try FileManager.default.attributesOfItem(atPath: pulling.path)[.size] as? Int ?? 0)
        let writing = try make()
        for page in pages {
            cost.write += try Stopwatch.seconds {
                try writing.write("add") { transaction in
                    for spending in page { try transaction.put("Spending", id: spending.id, spending.values) }
                }
            }
        }
        try writing.close()
        return cost
    }
}
