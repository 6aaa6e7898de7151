extension RunningSession {
    /// The state to show to users: trouble first, then work, then rest.
    var status: SyncState {
        if let retry = pushRetry ?? pullRetry { return retry.status }
        if push.isActive || push.isDue || push.isDoubted { return .pushing }
        if pull.isBehind { return .pulling }
        if case .blocked(_, let reason, let since) = push.state { return .blocked(reason, since: since) }
        // A lane that is not behind has applied a last page. `.pulling` keeps this total without an invented time.
        return upToDateSince.map { .upToDate(since: $0) } ?? .pulling
    }
}

extension RunningSession {
    /// Whether the session only waits for changes, here or at the server.
    var sealsLocalWrites: Bool {
        push.admitsSealedWrites && pull.admitsSealedWrites && pushRetry == nil && pullRetry == nil
    }
}

extension Retry {
    fileprivate var status: SyncState {
        reason.isOffline
            ? .offline(reason, retryAt: until, since: since) : .waiting(reason, retryAt: until, since: since)
    }
}
