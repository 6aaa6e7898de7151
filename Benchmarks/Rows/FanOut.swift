import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// One write for which many devices wait.
struct FanOut {
    static let row = Row(
        names: ["fanout"],
        help: """
            One new record that a device pushes, until the last of 500 others that wait in a long poll has decoded the page that
            brings it; 20 times. All connections are this process's.
            """, run: { try await FanOut(context: $0).run() })

    /// The number of transports; each one carries a part of the connections.
    private static let transports = 4

    let context: Context

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] { figures.append(try await measure(durability)) }
        return figures
    }

    private func measure(_ durability: Durability) async throws -> Figure {
        let count = context.waitingDevices
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let registrations = try await scope.register(count + 1)
        var configuration = TransportConfiguration()
        configuration.connectionsMax = count + 1
        let transports = try (0..<Self.transports).map { _ in
            try HTTPTransport(to: try ServerAddress(server.address), configuration)
        }
        let clients = registrations.enumerated().map { index, registration in
            ServerClient(transports[index % transports.count], token: registration.token)
        }
        let before = try server.computedSeconds
        let times = try await withThrowingTaskGroup(of: Void.self) { group in
            let (arrivals, arrived) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
            for client in clients.dropFirst() { group.addTask { try await Self.follow(client, arrived) } }
            let times = try await push(clients[0], registrations[0].replica, count, arrivals)
            group.cancelAll()
            try await group.waitForAll()
            return Samples(times)
        }
        let computed = try server.computedSeconds - before
        for transport in transports { await transport.shutdown() }
        try scope.owner.close()
        return Figure(
            row: "fanout", measure: "last", work: "one write reaches all of \(count) waiting devices, p50",
            durability: durability, value: times.median, unit: "ms", repeats: times.repeats,
            detail: "server used \(Report.number(computed * 1000 / Double(times.repeats.count))) ms of CPU a write")
    }

    /// Pulls each change, and reports the time of its arrival.
    private static func follow(
        _ client: ServerClient, _ arrived: AsyncStream<ContinuousClock.Instant>.Continuation
    ) async throws {
        var checkpoint = try await client.pull(since: nil, waitSeconds: 0).checkpoint
        while !Task.isCancelled {
            do {
                let page = try await client.pull(since: checkpoint.bytes, waitSeconds: 50)
                checkpoint = page.checkpoint
                if !page.records.isEmpty { arrived.yield(.now) }
            } catch {
                // Without this end, the count of arrivals would wait for ever.
                arrived.finish()
                if !Task.isCancelled { throw error }
            }
        }
    }

    /// - Returns: The milliseconds of each round.
    private func push(
        _ client: ServerClient, _ replica: ReplicaID, _ count: Int, _ arrivals: AsyncStream<ContinuousClock.Instant>
    ) async throws -> [Double] {
        let person = Workload(people: 1, spendings: 0, seed: 0).people[0].id
        var generator = SplitMix64(state: 14)
        var stamps = Stamps(of: replica)
        var arrival = arrivals.makeAsyncIterator()
        var times: [Double] = []
        for number in 1...UInt64(context.fanOutRounds) {
            // All devices are waiting again after the pause.
            try await Task.sleep(for: .milliseconds(number == 1 ? 3000 : 300))
            let stamp = stamps.next()
            let spending = Spending(
                id: RecordID(milliseconds: stamp.milliseconds, using: &generator),
                content: "Dinner in Lisbon no. \(number)", amount: Int64(number), currency: "EUR", date: "2026-05-01",
                isPaid: false, person: person)
            let change = Change(key: spending.key, stamp: stamp, kind: .put(spending.encoded, base: nil))
            let start = ContinuousClock.now
            let reply = try await client.push(
                PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: [change])]).protobuf())
            guard case .accepted? = reply.results.first else { throw BenchmarkError("A push was refused.") }
            var last = start
            for _ in 0..<count {
                guard let time = await arrival.next() else { throw BenchmarkError("A device that waits was cut off.") }
                last = max(last, time)
            }
            times.append((last - start).seconds * 1000)
        }
        return times
    }
}
