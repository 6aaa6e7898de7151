internal import Synchronization

/// The observers of remote changes of one replica.
final class RemoteChanges: Sendable {
    private struct State {
        var observers: [(number: UInt64, changed: @Sendable () -> Void)] = []
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    func add(_ changed: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.count += 1
            state.observers.append((state.count, changed))
            return state.count
        }
    }

    func remove(_ number: UInt64) {
        let removed = state.withLock { state in
            state.observers.firstIndex { $0.number == number }.map { state.observers.remove(at: $0) }
        }
        // Released outside the lock: the closure may hold another observation, whose end needs the lock.
        withExtendedLifetime(removed) {}
    }

    /// Notifies all observers, outside the lock: an observer may start or end an observation.
    func tell() {
        let observers = state.withLock { $0.observers }
        for observer in observers { observer.changed() }
    }
}

/// The token of an observation of remote changes. Cancelling or releasing it ends the observation.
public final class RemoteChangeObservation: Sendable {
    private let changes: RemoteChanges
    private let number: UInt64

    init(_ changes: RemoteChanges, _ changed: @escaping @Sendable () -> Void) {
        self.changes = changes
        number = changes.add(changed)
    }

    deinit { cancel() }

    /// Ends the observation. A call that is running on another thread may return after this.
    public func cancel() { changes.remove(number) }
}

extension Replica {
    /// Notifies the caller when a session of this object has applied changes from the server or reverted changes that the
    /// server refuses. The notification follows the commit immediately, so every connection reads the new rows. Sessions of
    /// other processes do not notify; a caller that needs their changes watches the file.
    ///
    /// - Parameter changed: Called on the session's thread, which neither sends nor applies anything until the call returns.
    ///   Keep it short, such as reading one row or signalling another thread. For consecutive pages it is called once, with
    ///   the last page, even if the connection is lost between them. It may be called without any difference in the rows. If
    ///   it holds the observation itself, the observation lasts until it is cancelled.
    /// - Returns: The token of the observation. Releasing it ends the observation.
    public func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation {
        RemoteChangeObservation(remoteChanges, changed)
    }
}
