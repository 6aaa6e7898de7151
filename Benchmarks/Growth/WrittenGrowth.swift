import BenchmarkData
import Foundation
import Replica
import Roost
import RoostModel

/// The memory that one large SQL transaction costs: on the device that wrote it, on one that pulls it, and on the server
/// between them, each in a process of its own.
///
/// Another program inserts all records, then updates all, then deletes the people, whose spendings a cascade hides.
struct WrittenGrowth {
    let context: Context
    let durability: Durability
    /// The numbers of records; `nil` for the usual ones.
    let sizes: [Int]?

    func run() async throws -> [GrowthPoint] {
        var points: [GrowthPoint] = []
        for count in sizes ?? [1000, 10_000] + (context.isQuick ? [] : [100_000, 1_000_000]) {
            context.note("  records of one SQL transaction: \(count)")
            points += try await measure(count)
        }
        return points
    }

    private func measure(_ count: Int) async throws -> [GrowthPoint] {
        var server = try await ServerProcess.start(context, durability)
        defer { server.remove() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let paths = try await scope.joinAndPull(["writer", "reader"]).map(\.path)
        let work = Workload(count: count, seed: 6)
        var points: [GrowthPoint] = []
        for step in Step.allCases {
            server = try await server.restarted()
            try run(step, work, paths[0])
            let pushed = try await SyncCommand.run(paths[0], durability, context)
            let receiving = try server.peakBytes
            let pulled = try await SyncCommand.run(paths[1], durability, context)
            points += [
                memory(count, "\(step), device that writes", pushed.peakBytes),
                memory(count, "\(step), server, receiving", receiving),
                memory(count, "\(step), device that pulls", pulled.peakBytes),
                memory(count, "\(step), server", try server.peakBytes),
            ]
            for path in paths { try await scope.expectServerDigest(of: path) }
        }
        try scope.owner.close()
        for path in paths + [scope.owner.path] { context.remove(path) }
        return points
    }

    private enum Step: String, CaseIterable, CustomStringConvertible {
        case insert, update, cascade

        var description: String { rawValue }
    }

    /// Writes by SQL in one transaction, like another program.
    private func run(_ step: Step, _ work: Workload, _ path: String) throws {
        let raw = try RawDatabase(path, durability)
        try raw.transaction {
            switch step {
            case .insert:
                let people = try raw.prepare("INSERT INTO person(id, name) VALUES (?1, ?2)")
                for person in work.people {
                    people.bind(1, person.id)
                    people.bind(2, person.name)
                    try people.run()
                }
                let spendings = try raw.prepareInsert()
                for spending in work.spendings { try spendings.run(spending) }
            case .update: try raw.execute("UPDATE spending SET amount = amount + 1")
            case .cascade: try raw.execute("DELETE FROM person")
            }
        }
    }

    private func memory(_ count: Int, _ measure: String, _ bytes: Double) -> GrowthPoint {
        GrowthPoint(
            .written, at: count, measure, Samples([bytes / 1_048_576]), "MiB", durability,
            bar: RecordsGrowth.peakMebibytesMax)
    }
}
