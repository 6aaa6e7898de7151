internal import Replica
package import Session

extension SyncDriver {
    /// What a session is likely to ask for first: a push that takes long to seal.
    package struct Opening: Hashable, Sendable {
        package let since: [UInt8]
        package let token: String
    }

    /// Looks at where the replica stands, for ``start(at:)`` that follows.
    ///
    /// - Returns: What the session is likely to ask for first, where it takes a while until it can; `nil` where it does not, or asks for
    ///   something else.
    /// - Throws: `ReplicaError` where the replica cannot be read.
    package mutating func look() throws -> Opening? {
        note(try replica.checkOutboxNowAndThen())
        let start = try replica.sessionStart()
        found = start
        guard start.hasManyWaiting, start.sealedPush == nil, !start.isCopy, start.refusal == nil,
            let checkpoint = try replica.startOfPull().checkpoint
        else { return nil }
        return Opening(since: checkpoint, token: start.token)
    }

    /// Starts the session, once.
    ///
    /// - Throws: `ReplicaError` where the replica cannot be read; nothing has started then.
    package mutating func start(at now: Moment) throws -> Order? {
        if found == nil { _ = try look() }
        guard let start = found else { return nil }
        found = nil
        (token, earlierToken) = (start.token, start.earlierToken)
        seen = start.commits
        refusal = start.refusal.map { SyncFailure(ofReplica: $0) }
        // What a replica that begins is about to pull was written by devices that it has not heard of: their names come beside
        // its first page, and not after it. A viewer may have become an editor.
        isViewer = start.isViewer
        wantsDevices = start.begins || isViewer
        return perform(
            session.started(OutboxState(start), isCopy: start.isCopy, schemaVersion: start.schemaVersion, at: now),
            at: now)
    }

    /// The network came back, or a person asks for an attempt now.
    package mutating func wake(at now: Moment) -> Order? { perform(session.wake(at: now), at: now) }

    package mutating func timerFired(at now: Moment) -> Order? { perform(session.timerFired(at: now), at: now) }

    /// Ends the session on request.
    package mutating func stop(at now: Moment) { _ = perform(session.stop(at: now), at: now) }
}
