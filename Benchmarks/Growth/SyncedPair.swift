import BenchmarkData
import Replica
import Roost
import RoostModel

/// Two devices of one scope that synchronise in this process, with the cost of one synchronisation.
struct SyncedPair {
    let editor: Device
    let reader: Device
    let spendings: [Spending]
    let durability: Durability
    let rounds: Int

    /// Measures the milliseconds of a sync that finds nothing new.
    func nothingNew() async throws -> Samples {
        try await repeated { _ in
            try await Stopwatch.seconds { try await editor.synchronise() } * 1000
        }
    }

    /// Measures the milliseconds of pushing edits of scattered records, and of pulling them on another device.
    func edits(of count: Int) async throws -> Samples {
        let raw = try RawDatabase(editor.replica.path, durability)
        let update = try raw.prepareEdit()
        return try await repeated { round in
            try raw.edit(spendings.scattered(count, round: round), with: update)
            return try await Stopwatch.seconds {
                try await editor.synchronise()
                try await reader.synchronise()
            } * 1000
        }
    }

    /// Checks that both replicas equal the server.
    func expectSame() async throws {
        let server = try await editor.replica.scope.digest()
        guard try editor.replica.digest() == server, try reader.replica.digest() == server else {
            throw BenchmarkError("The replicas and the server differ.")
        }
    }

    /// Measures rounds. The first two only warm the files up.
    private func repeated(_ body: (Int) async throws -> Double) async throws -> Samples {
        var values: [Double] = []
        for round in 0..<(rounds + 2) { values.append(try await body(round)) }
        return Samples(Array(values.dropFirst(2)))
    }
}
