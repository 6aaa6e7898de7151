internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import SQLiteStore

/// Fails the power at every write and sync of a server that accepts pushes. Afterwards the server has every push that it had
/// replied to, completely, and perhaps the one in flight (I3, I7). The last push, resent, gets its reply (I6).
struct ServerPowerLoss {
    private let seed: UInt64

    init(seed: UInt64) {
        self.seed = seed
    }

    func run(imagesPerPoint: Int) async throws -> PowerLossRun {
        let disk = try SimulatedDisk("power-server")
        let after = try SimulatedDisk("after-server")
        let clean = try await play(on: disk, dyingAfter: 0)
        let operations = disk.operations
        var run = PowerLossRun()
        for point in 1...max(1, operations) {
            let played = try await play(on: disk, dyingAfter: point)
            guard disk.isDead else { break }
            run.points += 1
            for number in 0..<imagesPerPoint {
                let losses = disk.losePower(into: after, seed: seed &* 1_000_003 &+ point &* 101 &+ UInt64(number))
                run.images += 1
                run.note(losses)
                do {
                    try await check(after, played, clean)
                } catch {
                    run.violation = Violation(
                        .acknowledged,
                        "power lost at operation \(point), image \(number) of server work \(seed): \(error)")
                    return run
                }
            }
        }
        return run
    }

    private struct Played {
        var scope = ScopeKey(0)
        var token = ""
        var bodies: [[UInt8]] = []
        var replies: [[UInt8]] = []
        var sequences: [UInt64] = []
    }

    private func makeServer(_ disk: SimulatedDisk) throws -> SimulatedServer {
        try SimulatedServer(
            .sqlite, disk, clock: DeviceClock(VirtualClock(), driftMillionths: 0, offset: 0), limits: Limits(),
            seed: seed)
    }

    /// Sends eight pushes of pairs, one after the other.
    private func play(on disk: SimulatedDisk, dyingAfter point: UInt64) async throws -> Played {
        _ = disk.crash(.process, seed: 1)
        disk.clear()
        let server = try makeServer(disk)
        defer { server.end() }
        var played = Played()
        guard let service = server.service else { return played }
        let registration = try await service.createScope(
            name: "power", device: "0", schema: SampleSchema.text(version: 1), nonce: "nonce of the scope")
        played.token = registration.token
        played.scope = try await service.member(try SimulatedServer.token(registration.token)).scope
        disk.startCounting()
        disk.die(after: point)
        for number in 1...8 {
            let body = push(UInt64(number), registration.replica)
            played.bodies.append(body)
            guard case .message(let reply) = await server.push(body, token: played.token), !disk.isDead else { break }
            played.replies.append(reply)
        }
        return played
    }

    private func push(_ number: UInt64, _ replica: ReplicaID) -> [UInt8] {
        var random = SplitMix64(state: seed &* 31 &+ number)
        var counter: UInt16 = 0
        let changes = (0..<(random.next() % 3 + 1)).flatMap { pair in
            [SampleSchema.debit, SampleSchema.credit].map { entity in
                counter += 1
                let amount: Int64 = entity == SampleSchema.debit ? 5 : -5
                let content = ContentCoding.encode([
                    .init(property: SampleSchema.text, value: .string("p\(number)")),
                    .init(property: SampleSchema.number, value: .integer(amount)),
                ])
                return Change(
                    key: RecordKey(entity: entity, id: RecordID(high: number % 3, low: pair)),
                    stamp: HybridTimestamp(
                        milliseconds: UInt64(VirtualClock.start) + number, counter: counter, replica: replica),
                    kind: .put(Put(content: content).encoded(), base: nil))
            }
        }
        return PushRequest(number: number, checkpoint: nil, transactions: [.init(changes: changes)]).protobuf()
    }

    private func check(_ disk: SimulatedDisk, _ played: Played, _ clean: Played) async throws {
        let connection = try PlainConnection(disk.path(SimulatedServer.file))
        if let fault = try connection.integrityFault() {
            throw Violation(.acknowledged, "integrity_check says \(fault)")
        }
        let server = try makeServer(disk)
        defer { server.end() }
        guard let store = server.store else { return }
        let view = try ServerView(store, played.scope)
        let done = UInt64(played.replies.count)
        guard view.scope.head.sequence == done || view.scope.head.sequence == done + 1 else {
            throw Violation(.acknowledged, "\(done) pushes got a reply, and the server has \(view.scope.head.sequence)")
        }
        try WholeTransactionChecker.check(view)
        guard done > 0, done == view.scope.head.sequence else { return }
        let again = await server.push(played.bodies[Int(done) - 1], token: played.token)
        guard again == .message(clean.replies[Int(done) - 1]) else {
            throw Violation(.repetition, "the last push, sent again, gets another reply")
        }
    }
}
