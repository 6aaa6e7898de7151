internal import RoostService
internal import Synchronization

/// The events that a service reported to its operator.
final class Reports: Sendable {
    private let events = Mutex<[SyncService.Event]>([])

    func add(_ event: SyncService.Event) { events.withLock { $0.append(event) } }

    /// Returns and removes the events since the last call.
    func take() -> [SyncService.Event] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
