extension SyncOutcome {
    /// The state to show for a session that ended with this outcome.
    func status(at moment: Moment) -> SyncState {
        switch self {
        case .upToDate: .upToDate(since: moment)
        case .blocked(let reason): .blocked(reason, since: moment)
        case .stopped(let reason): .stopped(reason, since: moment)
        case .gaveUp(let reason):
            reason.isOffline
                ? .offline(reason, retryAt: nil, since: moment) : .waiting(reason, retryAt: nil, since: moment)
        case .requested: .notRunning
        }
    }
}
