internal import Replica
internal import RoostModel
internal import RoostProtocol

/// Fails the power at every write and sync of a replica's work: local transactions, plain SQL, sealing, a reply, a page, a
/// checkpoint of the WAL. Afterwards the file as a whole has the state before or after the interrupted action, or before the
/// replies and pages directly preceding it, which the server delivers again. This checks I4 (committed writes are present),
/// I5 (rows and outbox agree) and I7 (no transaction is partly present).
struct ClientPowerLoss {
    private let seed: UInt64
    private let images: SampleImages

    private enum Action {
        case write([Operation])
        case plain([Operation])
        case seal
        case acknowledge
        case apply([RecordState], checkpoint: [UInt8])
        case copyLog

        /// Whether the server delivers the data again. The commit then does not wait for the disk.
        var isRepeatable: Bool {
            switch self {
            case .acknowledge, .apply: true
            case .write, .plain, .seal, .copyLog: false
            }
        }
    }

    private static let file = "power.roost"
    private static let wall: Int64 = 1_767_225_600_000
    private static let limits = PushLimits(
        changesPerPush: 4, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)

    init(seed: UInt64, images: SampleImages) {
        self.seed = seed
        self.images = images
    }

    func run(imagesPerPoint: Int) throws -> PowerLossRun {
        let disk = try SimulatedDisk("power")
        let after = try SimulatedDisk("after")
        let actions = makeActions()
        // A run without a fault gives the state of the file after each action, and the number of operations.
        let expected = try play(actions, on: disk, dyingAfter: 0).dumps
        let operations = disk.operations
        var run = PowerLossRun()
        for point in 1...max(1, operations) {
            let played = try play(actions, on: disk, dyingAfter: point)
            guard played.isDead else { break }
            run.points += 1
            for number in 0..<imagesPerPoint {
                let losses = disk.losePower(into: after, seed: seed &* 1_000_003 &+ point &* 101 &+ UInt64(number))
                run.images += 1
                run.note(losses)
                do {
                    let found = try read(after)
                    let done = played.dumps.count - 1
                    // Replies and pages, which the server delivers again, may be lost at the end.
                    let kept = actions[..<done].lastIndex { !$0.isRepeatable }.map { $0 + 1 } ?? 0
                    guard expected[kept...min(done + 1, expected.count - 1)].contains(found) else {
                        throw Violation(
                            .localCommit,
                            "after \(done) actions the file says neither what it said nor what it was to say")
                    }
                } catch {
                    run.violation = Violation(
                        .localCommit,
                        "power lost at operation \(point), image \(number) of replica work \(seed): \(error)")
                    return run
                }
            }
        }
        return run
    }

    /// - Returns: The state of the file at the start and after each completed action.
    private func play(
        _ actions: [Action], on disk: SimulatedDisk, dyingAfter point: UInt64
    ) throws -> (dumps: [String], isDead: Bool) {
        _ = disk.crash(.process, seed: 1)
        disk.put(images.image(version: 1), as: Self.file)
        let replica = try Replica(opening: disk.path(Self.file), durability: .full) { Self.wall }
        try replica.join(
            Membership(
                scope: ScopeID(RecordID(high: 1, low: 1)), scopeName: "", replica: ReplicaID(rawValue: 7), server: "",
                token: "", role: .editor, deviceName: ""))
        let plain = try PlainConnection(disk.path(Self.file))
        disk.startCounting()
        disk.die(after: point)
        var dumps = [point == 0 ? try dump(plain) : ""]
        for (number, action) in actions.enumerated() {
            do {
                try SimulatedDisk.at(Self.wall + Int64(number) * 1000) { try perform(action, replica, plain) }
            } catch  where disk.isDead {
                break
            }
            if disk.isDead { break }
            dumps.append(point == 0 ? try dump(plain) : "")
        }
        return (dumps, disk.isDead)
    }

    private func perform(_ action: Action, _ replica: Replica, _ plain: PlainConnection) throws {
        switch action {
        case .write(let operations):
            try replica.write("step") { transaction in
                for operation in operations { try operation.perform(in: transaction) }
            }
        case .plain(let operations): _ = try plain.transaction(operations.compactMap { $0.sql(.bytes) })
        case .seal:
            try replica.sealPushes(limits: Self.limits)
        case .acknowledge:
            guard let push = try replica.sealPushes(limits: Self.limits).push else { return }
            let request = try PushRequest(protobuf: push.body)
            let results = request.transactions.map { transaction -> PushReply.Result in
                transaction.continues ? .staged : .accepted(sequence: 1, outcomes: [])
            }
            try replica.acknowledge(push.number, results, current: [])
        case .apply(let records, let checkpoint):
            _ = try replica.apply(records, checkpoint: checkpoint, serverTime: nil)
        case .copyLog:
            replica.beginCopyingLog()
            replica.endCopyingLog()
        }
    }

    private func makeActions() -> [Action] {
        var random = SplitMix64(state: seed &* 77 &+ 5)
        var actions: [Action] = []
        var count = 0
        func pair() -> [Operation] {
            count += 2
            let id = RecordID(high: 9, low: UInt64(count))
            return [
                .put(RecordKey(entity: SampleSchema.debit, id: id), marker: "p\(count)", number: 5, references: [:]),
                .put(RecordKey(entity: SampleSchema.credit, id: id), marker: "q\(count)", number: -5, references: [:]),
            ]
        }
        for round in 0..<6 {
            switch random.next() % 6 {
            case 0, 1: actions.append(.write(pair() + pair()))
            case 2: actions.append(.plain(pair()))
            case 3: actions += [.write(pair()), .seal, .acknowledge]
            case 4:
                let stamp = HybridTimestamp(
                    milliseconds: UInt64(Self.wall) + UInt64(round), counter: 0, replica: ReplicaID(rawValue: 9))
                let content = ContentCoding.encode([
                    .init(property: SampleSchema.text, value: .string("r\(round)")),
                    .init(property: SampleSchema.number, value: .integer(1)),
                ])
                let records = (0..<3).map { number in
                    RecordState(
                        key: RecordKey(entity: SampleSchema.label, id: RecordID(high: 8, low: number)),
                        put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))
                }
                actions.append(.apply(records, checkpoint: [UInt8](repeating: UInt8(round), count: 40)))
            default: actions += [.write(pair()), .copyLog]
            }
        }
        return actions
    }

    // MARK: The remaining file

    /// Opens the remaining file, as the next start of a program does, and reads all of it.
    private func read(_ disk: SimulatedDisk) throws -> String {
        disk.placeMarks(for: Self.file)
        let replica = try SimulatedDisk.at(Self.wall) {
            try Replica(opening: disk.path(Self.file), durability: .full) { Self.wall }
        }
        defer { try? replica.close() }
        let plain = try PlainConnection(disk.path(Self.file))
        if let fault = try plain.integrityFault() { throw Violation(.localCommit, "integrity_check says \(fault)") }
        return try dump(plain)
    }

    private func dump(_ connection: PlainConnection) throws -> String {
        var reader = ViewReader()
        let view = try reader.read(connection, version: 1)
        let rows = view.rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let facts = view.facts.sorted { $0.key < $1.key }.map { "\($0.key) \(ServerChecker.describe($0.value))" }
        let outbox = view.outbox.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return (rows + facts + outbox + ["\(view.checkpoint) \(view.sealedPushes) \(view.digest)"]).joined(
            separator: "\n")
    }
}
