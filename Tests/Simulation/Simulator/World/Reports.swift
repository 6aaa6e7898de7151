internal import RoostService
internal import Synchronization

/// What a service reported to its operator.
final class Reports: Sendable {
    private let events = Mutex<[SyncService.Event]>([])

    func add(_ event: SyncService.Event) { events.withLock { $0.append(event) } }

    /// Takes what was reported since the last time.
    func take() -> [SyncService.Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
