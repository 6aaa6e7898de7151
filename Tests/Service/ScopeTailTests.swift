import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Testing

/// The ends of logs that are cached in memory. A page made from a cached tail equals a page of the store.
@Suite struct ScopeTailTests {
    private let group: TestGroup
    private var ana: TestDevice
    private var bruno: TestDevice

    init() async throws {
        group = try TestGroup { $0.horizonDays = 90 }
        ana = try await group.owner()
        bruno = try await group.device(ana)
    }

    /// Makes both devices followers of a scope, so that the end of its log is cached.
    private mutating func follow() async throws {
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        _ = try await ana.pull()
        _ = try await bruno.pull()
        #expect(isKept(for: ana) && isKept(for: bruno))
    }

    private func isKept(for device: TestDevice) -> Bool {
        group.service.tails.snapshot(of: device.member.scope, for: device.member.replica) != nil
    }

    // MARK: Replies

    @Test mutating func deviceThatFollowsIsToldOfWhatIsNew() async throws {
        try await follow()
        _ = try await ana.push(ana.put(TestGroup.id(2), "new"))
        #expect(isKept(for: bruno))
        #expect(try await bruno.pull().records.map(\.key.id) == [TestGroup.id(2)])
    }

    /// Random pushes and other operations, in any order, with devices at any position.
    @Test(arguments: 0..<12) mutating func everyPageIsTheStores(seed: Int) async throws {
        var random = SplitMix64(state: UInt64(seed))
        var devices = [ana, bruno]
        var checkpoints: [[Checkpoint?]] = [[nil], [nil]]
        var kept = 0
        for _ in 0..<150 {
            let index = Int.random(in: 0..<devices.count, using: &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                devices.append(try await group.device(devices[0]))
                checkpoints.append([nil])
            case 1: try await group.service.setRole(.editor, of: devices[1].member.replica, by: devices[0].member)
            case 2:
                group.waitPastHorizon()
                for device in devices { _ = try? await device.page(since: nil) }
                try await group.service.recordCursors()
                _ = try await group.service.purge()
            case 3: try await push(&devices[index], changes: 400, bytes: 10, checkpoints[index], &random)
            case 4: try await push(&devices[index], changes: 30, bytes: 3000, checkpoints[index], &random)
            default:
                let changes = Int.random(in: 1...4, using: &random)
                try await push(&devices[index], changes: changes, bytes: 10, checkpoints[index], &random)
            }
            for _ in 0..<2 {
                let reader = Int.random(in: 0..<devices.count, using: &random)
                let since =
                    Bool.random(using: &random)
                    ? checkpoints[reader].last ?? nil : checkpoints[reader].randomElement(using: &random) ?? nil
                let bytesMax = Bool.random(using: &random) ? nil : Int.random(in: 1...4000, using: &random)
                if try isTheStores(devices[reader], since, bytesMax) { kept += 1 }
                if let page = try? await devices[reader].page(since: since, bytesMax: bytesMax) {
                    checkpoints[reader].append(page.checkpoint)
                    devices[reader].checkpoint = page.checkpoint
                }
            }
        }
        // With fewer cached pages, the comparison would prove nothing.
        #expect(kept > 60, "seed \(seed)")
    }

