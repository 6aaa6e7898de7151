/// The end of a session. The outbox is kept with every outcome.
package enum SyncOutcome: Hashable, Sendable {
    /// Everything is pushed and pulled.
    case upToDate
    /// Everything is pulled, and local changes cannot be pushed.
    case blocked(StopReason)
    /// User action is required.
    case stopped(StopReason)
    /// The last attempt that the mode allows failed.
    case gaveUp(WaitReason)
    /// The driver stopped the session.
    case requested
}
