import MemoryStore
import RoostMerge
import RoostModel
import RoostProtocol
import RoostService
import SQLiteStore
import Synchronization
import TestSupport
import Testing

/// Random histories with purges, run by the service on each store. All stores give the same replies, byte for byte.
@Suite struct PurgeContractTests {
    private final class Clock: Sendable {
        let time = Atomic<UInt64>(1_700_000_000_000)
    }

    /// One run of a history, with its replies in order.
    private struct Run {
        let service: SyncService
        let clock = Clock()
        var members: [Principal] = []
        var numbers: [UInt64] = []
        var checkpoints: [Checkpoint?] = []
        var stamps: UInt64 = 0
        var replies: [[UInt8]] = []
        var purged = 0
        var random: SplitMix64

        init(_ store: any Store, seed: UInt64) async throws {
            random = SplitMix64(state: seed)
            service = try SyncService(
                store, limits: Self.limits, commits: .inline,
                now: { [clock] in clock.time.load(ordering: .relaxed) }, random: SplitMix64(state: 7))
            let owner = try await service.createScope(
                name: "s", device: "a", schema: ReplayHistory.schemaText, nonce: "nonce-of-a")
            try await join(owner)
            for name in ["b", "c"] {
                let invite = try await service.createInvite(role: .editor, hours: nil, uses: 1, by: members[0])
                let token = try #require(Token(invite.token ?? ""))
                try await join(service.join(invite: token, device: name, nonce: "nonce-of-\(name)"))
            }
        }

        /// Limits with a short horizon, so that a run of days has much to purge.
        private static var limits: Limits {
            var limits = Limits()
            limits.horizonDays = 20
            return limits
        }

        private mutating func join(_ registration: Registration) async throws {
            members.append(try await service.member(#require(Token(registration.token))))
            numbers.append(0)
            checkpoints.append(nil)
        }

        mutating func step() async throws {
            try pass(days: Int.random(in: 0..<10, using: &random))
            let device = Int.random(in: 0..<members.count, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: try await push(device)
            case 5..<9: try await pull(device)
            default: purged += try await service.purge()
            }
        }

        /// Advances the clock day by day, because a larger step would suspend purging.
        private func pass(days: Int) throws {
            for _ in 0..<days {
                clock.time.add(86_400_000, ordering: .relaxed)
                #expect(try service.clockJump() == nil)
            }
        }

        /// Waits past the horizon, and purges all records that may be purged.
        mutating func finish() async throws {
            try pass(days: 21)
            for device in members.indices {
                // Each device pulls until its last pull has confirmed the end of the log.
                for _ in 0..<60 { try await pull(device) }
            }
            purged += try await service.purge()
        }

        private mutating func push(_ device: Int) async throws {
            let now = clock.time.load(ordering: .relaxed) << 16
            var request = PushRequest(number: numbers[device] + 1, checkpoint: checkpoints[device], transactions: [])
            for change in RandomHistory.changes(count: 3, records: 24, using: &random) {
                stamps = max(stamps + 1, now)
                var kind = change.kind
                if case .put(var encoded, _) = kind, Int.random(in: 0..<4, using: &random) > 0 {
                    // Most records have no references, because a record connected to a recent one is not purged.
                    if Bool.random(using: &random) { encoded = [] }
                    kind = .put(encoded, base: HybridTimestamp(time: stamps - 1, replica: members[device].replica))
                }
                let stamp = HybridTimestamp(time: stamps, replica: members[device].replica)
                request.transactions.append(.init(changes: [Change(key: change.key, stamp: stamp, kind: kind)]))
            }
            replies.append(
                try await service.push(request.protobuf(), as: .protobuf, replyAs: .protobuf, by: members[device]))
            numbers[device] += 1
        }

        private mutating func pull(_ device: Int) async throws {
            do {
                let page = try await service.pull(
                    PageRequest(since: checkpoints[device], bytesMax: 200), as: .protobuf, for: members[device])
                replies.append(page)
                checkpoints[device] = try PullReply(protobuf: page).checkpoint
            } catch let error as ProtocolError {
                replies.append(Array(error.code.rawValue.utf8))
                checkpoints[device] = nil
            }
        }
    }

    @Test(arguments: 0..<5 as Range<UInt64>)
    func everyStoreAnswersAlike(seed: UInt64) async throws {
        var memory = try await Run(StoreKind.memory.make(), seed: seed)
        var file = try await Run(StoreKind.sqlite.make(), seed: seed)
        for _ in 0..<150 {
            try await memory.step()
            try await file.step()
        }
        try await memory.finish()
        try await file.finish()
        #expect(memory.replies == file.replies)
        #expect(memory.purged > 0)
        let (left, right) = (
            try memory.service.head(for: memory.members[0]), try file.service.head(for: file.members[0])
        )
        #expect(left == right)
    }

    /// The head of a scope has the counts and the digest of the stored records after any number of purges.
    @Test(arguments: StoreKind.allCases)
    func headCountsWhatIsThere(kind: StoreKind) async throws {
        let store = try kind.make()
        var run = try await Run(store, seed: 77)
        for _ in 0..<200 { try await run.step() }
        try await run.finish()
        #expect(run.purged > 0)
        let scope = run.members[0].scope
        var head = ScopeHead()
        try store.read { snapshot in
            try snapshot.forEachRecord(in: scope, after: 0) { _, _, message in
                let state = try RecordState(protobuf: Array(message))
                head.digest.replace(SlotStamps(), with: state.stamps, of: state.key)
                head.records += 1
                head.bytes += message.count
                return true
            }
            let stored = try #require(try snapshot.scope(scope)?.head)
            #expect(stored.digest == head.digest)
            #expect(stored.records == head.records)
            #expect(stored.bytes == head.bytes)
            #expect(try snapshot.chain(at: stored.sequence, in: scope) == stored.shortChain)
        }
    }
}
