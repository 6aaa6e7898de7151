import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// The cost of a sync of one scope, by the number of other scopes on the server.
struct ScopesGrowth {
    private static let recordsEach = 10

    let context: Context
    let durability: Durability

    func run() async throws -> [GrowthPoint] {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let work = Workload(count: 1000, seed: 3)
        try await scope.seed(work)
        let devices = [Device(try await scope.join("editor")), Device(try await scope.join("reader"))]
        for device in devices { try await device.synchronise() }
        let pair = SyncedPair(
            editor: devices[0], reader: devices[1], spendings: work.spendings, durability: durability,
            rounds: context.amount(20, quick: 5))
        var points: [GrowthPoint] = []
        var existing = 1
        for count in [1, 10, 100] + (context.isQuick ? [] : [1000, 10_000]) {
            context.note("  scopes: \(count)")
            let making = try await make(existing..<count, on: server)
            existing = count
            points += [
                point(count, "nothing new", try await pair.nothingNew(), "ms"),
                point(count, "1 edit, pushed and pulled", try await pair.edits(of: 1), "ms"),
                point(count, "100 edits, pushed and pulled", try await pair.edits(of: 100), "ms"),
                point(count, "server's memory", Samples([try server.residentBytes / 1_048_576]), "MiB"),
            ]
            if !making.isEmpty { points.append(point(count, "a new scope of 10 records", Samples(making), "ms")) }
        }
        try await pair.expectSame()
        for replica in devices.map(\.replica) + [scope.owner] { try replica.close() }
        return points
    }

    private func point(_ count: Int, _ measure: String, _ samples: Samples, _ unit: String) -> GrowthPoint {
        GrowthPoint(.scopes, at: count, measure, samples, unit, durability)
    }

    /// Makes scopes, and pushes a few records into each.
    ///
    /// - Returns: The milliseconds of each of the last hundred.
    private func make(_ range: Range<Int>, on server: ServerProcess) async throws -> [Double] {
        let transport = try HTTPTransport(to: try ServerAddress(server.address))
        let admin = ServerClient(transport, token: server.adminToken)
        var times: [Double] = []
        for index in range {
            let work = Workload(count: Self.recordsEach, seed: UInt64(index))
            let time = try await Stopwatch.seconds {
                let registration = try await admin.createScope(
                    name: "scope \(index)", device: "owner", schema: Workload.schema,
                    nonce: "benchmark nonce of scope \(index)")
                try await ServedScope.push(
                    work, with: ServerClient(transport, token: registration.token), as: registration.replica)
            }
            times.append(time * 1000)
        }
        await transport.shutdown()
        return times.suffix(100)
    }
}
