/// What is true of a replica's synchronisation now, for people to see.
package enum SyncState: Hashable, Sendable {
    /// Not started yet, or stopped on request.
    case notRunning
    case pushing
    case pulling
    /// Nothing to push, and nothing to pull as far as the server has said; `since` is when it last said so.
    case upToDate(since: Moment)
    /// The server cannot be reached. `retryAt` is `nil` while an attempt is under way, and when none will follow.
    case offline(WaitReason, retryAt: Moment?, since: Moment)
    /// The server, or the replica's file, cannot do it now; `retryAt` as in ``offline(_:retryAt:since:)``.
    case waiting(WaitReason, retryAt: Moment?, since: Moment)
    /// Local changes stay here until a person does something; pulls go on.
    case blocked(StopReason, since: Moment)
    /// Neither push nor pull until a person does something.
    case stopped(StopReason, since: Moment)

    /// Whether something hinders it.
    package var isTrouble: Bool {
        switch self {
        case .notRunning, .pushing, .pulling, .upToDate: false
        case .offline, .waiting, .blocked, .stopped: true
        }
    }
}
