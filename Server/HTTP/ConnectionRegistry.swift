internal import NIOCore
internal import Synchronization

/// A registry that notifies a waiting pull when its client disconnects.
///
/// The handler of a waiting pull does not read from its connection, and so would not notice by itself.
package final class ConnectionRegistry: Sendable {
    private struct State {
        var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        /// Open connections on which the client sends no more. It may have stopped before its pull began to wait.
        var ended: Set<ObjectIdentifier> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Calls `body` once if the client of `channel` has disconnected, or disconnects before ``forget(_:)``.
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

    /// Records that the client sends no more on a connection that is still open.
    func inputEnded(_ channel: any Channel) {
        state.withLock { _ = $0.ended.insert(ObjectIdentifier(channel)) }
        wake(channel)
    }

    /// Records that a connection is closed.
    func closed(_ channel: any Channel) {
        state.withLock { _ = $0.ended.remove(ObjectIdentifier(channel)) }
        wake(channel)
    }

    private func wake(_ channel: any Channel) {
        state.withLock { $0.watchers.removeValue(forKey: ObjectIdentifier(channel)) }?()
    }
}
