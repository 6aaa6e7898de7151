internal import Synchronization

/// Who is told of what a replica takes in from its server.
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
        // Let go of outside the lock: what it holds may be another observation, which ends with it.
        withExtendedLifetime(removed) {}
    }

    /// Tells everybody, outside the lock: who is told may end an observation, or begin one.
    func tell() {
        let observers = state.withLock { $0.observers }
        for observer in observers { observer.changed() }
    }
}

/// Lasts until it is cancelled, or nothing holds it any more.
public final class RemoteChangeObservation: Sendable {
    private let changes: RemoteChanges
    private let number: UInt64

    init(_ changes: RemoteChanges, _ changed: @escaping @Sendable () -> Void) {
        self.changes = changes
        number = changes.add(changed)
    }

    deinit { cancel() }

    /// Ends it. A call that is under way on another thread may end after this.
    public func cancel() { changes.remove(number) }
}

extension Replica {
    /// Tells at once when a session of this object has taken in what others have written, or taken back what the server refuses: as soon as it is committed, and any
    /// connection reads it. What a session of another process takes in is not told of; who waits for that watches the file.
    ///
    /// - Parameter changed: Called on the session's thread, which sends nothing and takes nothing in until it returns: to be
    ///   short, such as a look at one row or a word to another thread. Of several pages that follow one another it is called with
    ///   the last, also where the connection is lost between them. It may be called when nothing is different. Where it holds the
    ///   observation itself, that lasts until it is cancelled.
    /// - Returns: What it lasts as long as.
    public func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation {
        RemoteChangeObservation(remoteChanges, changed)
    }
}
