/// The content of a replica's outbox when a session starts.
package enum OutboxState: Hashable, Sendable {
    case empty
    /// Local changes, none of them sealed into a push.
    case waiting
    /// So many local changes, none of them sealed, that sealing them takes as long as opening a connection.
    case many
    /// A push that an earlier session has sealed. Its reply never arrived.
    case sealed(number: UInt64)
}
