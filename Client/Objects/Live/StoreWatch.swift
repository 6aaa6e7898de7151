internal import Replica

/// A watch of a store's file. It notifies immediately after a write of this program's session, and a few milliseconds after any
/// other write.
struct StoreWatch {
    private let watcher: ChangeWatcher
    private let observation: RemoteChangeObservation?

    /// Starts the watch, which notifies once for the commits before it started.
    ///
    /// - Parameters:
    ///   - standBy: The interval of the fallback poll.
    ///   - changed: Called on a thread of its own; it may be called when nothing changed.
    /// - Returns: `nil` where no other program can write.
    init?(
        _ backend: any StoreBackend, standBy: Duration = ChangeWatcher.standBy,
        _ changed: @escaping @Sendable () -> Void
    ) {
        guard let path = backend.path else { return nil }
        let watcher = ChangeWatcher(path, standBy: standBy, changed)
        self.watcher = watcher
        // The session's thread only requests the check, and the watcher's thread performs it.
        observation = backend.observeRemoteChanges { watcher.look() }
        watcher.look()
    }
}
