import BenchmarkData
import Foundation
import Replica
import Roost
import RoostCompression
import RoostModel
import RoostProtocol

/// One device pushes 10,000 new records.
struct Pushed {
    static let row = Row(
        names: ["push"],
        help: """
            One device pushes 10,000 new records, written in transactions of 1,000: from the first look into its outbox until
            all is acknowledged, taken in, and the replica is up to date; the server's CPU time; compressed bytes of bodies.
            """, run: { try await Pushed(context: $0).run() })

    let context: Context

    private struct Run {
        var seconds: Double
        var sealing: Double
        var computed: Double
        var bytes: Int
    }

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] { figures += try await measure(durability) }
        return figures
    }

    private func measure(_ durability: Durability) async throws -> [Figure] {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let count = context.pushCount
        var runs: [Run] = []
        for round in 0..<context.pushRounds {
            runs.append(try await push(Workload(count: count, seed: UInt64(round)), to: server, durability))
        }
        let speed = Samples(runs.map(\.seconds)).speed(of: count)
        let sealing = Samples(runs.map(\.sealing)).median
        let plain = try PlainTable(context: context, durability: durability)
            .upserts(Workload(people: 1, spendings: count, seed: 0).spendings)
        let work = "push of \(count) new records"
        return [
            Figure(
                row: "push", measure: "speed", work: work, durability: durability, samples: speed, unit: "records/s",
                bar: .atLeast(30_000), baseline: .speed(plain, "records/s", of: speed.median),
                detail: "of it sealing \(Report.number(sealing * 1000)) ms; a new device and scope each time"),
            Figure(
                row: "push", measure: "server CPU", work: "\(work), server CPU", durability: durability,
                samples: Samples(runs.map(\.computed)), unit: "s", bar: .atMost(0.25)),
            Figure(
                row: "push", measure: "bodies", work: "\(work), compressed bodies", durability: durability,
                samples: Samples(runs.map { Double($0.bytes) / Double(count) }), unit: "bytes/record", bar: .atMost(70)),
        ]
    }

    /// Pushes from a new replica to a new scope.
    private func push(_ work: Workload, to server: ServerProcess, _ durability: Durability) async throws -> Run {
        let scope = try await ServedScope.make(context, on: server, durability)
        let replica = scope.owner
        defer { context.remove(replica.path) }
        try write(work, to: replica)
        let before = try server.computedSeconds
        let sealing = try Stopwatch.seconds { try seal(replica) }
        let bytes = try compressedBytes(replica.path, durability)
        var pushed = 0
        let sending = try await Stopwatch.seconds {
            pushed = try await Device(replica).synchronise().pushed
        }
        guard pushed == work.count else { throw BenchmarkError("\(pushed) of \(work.count) changes were pushed.") }
        let computed = try server.computedSeconds - before
        try replica.close()
        return Run(seconds: sealing + sending, sealing: sealing, computed: computed, bytes: bytes)
    }

    private func write(_ work: Workload, to replica: Replica) throws {
        for start in stride(from: 0, to: work.people.count, by: 1000) {
            try replica.write("people") { transaction in
                for person in work.people[start..<min(start + 1000, work.people.count)] {
                    try transaction.put("Person", id: person.id, ["name": .string(person.name)])
                }
            }
        }
        for start in stride(from: 0, to: work.spendings.count, by: 1000) {
            try replica.write("spendings") { transaction in
                for spending in work.spendings[start..<min(start + 1000, work.spendings.count)] {
                    try transaction.put("Spending", id: spending.id, spending.values)
                }
            }
        }
    }

    /// Seals all pending changes, like the first step of a synchronisation.
    private func seal(_ replica: Replica) throws {
        try replica.sealPushes(limits: PushLimits(Limits()))
    }

    /// Returns the compressed size of the sealed bodies on the wire.
    private func compressedBytes(_ path: String, _ durability: Durability) throws -> Int {
        let bodies = try RawDatabase(path, durability).prepare("SELECT body FROM roost_push ORDER BY number")
        var count = 0
        while try bodies.step() { count += try Compression.zstd(bodies.bytes(0)).count }
        return count
    }
}
