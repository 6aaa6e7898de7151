internal import Replica

/// Tells when somebody has written to a store's file: this program's session at once, everybody else a few milliseconds later.
struct StoreWatch {
    private let watcher: ChangeWatcher
    private let observation: RemoteChangeObservation?

    /// Tells once for what was committed before it began.
    ///
    /// - Parameters:
    ///   - standBy: How often it tells where there is no notice.
    ///   - changed: Called on a thread of its own; it may be called when nothing changed.
    /// - Returns: `nil` where nobody else can write.
    init?(
        _ backend: any StoreBackend, standBy: Duration = ChangeWatcher.standBy,
        _ changed: @escaping @Sendable () -> Void
    ) {
        guard let path = backend.path else { return nil }
        let watcher = ChangeWatcher(path, standBy: standBy, changed)
        self.watcher = watcher
        // The session's own thread has other things to do than to look.
        observation = backend.observeRemoteChanges { watcher.look() }
        watcher.look()
    }
}
