extension RunningSession {
    /// What people are to see: trouble first, then work, then rest.
    var status: SyncState {
        if let retry = pushRetry ?? pullRetry { return retry.status }
        if push.isActive || push.isDue || push.isDoubted { return .pushing }
        if pull.isBehind { return .pulling }
        if case .blocked(_, let reason, let since) = push.state { return .blocked(reason, since: since) }
        // Not behind means that a last page was applied; `.pulling` keeps this total without an invented time.
        return upToDateSince.map { .upToDate(since: $0) } ?? .pulling
    }
}

extension Retry {
    fileprivate var status: SyncState {
        reason.isOffline
            ? .offline(reason, retryAt: until, since: since) : .waiting(reason, retryAt: until, since: since)
    }
}
