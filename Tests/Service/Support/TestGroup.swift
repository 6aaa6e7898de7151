import MemoryStore
import RoostModel
import RoostProtocol
import RoostService
import Synchronization

/// A clock that changes only on request.
final class TestClock: Sendable {
    private let time = Atomic<UInt64>(1_700_000_000_000)

    var now: UInt64 { time.load(ordering: .relaxed) }
    func advance(milliseconds: UInt64) { time.add(milliseconds, ordering: .relaxed) }
    func goBack(milliseconds: UInt64) { time.subtract(milliseconds, ordering: .relaxed) }
}

/// The events that a service reported, in order.
final class EventRecorder: Sendable {
    private let list = Mutex<[SyncService.Event]>([])

    var all: [SyncService.Event] { list.withLock { $0 } }
    func add(_ event: SyncService.Event) { list.withLock { $0.append(event) } }
}

/// A service in memory with one scope, whose first device is its owner.
struct TestGroup {
    static let schema = """
        {"format": 1, "name": "notes", "version": 1, "entities": [
          {"id": 1, "name": "Note", "attributes": [{"id": 1, "name": "title", "type": "string"}]}]}
        """

    let store: any Store
    let service: SyncService
    let clock: TestClock
    let events = EventRecorder()
    let noToken = Token(.device) { _ in [UInt8](repeating: 0, count: 32) }

    init(
        store: any Store = MemoryStore(), commits: CommitQueue.Mode = .inline, clock: TestClock = TestClock(),
        seed: UInt64 = 7, _ change: (inout Limits) -> Void = { _ in }
    ) throws {
        self.store = store
        self.clock = clock
        var limits = Limits()
        change(&limits)
        service = try SyncService(
            store, limits: limits, commits: commits, now: { clock.now }, random: SplitMix64(state: seed),
            report: { [events] in events.add($0) })
    }

    /// Returns the group on a server whose store was replaced by another one while it was off.
    func restarted(on store: any Store, seed: UInt64 = 8) throws -> TestGroup {
        try TestGroup(store: store, clock: clock, seed: seed)
    }

    /// Returns the scope's owner.
    func owner() async throws -> TestDevice {
        try await TestDevice(self, registration())
    }

    func registration(nonce: String = "owner-nonce") async throws -> Registration {
        try await service.createScope(name: "Lisbon", device: "Ana", schema: Self.schema, nonce: nonce)
    }

    /// Returns a device that joins by an invite of `owner`.
    func device(_ owner: TestDevice, role: Role = .editor) async throws -> TestDevice {
        let invite = try await service.createInvite(role: role, hours: nil, uses: 1, by: owner.member)
        let token = Token(invite.token ?? "") ?? noToken
        return try await TestDevice(
            self, service.join(invite: token, device: "Bruno", nonce: "nonce-\(invite.id)"))
    }

    static let dayMilliseconds: UInt64 = 24 * 3_600_000

    /// Advances the clock by more than the horizon.
    func waitPastHorizon() { pass(days: 91) }

    /// Advances the clock day by day, on a server that runs and reads it.
    func pass(days: Int) {
        for _ in 0..<days {
            clock.advance(milliseconds: Self.dayMilliseconds)
            _ = service.now
        }
    }

    static func id(_ number: UInt64) -> RecordID { RecordID(high: 1, low: number) }
    static func key(_ id: RecordID) -> RecordKey { RecordKey(entity: EntityID(1), id: id) }

    static func encoded(_ title: String) -> [UInt8] {
        Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(title))])).encoded()
    }
}

/// Runs `body`, and returns the code of its refusal, if any.
func refusal<Result>(_ body: () async throws -> Result) async -> ErrorCode? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? ProtocolError)?.code
    }
}
