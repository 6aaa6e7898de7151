internal import RoostModel

/// The sync loop of one replica as values: events in, one action out; no clock, network, file or random source.
///
/// The driver calls one method for each thing that happens, does what the returned action says, then publishes ``status``
/// and sets its one timer to ``deadline``. Two actions may be under way at once: one of the push lane (seal, send,
/// acknowledge, restamp) and one of the pull lane (pull, schema, apply, pull anew). An event after the end changes nothing;
/// an event that no action asked for is a mistake of the driver and traps. `SessionTable.md` has the tables and invariants.
package struct SyncSession: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case unstarted(SyncMode, SplitMix64)
        case running(RunningSession)
        case ended(SyncOutcome, at: Moment)
    }

    private var state: State

    /// A session that has not started.
    ///
    /// - Parameter seed: To be drawn at random, so that replicas do not retry in step. The same seed and the same events
    ///   give the same actions.
    package init(_ mode: SyncMode, seed: UInt64) {
        state = .unstarted(mode, SplitMix64(state: seed))
    }

    /// What is true now, for people to see.
    package var status: SyncState {
        switch state {
        case .unstarted: .notRunning
        case .running(let running): running.status
        case .ended(let outcome, let moment): outcome.status(at: moment)
        }
    }

    /// When to call ``timerFired(at:)`` if no other event comes first; `nil` for never. It may have passed already.
    package var deadline: Moment? {
        guard case .running(let running) = state else { return nil }
        return running.deadline
    }

    /// How the session ended; `nil` until then.
    package var outcome: SyncOutcome? {
        guard case .ended(let outcome, _) = state else { return nil }
        return outcome
    }

    /// Whether the server may have stored a push of which this replica has not heard that.
    package var isPushUnheard: Bool {
        guard case .running(let running) = state else { return false }
        return running.push.isUnheard
    }

    /// Starts the session, once.
    ///
    /// - Parameters:
    ///   - isCopy: Whether the replica's file is another one than that which was synchronised last: it gets a new identity
    ///     first.
    ///   - schemaVersion: Of the schema that the replica holds; a page of a later one makes it be fetched.
    package mutating func started(
        _ outbox: OutboxState, isCopy: Bool = false, schemaVersion: Int, at now: Moment
    ) -> SyncAction {
        switch state {
        case .unstarted(let mode, let generator):
            state = .running(
                RunningSession(
                    mode, outbox, isCopy: isCopy, schemaVersion: schemaVersion, generator))
            return step(at: now) { $0.next(at: now) }
        case .running: preconditionFailure("A session is started once")
        case .ended: return .wait
        }
    }

    /// A program changed the replica.
    package mutating func localChange(at now: Moment) -> SyncAction { step(at: now) { $0.localChange(at: now) } }

    /// The network came back, or a person asked to sync now: waits end, and a blocked push is tried once more.
    package mutating func wake(at now: Moment) -> SyncAction { step(at: now) { $0.wake(at: now) } }

    /// ``deadline`` has come; too early, or when there is none, nothing happens.
    package mutating func timerFired(at now: Moment) -> SyncAction { step(at: now) { $0.next(at: now) } }

    /// The outbox was sealed as push `number`, or had nothing to push.
    ///
    /// - Parameter isLast: Whether no other push is sealed behind it: then the next page may come with its reply.
    package mutating func sealed(_ number: UInt64?, isLast: Bool = false, at now: Moment) -> SyncAction {
        step(at: now) { $0.sealed(number, isLast: isLast, at: now) }
    }

    /// Nothing was sealed: the server holds parts of a transaction whose rest is not sealed any more.
    package mutating func leftParts(at now: Moment) -> SyncAction { step(at: now) { $0.leftParts(at: now) } }

    /// The server answered the push; `number` is the one in its reply. Refusals of single transactions are part of it.
    ///
    /// - Parameter page: What came with the reply, if it was asked for; the driver keeps it until it has applied it.
    package mutating func pushReplied(to number: UInt64, page: PageSummary? = nil, at now: Moment) -> SyncAction {
        step(at: now) { $0.pushReplied(to: number, page: page, at: now) }
    }

    /// The reply is written to the outbox and the journal.
    package mutating func acknowledged(at now: Moment) -> SyncAction { step(at: now) { $0.acknowledged(at: now) } }

    /// The replica has given its checkpoint up with what was done for the push lane, and everything is to be pulled. Comes before the
    /// event that ends the action.
    package mutating func checkpointGone() {
        guard case .running(var running) = state else { return }
        running.checkpointGone()
        state = .running(running)
    }

    /// Applying a page has found changes that other programs made: they are to be pushed. Comes before the event that ends the action.
    package mutating func changesFound() {
        guard case .running(var running) = state else { return }
        running.changesFound()
        state = .running(running)
    }

    /// The outbox has new stamps.
    package mutating func restamped(at now: Moment) -> SyncAction { step(at: now) { $0.restamped(at: now) } }

    /// The replica has a new identity.
    package mutating func renewed(at now: Moment) -> SyncAction { step(at: now) { $0.renewed(at: now) } }

    /// The refused push was taken apart; `isSmaller` is `false` where it is one transaction already.
    package mutating func divided(_ isSmaller: Bool, at now: Moment) -> SyncAction {
        step(at: now) { $0.divided(isSmaller, at: now) }
    }

    /// The refused transaction is in the journal.
    package mutating func wasSetAside(at now: Moment) -> SyncAction { step(at: now) { $0.wasSetAside(at: now) } }

    /// The server answered a pull.
    package mutating func pulled(_ page: PageSummary, at now: Moment) -> SyncAction {
        step(at: now) { $0.pulled(page, at: now) }
    }

    /// The schema that was asked for is stored.
    package mutating func schemaFetched(at now: Moment) -> SyncAction { step(at: now) { $0.schemaFetched(at: now) } }

    /// The page and its checkpoint are in the replica.
    package mutating func applied(_ digest: DigestCheck, at now: Moment) -> SyncAction {
        step(at: now) { $0.applied(digest, at: now) }
    }

    /// The page was not taken in: it names purged records, and a push has overtaken it; or the replica has given up the checkpoint
    /// that it follows. It is asked for again: after the answer to a push that was not heard of, and before a new one is
    /// sealed.
    package mutating func overtaken(at now: Moment) -> SyncAction { step(at: now) { $0.overtaken(at: now) } }

    /// The checkpoint is forgotten.
    package mutating func startedAnew(at now: Moment) -> SyncAction { step(at: now) { $0.startedAnew(at: now) } }

    /// The server has some of what it had lost again; `hasMore` if there is more to send.
    package mutating func recovered(hasMore: Bool, at now: Moment) -> SyncAction {
        step(at: now) { $0.recovered(hasMore: hasMore, at: now) }
    }

    /// What the server has lost and does not take back is in the journal, or in the outbox again.
    package mutating func gaveUp(at now: Moment) -> SyncAction { step(at: now) { $0.gaveUp(at: now) } }

    /// The action under way in `lane` could not be done.
    package mutating func failed(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        step(at: now) { $0.failed(lane, failure, at: now) }
    }

    /// The action under way in `lane` could not be done: the server does not know the token, and the replica has had others, which are tried
    /// now (``SyncAction/renew(_:)`` with the cause ``RenewalCause/forgotten``), unless they were just before.
    package mutating func forgotten(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        step(at: now) { $0.forgotten(lane, failure, at: now) }
    }

    /// Ends the session on request; a push under way stays sealed and is sent again by the next session.
    package mutating func stop(at now: Moment) -> SyncAction {
        switch state {
        case .unstarted:
            state = .ended(.requested, at: now)
            return .finish(.requested)
        case .running: return step(at: now) { _ in .finish(.requested) }
        case .ended: return .wait
        }
    }

    /// Ends a session that runs once and has taken as long as it may.
    package mutating func timeIsOver(_ message: String, at now: Moment) -> SyncAction {
        step(at: now) { _ in .finish(.gaveUp(WaitReason(.timeIsOver, message))) }
    }

    /// Lets a running session take an event; before and after, events that were under way mean nothing any more.
    private mutating func step(at now: Moment, _ event: (inout RunningSession) -> SyncAction) -> SyncAction {
        guard case .running(var running) = state else { return .wait }
        let action = event(&running)
        if case .finish(let outcome) = action {
            state = .ended(outcome, at: now)
        } else {
            state = .running(running)
        }
        return action
    }
}
