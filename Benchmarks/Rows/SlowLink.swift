import BenchmarkData
import Replica
import Roost
import RoostModel
import ShapedLink

/// The cost of a sync over a link with a long delay and a low rate that loses segments.
struct SlowLink {
    static let row = Row(
        names: ["link"],
        help: """
            Over 100 ms of round trip, 2 Mbit/s and 1 % loss, made by a proxy in this process: bytes and round trips of a sync
            that has nothing to do, and of one that pushes and pulls a change; a first pull and a push of 10,000 records
            as multiples of the time that their compressed bytes alone take at that rate.
            """, run: { try await SlowLink(context: $0).run() })

    private static let shape = LinkShape(roundTrip: .milliseconds(100), bitsPerSecond: 2_000_000, loss: 0.01)
    private static let count = 10_000

    let context: Context

    /// The cost of a sync over the link.
    private struct Sync {
        var seconds: Double
        var traffic: LinkTraffic
    }

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] {
            let server = try await ServerProcess.start(context, durability)
            defer { server.stop() }
            if durability == .normal { figures += try await small(server, durability) }
            figures += try await large(server, durability)
        }
        return figures
    }

    // MARK: Small syncs

    private func small(_ server: ServerProcess, _ durability: Durability) async throws -> [Figure] {
        let scope = try await ServedScope.make(context, on: server, durability)
        let link = try link(to: server, seed: 0)
        defer { link.stop() }
        let other = try await scope.join("other")
        defer { try? other.close() }
        let work = Workload(people: 1, spendings: 2, seed: 1)
        try scope.owner.write("person") { transaction in
            try transaction.put("Person", id: work.people[0].id, ["name": .string(work.people[0].name)])
        }
        // The first syncs are those of new replicas. They end with the exchange of the devices' names.
        let (near, far) = (Device(other), Device(scope.owner))
        for device in [far, near, far] { try await device.synchronise() }
        try Self.redirect(scope.owner, over: link)
        let empty = try await synchronise(far, over: link)
        try put(work.spendings[0], into: other)
        try await near.synchronise()
        try put(work.spendings[1], into: scope.owner)
        let change = try await synchronise(far, over: link)
        let visible = try RawDatabase(scope.owner.path, durability).integer("SELECT count(*) FROM spending")
        guard visible == 2 else { throw BenchmarkError("Expected 2 spendings after push and pull, found \(visible).") }
        try scope.owner.close()
        return [
            Figure(
                row: "link", measure: "empty-bytes", work: "a sync with nothing to do, both ways", durability: nil,
                value: Double(empty.traffic.up + empty.traffic.down), unit: "bytes", bar: .atMost(600),
                detail: "\(empty.traffic.up) up, \(empty.traffic.down) down, heads included"),
            Figure(
                row: "link", measure: "empty-round-trips", work: "a sync with nothing to do", durability: nil,
                value: Double(empty.traffic.roundTrips), unit: "round trips", bar: .atMost(1),
                detail: "\(Report.number(empty.seconds * 1000)) ms; a connection opened beside"),
            Figure(
                row: "link", measure: "change-round-trips", work: "a change pushed and another pulled", durability: nil,
                value: Double(change.traffic.roundTrips), unit: "round trips", bar: .atMost(1),
                detail: "\(Report.number(change.seconds * 1000)) ms, over the same connection, "
                    + "\(change.traffic.up) bytes up, \(change.traffic.down) down"),
        ]
    }

    private func put(_ spending: Spending, into replica: Replica) throws {
        try replica.write("spending") { try $0.put("Spending", id: spending.id, spending.values) }
    }

    // MARK: Large syncs

    private func large(_ server: ServerProcess, _ durability: Durability) async throws -> [Figure] {
        var pushes: [Sync] = []
        var pulls: [Sync] = []
        for round in 0..<context.amount(5, quick: 2) {
            let link = try link(to: server, seed: UInt64(round))
            defer { link.stop() }
            let scope = try await ServedScope.make(context, on: server, durability)
            let reader = try await scope.join("reader")
            try await Device(scope.owner).synchronise()
            try write(Workload(count: Self.count, seed: UInt64(round)), to: scope.owner)
            for replica in [scope.owner, reader] { try Self.redirect(replica, over: link) }
            pushes.append(try await synchronise(Device(scope.owner), over: link))
            pulls.append(try await synchronise(Device(reader), over: link))
            guard try scope.owner.digest() == reader.digest() else { throw BenchmarkError("Two replicas differ.") }
            for replica in [scope.owner, reader] {
                try replica.close()
                context.remove(replica.path)
            }
        }
        return [
            figure("push", "push of \(Self.count) new records", durability, pushes, \.up),
            figure("pull", "first pull of \(Self.count)", durability, pulls, \.down),
        ]
    }

    private func figure(
        _ measure: String, _ work: String, _ durability: Durability, _ syncs: [Sync],
        _ bytes: KeyPath<LinkTraffic, Int>
    ) -> Figure {
        let ratios = syncs.map { $0.seconds / Self.shape.seconds(of: $0.traffic[keyPath: bytes]) }
        let kibibytes = Samples(syncs.map { Double($0.traffic[keyPath: bytes]) / 1024 }).median
        // The time in which the bytes pass, with lost ones sent twice, and one round trip for request and answer.
        let least = syncs.map { sync in
            1 + Self.shape.loss
                + Self.shape.roundTrip.seconds / Self.shape.seconds(of: sync.traffic[keyPath: bytes])
        }
        let trips = Samples(syncs.map { Double($0.traffic.roundTrips) }).median
        return Figure(
            row: "link", measure: measure, work: "\(work), against the time of its bytes", durability: durability,
            samples: Samples(ratios), unit: "×", bar: .atMost(1.3),
            floor: .cost(Samples(least).median, "×", of: Samples(ratios).median),
            detail: "\(Report.number(Samples(syncs.map(\.seconds)).median)) s for \(Report.number(kibibytes)) KiB, "
                + "\(Report.number(trips)) round trips; floor: the bytes and one round trip")
    }

    private func write(_ work: Workload, to replica: Replica) throws {
        let raw = try RawDatabase(replica.path, .normal)
        try raw.insert(work.people)
        let insert = try raw.prepareInsert()
        // The transactions of programs have any size; here 500 records each.
        for start in stride(from: 0, to: work.spendings.count, by: 500) {
            try raw.transaction {
                for spending in work.spendings[start..<min(start + 500, work.spendings.count)] {
                    try insert.run(spending)
                }
            }
        }
    }

    // MARK: The link

    private func link(to server: ServerProcess, seed: UInt64) throws -> ShapedLink {
        guard let port = server.address.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw BenchmarkError("The server's address \(server.address) has no port.")
        }
        return try ShapedLink(to: port, Self.shape, random: SplitMix64(state: seed))
    }

    /// Lets a replica reach its server through the link.
    private static func redirect(_ replica: Replica, over link: ShapedLink) throws {
        try RawDatabase(replica.path, .normal).execute(
            "UPDATE roost_state SET value = '\(link.address)' WHERE name = 'server'")
    }

    private func synchronise(_ device: Device, over link: ShapedLink) async throws -> Sync {
        _ = link.takeTraffic()
        let seconds = try await Stopwatch.seconds { try await device.synchronise() }
        return Sync(seconds: seconds, traffic: link.takeTraffic())
    }
}
