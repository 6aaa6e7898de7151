import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// 50 devices of one scope, each of which repeatedly pushes one record and pulls the records of the others.
struct ManyDevices {
    static let row = Row(
        names: ["devices"],
        help: """
            50 devices of one scope, each in a loop: push one new record, then pull all that is new. Their requests are made and
            their answers decoded in this process, over a connection each; they keep no replica files.
            """, run: { try await ManyDevices(context: $0).run() })

    /// The number of threads that carry the devices' connections.
    private static let transports = 2

    let context: Context

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] { figures += try await measure(durability) }
        return figures
    }

    private func measure(_ durability: Durability) async throws -> [Figure] {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let registrations = try await scope.register(context.devices)
        let transports = try (0..<Self.transports).map { _ in try HTTPTransport(to: try ServerAddress(server.address)) }
        let before = try server.computedSeconds
        let start = ContinuousClock.now
        let end = start + .seconds(context.deviceSeconds)
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for (index, registration) in registrations.enumerated() {
                let client = ServerClient(transports[index % transports.count], token: registration.token)
                group.addTask { try await loop(client, registration.replica, UInt64(index), until: end) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        let seconds = (ContinuousClock.now - start).seconds
        let computed = try server.computedSeconds - before
        for transport in transports { await transport.shutdown() }
        try scope.owner.close()
        return try figures(Samples(times), times.count, seconds, computed, durability)
    }

    private func figures(
        _ times: Samples, _ count: Int, _ seconds: Double, _ computed: Double, _ durability: Durability
    ) throws -> [Figure] {
        let plain = try PlainTable(context: context, durability: durability)
            .upserts(Workload(people: 1, spendings: 1000, seed: 6).spendings, perTransaction: 1)
        let speed = Double(count) / seconds
        let work = "\(context.devices) devices, each push one + pull"
        return [
            Figure(
                row: "devices", measure: "speed", work: work, durability: durability, value: speed, unit: "pairs/s",
                bar: .atLeast(2000), baseline: .speed(plain, "records/s", of: speed),
                detail:
                    "\(count) pairs in \(Report.number(seconds)) s, server used \(Report.number(computed / seconds)) cores"
            ),
            Figure(
                row: "devices", measure: "p99", work: "\(work), p99", durability: durability,
                value: times.percentile(99), unit: "ms", bar: .atMost(60), repeats: times.repeats,
                detail: "p50 \(Report.number(times.median)) ms"),
            Figure(
                row: "devices", measure: "server CPU", work: "\(work), server CPU a pair", durability: durability,
                value: computed * 1000 / Double(count), unit: "ms", bar: .atMost(0.5)),
        ]
    }

    /// - Returns: The milliseconds of each pair.
    private func loop(
        _ client: ServerClient, _ replica: ReplicaID, _ seed: UInt64, until end: ContinuousClock.Instant
    ) async throws -> [Double] {
        let person = Workload(people: 1, spendings: 0, seed: 0).people[0].id
        var generator = SplitMix64(state: seed)
        var stamps = Stamps(of: replica)
        var checkpoint: Checkpoint?
        var times: [Double] = []
        var number: UInt64 = 0
        while ContinuousClock.now < end {
            let stamp = stamps.next()
            number += 1
            let spending = Spending(
                id: RecordID(milliseconds: stamp.milliseconds, using: &generator),
                content: "Dinner in Lisbon no. \(number)",
                amount: Int64(number), currency: "EUR", date: "2026-05-01", isPaid: false, person: person)
            let change = Change(key: spending.key, stamp: stamp, kind: .put(spending.encoded, base: nil))
            let request = PushRequest(number: number, checkpoint: checkpoint, transactions: [.init(changes: [change])])
            times.append(
                try await Stopwatch.seconds {
                    let reply = try await client.push(request.protobuf())
                    guard case .accepted? = reply.results.first else { throw BenchmarkError("A push was refused.") }
                    var hasMore = true
                    while hasMore {
                        let page = try await client.pull(since: checkpoint?.bytes, waitSeconds: 0)
                        checkpoint = page.checkpoint
                        hasMore = page.hasMore
                    }
                } * 1000)
        }
        return times
    }
}
