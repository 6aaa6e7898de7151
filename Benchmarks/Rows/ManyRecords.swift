import BenchmarkData
import Replica
import Roost
import RoostModel
import RoostProtocol
import Transport

/// The costs of a scope with 100,000 records: its first pull, serving it, and the transfer of 100 changes.
struct ManyRecords {
    static let row = Row(
        names: ["pull", "serve", "change"],
        help: """
            pull: a fresh device pulls 100,000 records, until its replica is up to date and usable; also with identifiers in no order.
            serve: the same pages over one connection to a client that only reads bytes: what the server gives out.
            change: 100 of 100,000 records are edited by plain SQL in one transaction on one device; its synchronising and then
            another device's, both replicas included; each device keeps its connection. Beside it the same rows read and written on the three sides by SQLite
            alone, and that with both bodies compressed, hashed and sent and nothing of Roost's. Just before each round a walk over 32 KiB says
            what a line of memory takes then.
            """, run: { try await ManyRecords(context: $0).run() })

    let context: Context

    private var count: Int { context.pullCount }

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] { figures += try await measure(durability) }
        return figures
    }

    private func measure(_ durability: Durability) async throws -> [Figure] {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let work = Workload(count: count, seed: 2)
        let (devices, pulls) = try await pull(work, scope)
        let figures =
            [try pulled(pulls, work, durability)] + (try await serve(scope, work))
            + (try await change(work, devices[0], devices[1], durability))
        try remove(devices.map(\.replica) + [scope.owner])
        return figures + [try await pulledRandom(server, durability)]
    }

    private func remove(_ replicas: [Replica]) throws {
        for replica in replicas {
            try replica.close()
            context.remove(replica.path)
        }
    }

    // MARK: First pull

    /// Fills a scope, and lets devices pull it one after another.
    private func pull(_ work: Workload, _ scope: ServedScope) async throws -> (devices: [Device], seconds: Samples) {
        try await scope.seed(work)
        var devices: [Device] = []
        var seconds: [Double] = []
        for index in 0..<context.pullRounds {
            let device = Device(try await scope.join("device-\(index)"))
            seconds.append(try await Stopwatch.seconds { try await device.synchronise() })
            guard try device.replica.digest() == (try await device.replica.scope.digest()) else {
                throw BenchmarkError("A replica differs from the server after its first pull.")
            }
            devices.append(device)
        }
        return (devices, Samples(seconds))
    }

    /// Measures the first pull of records with random identifiers, for which there is no target.
    private func pulledRandom(_ server: ServerProcess, _ durability: Durability) async throws -> Figure {
        let scope = try await ServedScope.make(context, on: server, durability)
        let work = Workload(count: count, seed: 3, identifiers: .random)
        let (devices, seconds) = try await pull(work, scope)
        try remove(devices.map(\.replica) + [scope.owner])
        var figure = try pulled(seconds, work, durability)
        figure.measure = "speed with random identifiers"
        figure.work += ", identifiers in no order"
        figure.bar = nil
        return figure
    }

    private func pulled(_ seconds: Samples, _ work: Workload, _ durability: Durability) throws -> Figure {
        let speed = seconds.speed(of: count)
        let plain = try PlainTable(context: context, durability: durability).upserts(work.spendings)
        let bare = try BarePull(context: context, durability: durability).speed(work.spendings)
        return Figure(
            row: "pull", measure: "speed", work: "first pull of \(Report.number(Double(count)))",
            durability: durability,
            samples: speed, unit: "records/s", bar: .atLeast(120_000),
            baseline: .speed(plain, "records/s", of: speed.median),
            floor: .speed(bare, "records/s", of: speed.median),
            detail:
                "\(Report.number(seconds.median)) s; a new device each time; floor: rows, stamps and hashes by SQLite alone"
        )
    }

    // MARK: Serving

    private func serve(_ scope: ServedScope, _ work: Workload) async throws -> [Figure] {
        let client = try scope.ownerClient()
        var times: [Double] = []
        var computed: [Double] = []
        for _ in 0..<5 {
            let before = try scope.server.computedSeconds
            times.append(try await Stopwatch.seconds { try await read(all: client) })
            computed.append(try scope.server.computedSeconds - before)
        }
        await client.transport.shutdown()
        let speed = Samples(times).speed(of: count)
        let plain = try PlainTable(context: context, durability: scope.durability).reads(work.spendings)
        return [
            Figure(
                row: "serve", measure: "speed", work: "serving a pull of \(Report.number(Double(count)))",
                durability: scope.durability, samples: speed, unit: "records/s", bar: .atLeast(150_000),
                baseline: .speed(plain, "records/s", of: speed.median),
                detail: "server CPU \(Report.number(Samples(computed).median)) s")
        ]
    }

    /// Reads every page without decoding its records.
    private func read(all client: ServerClient) async throws {
        var checkpoint = ""
        var found = 0
        var hasMore = true
        while hasMore {
            var request = HTTPRequest(.get, "/v1/pull" + (checkpoint.isEmpty ? "" : "?since=\(checkpoint)"))
            request.headers.append("Authorization", "Bearer \(client.token ?? "")")
            request.headers.append("Accept", MediaType.protobuf.rawValue)
            let response = try await client.transport.send(request)
            guard response.status == 200 else { throw BenchmarkError("A pull was answered with \(response.status).") }
            hasMore = false
            try response.body.withBytes { body throws(ContentError) in
                var reader = ProtobufReader(body)
                while let field = try reader.next() {
                    switch (field.number, field.value) {
                    case (1, _): found += 1
                    case (2, .bytes(let bytes)): checkpoint = Hex.encode(Array(bytes))
                    case (3, .varint(let flag)): hasMore = flag != 0
                    default: break
                    }
                }
            }
        }
        guard found == count else { throw BenchmarkError("A pull brought \(found) of \(count) records.") }
    }

    // MARK: 100 changed

    private func change(
        _ work: Workload, _ editor: Device, _ reader: Device, _ durability: Durability
    ) async throws -> [Figure] {
        let raw = try RawDatabase(editor.replica.path, durability)
        let update = try raw.prepareEdit()
        let memory = MemoryLines()
        defer { memory.free() }
        var pushes: [Double] = []
        var pulls: [Double] = []
        var sums = SamplesByLine()
        for round in 0..<context.changeRounds {
            let line = try memory.nanoseconds()
            try raw.edit(work.spendings.scattered(100, round: round), with: update)
            pushes.append(try await Stopwatch.seconds { try await editor.synchronise() } * 1000)
            pulls.append(try await Stopwatch.seconds { try await reader.synchronise() } * 1000)
            sums.add(milliseconds: pushes[round] + pulls[round], line: line)
        }
        guard try editor.replica.digest() == reader.replica.digest() else {
            throw BenchmarkError("Two replicas differ.")
        }
        let plain = try PlainTable(context: context, durability: durability).hundredUpdates(work.spendings)
        let bare = try BareChange(context: context, durability: durability).times(work)
        let halves = [pushes, pulls].map { Report.number(Samples($0).median) }
        return [
            Figure(
                row: "change", measure: "time",
                work: "100 changed of \(Report.number(Double(count))): push + pull by another",
                durability: durability, samples: sums.times, unit: "ms", bar: .atMost(8),
                baseline: .cost(plain, "ms", of: sums.times.median),
                floor: .cost(bare.whole.median, "ms", of: sums.times.median),
                detail: "push \(halves[0]), pull \(halves[1]) ms; floor: the same rows on three sides, with bodies "
                    + "compressed, hashed and sent; of it SQLite alone \(Report.number(bare.sqlite.median)) ms; "
                    + "a line of memory \(Report.number(sums.line)) ns before a round; " + sums.byLine)
        ]
    }
}