    private func push(
        _ device: inout TestDevice, changes: Int, bytes: Int, _ checkpoints: [Checkpoint?],
        _ random: inout SplitMix64
    ) async throws {
        device.checkpoint = checkpoints.randomElement(using: &random) ?? nil
        var transactions: [[Change]] = []
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            transactions.append(
                (0..<changes).map { _ in
                    let id = TestGroup.id(UInt64.random(in: 1...(changes > 4 ? 2000 : 12), using: &random))
                    let title = String(repeating: "x", count: Int.random(in: 1...bytes, using: &random))
                    return Int.random(in: 0..<5, using: &random) == 0 ? device.delete(id) : device.put(id, title)
                })
        }
        // The push may be refused, because a record may have been purged since.
        _ = try await device.push(transactions)
    }

    /// Compares a page of the cached tail with the page of the store.
    ///
    /// - Returns: Whether the tail could make the page.
    private func isTheStores(_ device: TestDevice, _ since: Checkpoint?, _ bytesMax: Int?) throws -> Bool {
        let (service, member) = (group.service, device.member)
        let cursor = service.cursors.sequence(of: member.replica, in: member.scope)
        func page(_ snapshot: any StoreSnapshot) throws -> PullReply {
            let (page, _) = try service.pulls.page(
                PageRequest(since: since, bytesMax: bytesMax), for: member, cursor: cursor, from: snapshot,
                now: group.clock.now)
            return try PullReply(protobuf: page.protobuf)
        }
        guard let tail = service.tails.snapshot(of: member.scope, for: member.replica), let kept = try? page(tail)
        else {
            return false
        }
        #expect(try kept.sorted == service.store.read { try page($0).sorted })
        return true
    }

    // MARK: Invalidation

    enum Write: CaseIterable {
        case join, setRole, revoke, renew, rotate, invite, publishSchema, recordCursors, purge
    }

    @Test(arguments: Write.allCases) mutating func everyOtherWriteEmptiesIt(write: Write) async throws {
        try await follow()
        let (service, owner) = (group.service, ana.member)
        let other = try await group.device(ana)
        try await follow()
        switch write {
        case .join: _ = try await group.device(ana)
        case .setRole: try await service.setRole(.viewer, of: other.member.replica, by: owner)
        case .revoke: try await service.revoke(other.member.replica, by: owner)
        case .renew: _ = try await service.renew(other.member, reason: "copied", nonce: "a-nonce-of-16-bytes")
        case .rotate: _ = try await service.rotate(other.token, of: other.member)
        case .invite: _ = try await service.createInvite(role: .viewer, hours: nil, uses: 1, by: owner)
        case .publishSchema:
            let text = TestGroup.schema.replacing("\"version\": 1", with: "\"version\": 2")
            _ = try await service.publishSchema(text, by: owner)
        case .recordCursors: try await service.recordCursors()
        case .purge:
            _ = try await ana.push(ana.delete(TestGroup.id(1)))
            group.waitPastHorizon()
            for var device in [ana, bruno, other] {
                _ = try await device.pull()
                _ = try await device.pull()
            }
            #expect(try await service.purge() == 1)
        }
        #expect(!isKept(for: ana) && !isKept(for: bruno))
    }

    @Test func bringingBackEmptiesIt() async throws {
        let store = MemoryStore()
        var ana = try await TestGroup(store: store).owner()
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        let random = RandomSource(SplitMix64(state: 99))
        _ = try store.write { transaction in
            try RecoveryHandler(limits: Limits(), random: random).beginAll(in: transaction, now: ana.group.clock.now)
        }
        ana = try ana.on(ana.group.restarted(on: store))
        _ = try await ana.push(ana.put(TestGroup.id(1)))
        let before = try await ana.page(since: nil)
        let tails = ana.group.service.tails
        #expect(tails.snapshot(of: ana.member.scope, for: ana.member.replica) != nil)
        let lost = RecordState(key: TestGroup.key(TestGroup.id(2)), delete: ana.stamp())
        #expect(try await ana.recover([lost]).stored == 1)
        #expect(tails.snapshot(of: ana.member.scope, for: ana.member.replica) == nil)
        #expect(try await ana.page(since: before.checkpoint).records == [lost])
    }

    @Test mutating func revokedDeviceIsToldNothing() async throws {
        try await follow()
        try await group.service.revoke(bruno.member.replica, by: ana.member)
        try await { [ana] in
            var ana = ana
            _ = try await ana.push(ana.put(TestGroup.id(2)))
            _ = try await ana.pull()
        }()
        let bruno = bruno
        #expect(await refusal { try await bruno.page(since: bruno.checkpoint) } == .revoked)
        #expect(!isKept(for: bruno))
    }

    @Test func commitThatFailsEmptiesIt() async throws {
        let store = FailingStore()
        let group = try TestGroup(store: store)
        var device = try await group.owner()
        _ = try await device.push(device.put(TestGroup.id(1)))
        _ = try await device.pull()
        let tails = group.service.tails
        #expect(tails.snapshot(of: device.member.scope, for: device.member.replica) != nil)
        store.fail(with: .full)
        let request = PushRequest(
            number: 2, checkpoint: nil, transactions: [.init(changes: [device.put(TestGroup.id(2))])])
        let failing = device
        await #expect(throws: StoreError.full) { _ = try await failing.send(request) }
        #expect(tails.snapshot(of: device.member.scope, for: device.member.replica) == nil)
        store.fail(with: nil)
        _ = try await device.send(request)
        #expect(try await device.page(since: nil).records.count == 2)
    }

    /// The push read the scope before the schema was published in the same commit.
    @Test func pushThatSharesACommitWithAnotherWriteIsNotKept() async throws {
        let group = try TestGroup(store: FailingStore(), commits: .thread)
        var device = try await group.owner()
        _ = try await device.push(device.put(TestGroup.id(1)))
        let gate = Gate()
        async let first: Void = group.service.queue.commit { _ in gate.wait() }
        while !gate.isWaitedFor { await Task.yield() }
        let request = PushRequest(
            number: 2, checkpoint: nil, transactions: [.init(changes: [device.put(TestGroup.id(2))])])
        let (pushing, owner) = (device, device.member)
        let push = Task { try await pushing.send(request) }
        while group.service.queue.waitingCount < 1 { await Task.yield() }
        let text = TestGroup.schema.replacing("\"version\": 1", with: "\"version\": 2")
        let publish = Task { try await group.service.publishSchema(text, by: owner) }
        while group.service.queue.waitingCount < 2 { await Task.yield() }
        gate.open()
        try await first
        _ = try await (push.value, publish.value)
        // The first page comes from the store in any case.
        for _ in 0..<2 { #expect(try await device.pull().schemaVersion == 2) }
        group.service.stop()
    }

    @Test func additionsThatComeInAnotherOrderAreNotKept() throws {
        let tails = ScopeTails()
        let reader = StoredReplica(
            id: ReplicaID(rawValue: 1), scope: ScopeKey(1), name: "Ana", role: .owner, created: 0, lastSeen: 0)
        var scope = StoredScope(
            key: ScopeKey(1), id: ScopeID(RecordID(high: 0, low: 1)), name: "Lisbon", epoch: 1, schemaVersion: 1)
        var additions: [LogAddition] = []
        for _ in 0..<3 {
            var addition = LogAddition(to: scope)
            scope.head.advance()
            addition.add([], scope.head)
            additions.append(addition)
        }
        for (index, isKept) in [(0, true), (2, true), (1, false), (2, true)] {
            tails.append(additions[index], since: tails.generation)
            tails.admit(reader, since: tails.generation)
            let kept = try tails.snapshot(of: scope.key, for: reader.id)?.scope(scope.key)
            #expect(kept?.head.sequence == (isKept ? UInt64(index + 1) : nil))
        }
        tails.append(additions[0], since: tails.generation - 1)
        #expect(tails.snapshot(of: scope.key, for: reader.id) != nil)
    }

    // MARK: Memory

    @Test mutating func recordThatIsWrittenOverAndOverTakesNoMoreRoom() async throws {
        try await follow()
        var most = 0
        for number in 0..<5000 {
            _ = try await ana.push(ana.put(TestGroup.id(UInt64(number % 3))))
            most = max(most, group.service.tails.size)
        }
        #expect(most < 300_000)
        #expect(isKept(for: ana))
    }

    @Test mutating func manyScopesTakeNoMoreThanTheyMay() async throws {
        let title = String(repeating: "x", count: 30_000)
        var most = 0
        var owners: [TestDevice] = []
        for number in 0..<200 {
            owners.append(try await TestDevice(group, group.registration(nonce: "owner-nonce-\(number)")))
        }
        for index in owners.indices {
            _ = try await owners[index].push(owners[index].put(TestGroup.id(1), title))
            most = max(most, group.service.tails.size)
        }
        #expect(most > 3_000_000)
        #expect(most <= ScopeTails.sizeMax)
    }
}
