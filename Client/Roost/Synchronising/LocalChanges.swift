internal import Replica

/// Local changes, as far as the session has observed them.
struct LocalChanges {
    /// Whether a program has written since the outbox was last searched.
    var isReported = false
    /// The commits of other connections that the session has seen.
    var seen: ForeignCommits?

    /// Marks the present commits as seen. Where they cannot be read, the next notice reports them once more.
    mutating func markSeen(_ replica: Replica) {
        if let commits = try? replica.foreignCommits() { seen = commits }
    }

    /// Whether the file contains changes that the session has neither written nor sealed itself. Others must not end a wait: while the
    /// session is offline, each attempt would bring the next one closer.
    mutating func hasNew(_ replica: Replica, holding number: UInt64?) -> Bool {
        (try? replica.hasUnsealedChanges(since: &seen, holding: number)) ?? true
    }

    /// Hands out the reason of the next search of the outbox, once.
    mutating func consumeReason() -> SealingReason {
        defer { isReported = false }
        return isReported ? .localChange : .look
    }
}
