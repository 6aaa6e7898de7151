internal import RoostModel

/// The sync loop of one replica as values: events in, one action out; no clock, network, file or random source.
///
/// The driver calls one method for each event, carries out the returned action, then publishes ``status`` and sets its one
/// timer to ``deadline``. Two actions may be under way at once, one of each lane (``SyncAction/lane``). An event after the end
/// changes nothing. An event that no action has asked for is a defect of the driver and traps. `SessionTable.md` has the tables
/// and invariants.
package struct SyncSession: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case unstarted(SyncMode, SplitMix64)
        case running(RunningSession)
        case ended(SyncOutcome, at: Moment)
    }

    private var state: State

    /// A session that has not started.
    ///
    /// - Parameter seed: A random value, so that replicas do not retry in step. Equal seeds and events give equal actions.
    package init(_ mode: SyncMode, seed: UInt64) {
        state = .unstarted(mode, SplitMix64(state: seed))
    }

    /// The state to show to users.
    package var status: SyncState {
        switch state {
        case .unstarted: .notRunning
        case .running(let running): running.status
        case .ended(let outcome, let moment): outcome.status(at: moment)
        }
    }

    /// The time to call ``timerFired(at:)`` if no other event comes first; `nil` for never. It may be in the past.
    package var deadline: Moment? {
        guard case .running(let running) = state else { return nil }
        return running.deadline
    }

    /// The end of the session; `nil` while it runs.
    package var outcome: SyncOutcome? {
        guard case .ended(let outcome, _) = state else { return nil }
        return outcome
    }

    /// Whether the server may have stored a push whose reply is not in the replica yet.
    package var isPushUnheard: Bool {
        guard case .running(let running) = state else { return false }
        return running.push.isUnheard
    }

    /// Whether a page is requested and awaited, including the one after the page that is being applied. Otherwise the driver
    /// discards a page that it has requested ahead.
    package var expectsPage: Bool {
        guard case .running(let running) = state else { return false }
        return running.pull.expectsPage
    }

    /// Whether local writes may be sealed inside their own transaction (`SessionTable.md` §7).
    package var sealsLocalWrites: Bool {
        guard case .running(let running) = state else { return false }
        return running.sealsLocalWrites
    }

    /// Starts the session, once.
    ///
    /// - Parameters:
    ///   - isCopy: Whether the replica's file is not the file that was synchronised last. The replica gets a new identity first.
    ///   - schemaVersion: The version of the replica's schema. A page of a later version causes a fetch of the schema.
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

    /// Reports that a program has changed the replica.
    package mutating func localChange(at now: Moment) -> SyncAction { step(at: now) { $0.localChange(at: now) } }

    /// Reports that the network is back or that the user wants to synchronise now. Waits end, and a blocked push is retried.
    package mutating func wake(at now: Moment) -> SyncAction { step(at: now) { $0.wake(at: now) } }

    /// Reports that ``deadline`` is reached. An early call, or one without a deadline, has no effect.
    package mutating func timerFired(at now: Moment) -> SyncAction { step(at: now) { $0.next(at: now) } }

    /// Reports that the outbox was sealed as push `number`, or had nothing to push.
    ///
    /// - Parameter isLast: Whether no other push is sealed behind it. The next page may then come with its reply.
    package mutating func sealed(_ number: UInt64?, isLast: Bool = false, at now: Moment) -> SyncAction {
        step(at: now) { $0.sealed(number, isLast: isLast, at: now) }
    }

    /// Reports that nothing was sealed, because the server holds parts of a transaction whose rest is not sealed any more.
    package mutating func leftParts(at now: Moment) -> SyncAction { step(at: now) { $0.leftParts(at: now) } }

    /// Reports the reply to the push, including refusals of single transactions. `number` is the number in the reply.
    ///
    /// - Parameter page: The page that came with the reply, if it was requested. The driver keeps it until it is applied.
    package mutating func pushReplied(to number: UInt64, page: PageSummary? = nil, at now: Moment) -> SyncAction {
        step(at: now) { $0.pushReplied(to: number, page: page, at: now) }
    }

    /// Reports that the reply is written to the outbox and the journal.
    ///
    /// - Parameter digest: The comparison after the page that came with the reply, if the same transaction has applied it.
    package mutating func acknowledged(applied digest: DigestCheck? = nil, at now: Moment) -> SyncAction {
        step(at: now) { $0.acknowledged(applied: digest, at: now) }
    }

    /// Reports that an action of the push lane has discarded the replica's checkpoint, so that everything has to be pulled. Comes
    /// before the event that ends the action.
    package mutating func checkpointGone() {
        guard case .running(var running) = state else { return }
        running.checkpointGone()
        state = .running(running)
    }

    /// Reports that applying a page has found changes of other programs, which have to be pushed. Comes before the event that ends
    /// the action.
    package mutating func changesFound() {
        guard case .running(var running) = state else { return }
        running.changesFound()
        state = .running(running)
    }

    /// Reports that the outbox has new stamps.
    package mutating func restamped(at now: Moment) -> SyncAction { step(at: now) { $0.restamped(at: now) } }

    /// Reports that the replica has a new identity.
    package mutating func renewed(at now: Moment) -> SyncAction { step(at: now) { $0.renewed(at: now) } }

    /// Reports that the refused push was divided. `isSmaller` is `false` where it has only one transaction.
    package mutating func divided(_ isSmaller: Bool, at now: Moment) -> SyncAction {
        step(at: now) { $0.divided(isSmaller, at: now) }
    }

    /// Reports that the refused transaction is in the journal.
    package mutating func wasSetAside(at now: Moment) -> SyncAction { step(at: now) { $0.wasSetAside(at: now) } }

    /// Reports the answer to a pull.
    package mutating func pulled(_ page: PageSummary, at now: Moment) -> SyncAction {
        step(at: now) { $0.pulled(page, at: now) }
    }

    /// Reports that the requested schema is stored.
    package mutating func schemaFetched(at now: Moment) -> SyncAction { step(at: now) { $0.schemaFetched(at: now) } }

    /// Reports that the page and its checkpoint are in the replica.
    package mutating func applied(_ digest: DigestCheck, at now: Moment) -> SyncAction {
        step(at: now) { $0.applied(digest, at: now) }
    }

    /// Reports that the page was not applied: it names purged records and a push overlapped it, or the replica has discarded the
    /// checkpoint that it follows. It is requested again, after the answer to a push whose reply never arrived, and before
    /// another push is sealed.
    package mutating func superseded(at now: Moment) -> SyncAction { step(at: now) { $0.superseded(at: now) } }

    /// Reports that the checkpoint is discarded for a full resynchronisation.
    package mutating func resynchronised(at now: Moment) -> SyncAction { step(at: now) { $0.resynchronised(at: now) } }

    /// Reports that the server has stored some of the records that it had lost. `hasMore` if there are more to send.
    package mutating func recovered(hasMore: Bool, at now: Moment) -> SyncAction {
        step(at: now) { $0.recovered(hasMore: hasMore, at: now) }
    }

    /// Reports that the records that the server has lost and does not accept are in the journal, or in the outbox again.
    package mutating func gaveUp(at now: Moment) -> SyncAction { step(at: now) { $0.gaveUp(at: now) } }

    /// Reports that the action under way in `lane` failed.
    package mutating func failed(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        step(at: now) { $0.failed(lane, failure, at: now) }
    }

    /// Reports that the action under way in `lane` failed because the server does not know the token. The replica has had other
    /// tokens, which are tried now (``SyncAction/renew(_:)`` with the cause ``RenewalCause/forgotten``), unless they were tried
    /// just before.
    package mutating func forgotten(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        step(at: now) { $0.forgotten(lane, failure, at: now) }
    }

    /// Ends the session on request. A push under way stays sealed and is resent by the next session.
    package mutating func stop(at now: Moment) -> SyncAction {
        switch state {
        case .unstarted:
            state = .ended(.requested, at: now)
            return .finish(.requested)
        case .running: return step(at: now) { _ in .finish(.requested) }
        case .ended: return .wait
        }
    }

    /// Ends a session that runs once and has exceeded its time.
    package mutating func timeIsOver(_ message: String, at now: Moment) -> SyncAction {
        step(at: now) { _ in .finish(.gaveUp(WaitReason(.timeIsOver, message))) }
    }

    /// Passes an event to a running session. Events before the start and after the end have no effect.
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
