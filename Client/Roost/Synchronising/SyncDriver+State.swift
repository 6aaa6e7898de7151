package import Session

extension SyncDriver {
    /// Whether there is nothing to push or to pull, as far as is known, or nothing can be done about it now.
    package var isAtRest: Bool { ![.pushing, .pulling, .notRunning].contains(session.status) }

    /// Since when local changes wait for a person; `nil` where they do not.
    package var blockedSince: Moment? { if case .blocked(_, let since) = session.status { since } else { nil } }
}
