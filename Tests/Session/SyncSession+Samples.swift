@testable import Session

extension SyncSession {
    /// A continuous session with an empty outbox that holds a long poll.
    static func polling(at now: Moment) -> SyncSession {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.empty, schemaVersion: 1, at: now)
        _ = session.pulled(PageSummary(count: 3, hasMore: false, schemaVersion: 1), at: now)
        _ = session.applied(.matches, at: now)
        return session
    }

    /// A continuous session that has sent push 7 of an earlier run.
    static func sending(at now: Moment) -> SyncSession {
        var session = SyncSession(.continuous(waitSeconds: 55), seed: 1)
        _ = session.started(.sealed(number: 7), schemaVersion: 1, at: now)
        return session
    }
}
