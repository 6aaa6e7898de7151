/// The present state of a replica's synchronisation, to be shown to users.
package enum SyncState: Hashable, Sendable {
    /// Not started yet, or stopped on request.
    case notRunning
    case pushing
    case pulling
    /// Nothing is pending here or, according to the server's answer at `since`, at the server.
    case upToDate(since: Moment)
    /// The server cannot be reached. `retryAt` is `nil` while an attempt is under way, and when none will follow.
    case offline(WaitReason, retryAt: Moment?, since: Moment)
    /// The server or the replica's file is temporarily unable. `retryAt` as in ``offline(_:retryAt:since:)``.
    case waiting(WaitReason, retryAt: Moment?, since: Moment)
    /// Local changes stay here until the user acts; pulls continue.
    case blocked(StopReason, since: Moment)
    /// Neither push nor pull until the user acts.
    case stopped(StopReason, since: Moment)

    /// Whether synchronisation is impeded.
    package var isTrouble: Bool {
        switch self {
        case .notRunning, .pushing, .pulling, .upToDate: false
        case .offline, .waiting, .blocked, .stopped: true
        }
    }
}
