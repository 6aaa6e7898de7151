internal import Replica

/// Tells when somebody has written to a store's file: this program's session at once, everybody else a few milliseconds later.
struct StoreWatch {
    private let watcher: ChangeWatcher
    private let observation: RemoteChangeObservation?

    /// - Parameter changed: Called on a thread of its own; it may be called when nothing changed.
    /// - Returns: `nil` where nobody else can write.
    init?(_ backend: any StoreBackend, _ changed: @escaping @Sendable () -> Void) {
        guard let path = backend.path else { return nil }
        let watcher = ChangeWatcher(path, changed)
        self.watcher = watcher
        // The session's own thread has other things to do than to look.
        observation = backend.observeRemoteChanges { watcher.look() }
    }
}
