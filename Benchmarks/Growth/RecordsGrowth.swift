import BenchmarkData
import Replica
import Roost
import RoostModel

/// The cost of a sync, by the number of records in the scope, and the memory of a first pull of all records.
struct RecordsGrowth {
    /// The target for the memory of a first pull of a million records, on either side.
    static let peakMebibytesMax = 150.0

    let context: Context
    let durability: Durability

    func run() async throws -> [GrowthPoint] {
        var points: [GrowthPoint] = []
        for count in [1000, 10_000] + (context.isQuick ? [] : [100_000, 1_000_000]) {
            context.note("  records: \(count)")
            points += try await measure(count)
        }
        return points
    }

    private func measure(_ count: Int) async throws -> [GrowthPoint] {
        var server = try await ServerProcess.start(context, durability)
        defer { server.remove() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let work = Workload(count: count, seed: 2)
        try await scope.seed(work)
        let seeding = try server.peakBytes
        // The server is restarted with the data, so that the memory for receiving them is not counted again.
        server = try await server.restarted()
        let joined = try await scope.joinAndPull(["editor", "reader"])
        let pulls = joined.map(\.pull)
        let devices = try joined.map { Device(try Replica(opening: $0.path, durability: durability)) }
        let serving = try server.peakBytes
        let pair = SyncedPair(
            editor: devices[0], reader: devices[1], spendings: work.spendings, durability: durability,
            rounds: context.amount(20, quick: 5))
        let points = [
            point(count, "nothing new", try await pair.nothingNew(), "ms"),
            point(count, "1 edit, pushed and pulled", try await pair.edits(of: 1), "ms"),
            point(count, "100 edits, pushed and pulled", try await pair.edits(of: 100), "ms"),
            point(count, "first pull, a record", Samples(pulls.map { $0.seconds * 1e6 / Double(count) }), "µs"),
            memory(count, "client, first pull", pulls.map(\.peakBytes)),
            memory(count, "server, two first pulls", [serving]),
            point(count, "server, receiving the records", Samples([seeding / 1_048_576]), "MiB"),
        ]
        try await pair.expectSame()
        for replica in devices.map(\.replica) + [scope.owner] {
            try replica.close()
            context.remove(replica.path)
        }
        return points
    }

    private func point(_ count: Int, _ measure: String, _ samples: Samples, _ unit: String) -> GrowthPoint {
        GrowthPoint(.records, at: count, measure, samples, unit, durability)
    }

    private func memory(_ count: Int, _ measure: String, _ bytes: [Double]) -> GrowthPoint {
        GrowthPoint(
            .records, at: count, measure, Samples(bytes.map { $0 / 1_048_576 }), "MiB", durability,
            bar: Self.peakMebibytesMax)
    }
}
