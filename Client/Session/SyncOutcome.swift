/// How a session ended. The outbox is kept whatever the outcome.
package enum SyncOutcome: Hashable, Sendable {
    /// Everything is pushed and pulled.
    case upToDate
    /// Everything is pulled, and local changes cannot be pushed.
    case blocked(StopReason)
    /// A person has to do something first.
    case stopped(StopReason)
    /// The last attempt that the mode allows failed.
    case gaveUp(WaitReason)
    /// The driver asked for it.
    case requested
}
