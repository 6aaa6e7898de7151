internal import Session
internal import Synchronization

/// What a session has published last. It is told from within the driver's events, so it cannot be part of the actor.
final class PublishedState: Sendable {
    private let state = Mutex(SyncState.notRunning)

    func set(_ new: SyncState) { state.withLock { $0 = new } }

    /// Since when local changes wait for a person; `nil` where they do not.
    var blockedSince: Moment? {
        guard case .blocked(_, let since) = state.withLock({ $0 }) else { return nil }
        return since
    }
}
