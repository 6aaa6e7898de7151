/// What a replica's outbox holds when a session starts.
package enum OutboxState: Hashable, Sendable {
    case empty
    /// Local changes, none of them sealed into a push.
    case waiting
    /// A push that was sealed before, in an earlier run or before a crash, and is not known to have arrived.
    case sealed(number: UInt64)
}
