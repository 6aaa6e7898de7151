internal import NIOCore
internal import Synchronization

/// Tells a pull that waits when its client goes away.
///
/// A handler that waits does not read from its connection, and so would not notice by itself.
package final class ConnectionRegistry: Sendable {
    private let watchers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    package init() {}

    /// Calls `body` once if the client of `channel` goes away before ``forget(_:)``.
    func watch(_ channel: any Channel, _ body: @escaping @Sendable () -> Void) {
        watchers.withLock { $0[ObjectIdentifier(channel)] = body }
        if !channel.isActive { closed(channel) }
    }

    func forget(_ channel: any Channel) {
        watchers.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    func closed(_ channel: any Channel) {
        watchers.withLock { $0.removeValue(forKey: ObjectIdentifier(channel)) }?()
    }
}
