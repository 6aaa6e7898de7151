import BenchmarkData
import Replica
import Roost
import RoostModel

/// The cost of a sync and of a local write, by the number of pending local changes.
struct PendingGrowth {
    let context: Context
    let durability: Durability

    func run() async throws -> [GrowthPoint] {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        var points: [GrowthPoint] = []
        for count in [1, 10, 100, 1000] + (context.isQuick ? [] : [10_000, 100_000]) {
            context.note("  pending changes: \(count)")
            var runs: [(write: Double, sync: Double)] = []
            for _ in 0..<context.amount(count > 10_000 ? 3 : 7, quick: 2) {
                runs.append(
                    try await measure(count, on: server) { device in
                        try await Stopwatch.seconds { try await device.synchronise() } * 1000
                    })
            }
            // The measurement is repeated for the memory of a process that does nothing else.
            let peak = try await measure(count, on: server) { device in
                try device.replica.close()
                return try await SyncCommand.run(device.replica.path, durability, context).peakBytes
            }.sync
            points += [
                point(count, "sync of all", Samples(runs.map(\.sync)), "ms"),
                point(count, "1 local write", Samples(runs.map(\.write)), "ms"),
                point(count, "client's memory", Samples([peak / 1_048_576]), "MiB"),
                point(count, "server's memory", Samples([try server.peakBytes / 1_048_576]), "MiB"),
            ]
        }
        return points
    }

    private func point(_ count: Int, _ measure: String, _ samples: Samples, _ unit: String) -> GrowthPoint {
        GrowthPoint(.pending, at: count, measure, samples, unit, durability)
    }

    /// - Parameter sync: Synchronises the replica, and returns the cost.
    /// - Returns: Milliseconds of the last of the writes, and the result of `sync`.
    private func measure(
        _ count: Int, on server: ServerProcess, _ sync: (Device) async throws -> Double
    ) async throws -> (write: Double, sync: Double) {
        let scope = try await ServedScope.make(context, on: server, durability)
        let replica = scope.owner
        defer { context.remove(replica.path) }
        let work = Workload(people: 1, spendings: count, seed: 4)
        try replica.write("person") { try $0.put("Person", id: work.people[0].id, ["name": .string("Person")]) }
        let device = Device(replica)
        try await device.synchronise()
        let last = work.spendings[count - 1]
        for start in stride(from: 0, to: count - 1, by: 1000) {
            try replica.write("spendings") { transaction in
                for spending in work.spendings[start..<min(start + 1000, count - 1)] {
                    try transaction.put("Spending", id: spending.id, spending.values)
                }
            }
        }
        let write = try Stopwatch.seconds {
            try replica.write("spending") { try $0.put("Spending", id: last.id, last.values) }
        }
        let cost = try await sync(device)
        try replica.close()
        let synced = try Replica(opening: replica.path, durability: durability)
        guard try synced.digest() == (try await synced.scope.digest()) else {
            throw BenchmarkError("A replica differs from the server after its push.")
        }
        try synced.close()
        return (write * 1000, cost)
    }
}
