import BenchmarkData
import Foundation
import Replica
import Roost
import RoostModel

/// The costs of deleting every record of a scope, and of purging them. They are measured on the device that deletes, on one
/// that pulls before the purge, on one that is offline until everything is purged, on a new one, and on the server, each in
/// its own process.
struct DeletedGrowth {
    /// A number of days longer than deleted records are kept.
    private static let laterDays = 100
    /// The duration after which a purge counts as stuck.
    private static let purgeSecondsMax = 1800.0
    /// The number of records from which the server's files must be at most half as large after the purge. The identifiers of
    /// purged records stay, and so do a few pages for later writes.
    private static let shrinkingFrom = 100_000

    let context: Context
    let durability: Durability
    /// The numbers of records; `nil` for the usual ones.
    let sizes: [Int]?

    func run() async throws -> [GrowthPoint] {
        var points: [GrowthPoint] = []
        for count in sizes ?? [1000, 10_000] + (context.isQuick ? [] : [100_000, 1_000_000]) {
            context.note("  deleted records: \(count)")
            points += try await measure(count)
        }
        return points
    }

    private func measure(_ count: Int) async throws -> [GrowthPoint] {
        var server = try await ServerProcess.start(context, durability)
        defer { server.remove() }
        let scope = try await ServedScope.make(context, on: server, durability)
        try await scope.seed(Workload(count: count, seed: 5))
        let paths = try await scope.joinAndPull(["deleter", "live", "away"]).map(\.path)
        server = try await server.restarted()
        try deleteAll(paths[0])
        let pushed = try await SyncCommand.run(paths[0], durability, context)
        let pulled = try await SyncCommand.run(paths[1], durability, context)
        let receiving = try server.peakBytes
        server.stop()
        let before = try server.storedBytes
        server = try await server.restarted(daysLater: Self.laterDays)
        let purge = try await Stopwatch.seconds { try await waitForPurge(scope) }
        try await waitForSpace(server)
        let purging = try server.peakBytes
        server.stop()
        let after = try server.storedBytes
        server = try await server.restarted(daysLater: Self.laterDays)
        _ = try await SyncCommand.run(paths[0], durability, context)
        let live = try await SyncCommand.run(paths[1], durability, context)
        let away = try await SyncCommand.run(paths[2], durability, context)
        let fresh = try await scope.join("new")
        try fresh.close()
        let joined = try await SyncCommand.run(fresh.path, durability, context)
        let serving = try server.peakBytes
        for path in paths + [fresh.path] { try await expectNothing(path, scope) }
        try scope.owner.close()
        for path in paths + [fresh.path, scope.owner.path] { context.remove(path) }
        return [
            point(count, "delete pushed, a record", pushed.seconds * 1e6 / Double(count), "µs"),
            point(count, "delete pulled, a record", pulled.seconds * 1e6 / Double(count), "µs"),
            point(count, "purge, a record", purge * 1e6 / Double(count), "µs"),
            point(count, "delete pulled after the purge, a record", away.seconds * 1e6 / Double(count), "µs"),
            memory(count, "device that deletes", pushed.peakBytes),
            memory(count, "device that pulls along", max(pulled.peakBytes, live.peakBytes)),
            memory(count, "device that was away", away.peakBytes),
            memory(count, "new device", joined.peakBytes),
            memory(count, "server, receiving deletes", receiving),
            memory(count, "server, purging", purging),
            memory(count, "server, after the purge", serving),
            point(count, "server's files before the purge", before / 1_048_576, "MiB stored"),
            point(
                count, "server's files after the purge", after / 1_048_576, "MiB stored",
                bar: count < Self.shrinkingFrom ? nil : before / 1_048_576 / 2),
        ]
    }

    private func point(
        _ count: Int, _ measure: String, _ figure: Double, _ unit: String, bar: Double? = nil
    ) -> GrowthPoint {
        GrowthPoint(.deleted, at: count, measure, Samples([figure]), unit, durability, bar: bar)
    }

    private func memory(_ count: Int, _ measure: String, _ bytes: Double) -> GrowthPoint {
        point(count, measure, bytes / 1_048_576, "MiB", bar: RecordsGrowth.peakMebibytesMax)
    }

    /// Deletes by SQL, one table at a time, like another program.
    private func deleteAll(_ path: String) throws {
        let raw = try RawDatabase(path, durability)
        try raw.transaction {
            try raw.execute("DELETE FROM spending")
            try raw.execute("DELETE FROM person")
        }
    }

    /// Waits until the server has purged all records that it may purge.
    private func waitForPurge(_ scope: ServedScope) async throws {
        let deadline = Date(timeIntervalSinceNow: Self.purgeSecondsMax)
        while try await scope.owner.scope.digest() != ScopeDigest() {
            guard Date() < deadline else { throw BenchmarkError("The server did not purge in time.") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Waits until the server frees no more space. Its WAL has been checkpointed by then, too.
    private func waitForSpace(_ server: ServerProcess) async throws {
        var last = -1.0
        while case let now = try server.storedBytes, now != last {
            last = now
            try await Task.sleep(for: .seconds(2))
        }
    }

    /// Checks that the replica is empty, and that the server has the same digest.
    private func expectNothing(_ path: String, _ scope: ServedScope) async throws {
        try await scope.expectServerDigest(of: path)
        let raw = try RawDatabase(path, durability)
        let left = try raw.integer("SELECT (SELECT count(*) FROM spending) + (SELECT count(*) FROM person)")
        guard left == 0 else { throw BenchmarkError("\(path) still has \(left) records that were deleted.") }
    }
}
