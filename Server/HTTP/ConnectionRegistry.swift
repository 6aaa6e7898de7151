internal import NIOCore
internal import Synchronization

/// Tells a pull that waits when its client goes away.
///
/// A handler that waits does not read from its connection, and so would not notice by itself.
package final class ConnectionRegistry: Sendable {
    private struct State {
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Connections that are open, and on which the client sends no more: it may have done so before its pull began to wait.
        var ended: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `body` once if the client of `channel` has gone away, or goes before ``forget(_:)``.
    func watch(_ channel: any Channel, _ body: @escaping @Sendable () -> Void) {
        let id = ObjectIdentifier(channel)
        let hasEnded = state.withLock {
            $0.watchers[id] = body
            return $0.ended.contains(id)
        }
        if hasEnded || !channel.isActive { wake(channel) }
    }

    func forget(_ channel: any Channel) {
        state.withLock { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// The client sends no more on a connection that is still open.
    func inputEnded(_ channel: any Channel) {
        state.withLock { _ = $0.ended.insert(ObjectIdentifier(channel)) }
        wake(channel)
    }

    /// The connection is no more.
    func closed(_ channel: any Channel) {
        state.withLock { _ = $0.ended.remove(ObjectIdentifier(channel)) }
        wake(channel)
    }

    private func wake(_ channel: any Channel) {
        state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(channel)) }?()
    }
}
