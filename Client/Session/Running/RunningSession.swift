internal import RoostModel
internal import RoostProtocol

/// A session between its start and its end: two lanes, and what each waits for.
///
/// Every event ends with one action: the next of its own lane or, where that lane has none, what ``next(at:)`` may start.
struct RunningSession: Hashable, Sendable {
    /// Searches for an earlier token that the server knows, since it last stored or gave something.
    private struct Recalls: Hashable {
        /// How many new identities they have given.
        var count = 0
        /// The last one that has found none.
        var vain: Moment?
    }

    let mode: SyncMode
    private(set) var push: PushLane
    private(set) var pull: PullLane
    private(set) var pushRetry: Retry?
    private(set) var pullRetry: Retry?
    /// When the last page of a pull was last applied.
    private(set) var upToDateSince: Moment?
    /// Whether the pull lane waits for the next answer to a push.
    private var waitsForPush = false
    /// How often it has done so since a push was stored, having been sent back to the start.
    private var timesWaited = 0
    /// Whether the next page comes before a push that is not sealed yet: such pushes have overtaken the last one.
    private var pullsFirst = false
    /// How many pushes in a row were stored while a pull was due.
    private var pushesBeforePull = 0
    /// When the replica was given new identities, in the last 24 hours.
    private var renewals: [Moment] = []
    private var recalls = Recalls()
    private var generator: SplitMix64

    /// How often a pull of everything waits for the answer to a push.
    static let timesWaitedMax = 3
    /// How long a session waits that the server does not recognise: a server that runs without its data gets it back.
    static let notRecognisedPause = Duration.seconds(300)
    /// How many new identities a replica takes in 24 hours: as many as a server gives (protocol.md §6.2), whatever is stored in between.
    static let renewalsPerDayMax = 10
    /// How long a session waits after any other refusal that only a person removes, at the server or on its way: it is restored, the device is
    /// let in again, a certificate is renewed.
    static let refusedPause = Duration.seconds(900)
    /// How long a session that runs once waits before an attempt: what takes longer is for a later run.
    static let onceWaitMost = Duration.seconds(10)
    /// After how many pushes a pull that is due comes first.
    static let pushesBeforePullMax = 16

    init(
        _ mode: SyncMode, _ outbox: OutboxState, isCopy: Bool, schemaVersion: Int, _ generator: SplitMix64
    ) {
        self.mode = mode
        push = PushLane(outbox, isCopy: isCopy)
        pull = PullLane(schemaVersion: schemaVersion)
        self.generator = generator
    }

    /// When to report a timer if nothing else happens before; `nil` for never.
    var deadline: Moment? {
        // A page with others behind it has an action of its own: a push that is due beside it starts by the timer.
        let pushDeadline = push.isDue && !isPushHeld ? pushRetry?.until ?? Moment(milliseconds: 0) : nil
        // A pull starts when the push lane rests, whether or not its own time has come.
        guard !push.isActive, !push.needsIdentity, !waitsForPush else { return pushDeadline }
        let pullDeadline: Moment? =
            switch pull.state {
            case .due, .received: pullRetry?.until
            case .pausing(let until): until
            case .sharing, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp, .idle: nil
            }
        return [pushDeadline, pullDeadline].compactMap(\.self).min()
    }

    /// Starts what is due: a push first, then a pull; ends a session that is to run once and has nothing left.
    mutating func next(at now: Moment) -> SyncAction {
        if push.isDue, !isPushHeld, pushRetry?.isOver(at: now) ?? true {
            pushRetry?.begin()
            return push.start()
        }
        if !push.isActive, !push.needsIdentity, !waitsForPush, pull.isDue(at: now), pullRetry?.isOver(at: now) ?? true {
            pullRetry?.begin()
            return pull.start(at: now, longPoll: longPoll ?? 0)
        }
        if let outcome = finishedOutcome ?? outcomeOfLongWait(at: now) { return .finish(outcome) }
        return .wait
    }

    /// The end of a session that runs once, where each of its lanes is done or has to wait for long.
    private func outcomeOfLongWait(at now: Moment) -> SyncOutcome? {
        guard case .once = mode, !push.isActive, pull.isWaiting else { return nil }
        func isLong(_ retry: Retry?) -> Bool {
            retry?.until.map { now.duration(to: $0) > Self.onceWaitMost } ?? false
        }
        let waits = [push.isDue ? pushRetry : nil, pull.state == .idle ? nil : pullRetry]
        let pending = waits.compactMap(\.self)
        guard !pending.isEmpty, pending.allSatisfy(isLong), push.isDue == (waits[0] != nil) else { return nil }
        let longest = pending.compactMap(\.until).max().map { now.duration(to: $0).components.seconds } ?? 0
        let reason = pending[0].reason
        return .gaveUp(WaitReason(reason.kind, "\(reason.message) \(Self.tryLater(seconds: longest))"))
    }

    private var isPushHeld: Bool { pullsFirst && push.state == .due }

    private var longPoll: Int? {
        switch mode {
        case .once: nil
        case .continuous(let waitSeconds): waitSeconds
        }
    }

    private var finishedOutcome: SyncOutcome? {
        guard case .once = mode, pull.state == .idle else { return nil }
        switch push.state {
        case .idle: return .upToDate
        case .blocked(_, let reason, _): return .blocked(reason)
        case .due, .sendDue, .sealing, .sending, .acknowledging, .restamping, .renewDue, .renewing, .recalling,
            .dividing, .doubted, .settingAside:
            return nil
        }
    }
}

// MARK: Wakes

extension RunningSession {
    mutating func localChange(at now: Moment) -> SyncAction {
        push.localChange()
        pushRetry?.wake(at: now)
        return next(at: now)
    }

    mutating func wake(at now: Moment) -> SyncAction {
        push.wake()
        pushRetry?.wake(at: now)
        pullRetry?.wake(at: now)
        return next(at: now)
    }
}

// MARK: Push

extension RunningSession {
    mutating func sealed(_ number: UInt64?, isLast: Bool, at now: Moment) -> SyncAction {
        if let action = push.sealed(number) {
            guard case .sendPush(let number, _) = action, isLast, !pullsFirst, pullRetry?.isOver(at: now) ?? true,
                pull.share()
            else { return action }
            return .sendPush(number: number, pulls: true)
        }
        pushRetry = nil
        if number == nil, !push.isActive, let action = pull.pushed(at: now) { return action }
        return next(at: now)
    }

    mutating func leftParts(at now: Moment) -> SyncAction {
        guard mayRenew(at: now) else { return .finish(.stopped(StopReason(.forked, Self.tooManyRenewals))) }
        return push.leftParts()
    }

    private func mayRenew(at now: Moment) -> Bool {
        renewals.count { now < $0.advanced(by: .seconds(24 * 3600)) } < Self.renewalsPerDayMax
    }

    mutating func pushReplied(to number: UInt64, page: PageSummary?, at now: Moment) -> SyncAction {
        if let action = push.replied(to: number) {
            pull.shared(page)
            return action
        }
        return failed(.push, .invalidReply(message: Self.otherNumber), at: now)
    }

    mutating func acknowledged(at now: Moment) -> SyncAction {
        pushRetry = nil
        recalls = Recalls()
        (waitsForPush, timesWaited) = (false, 0)
        if pullRetry?.reason.isOffline ?? false { pullRetry?.wake(at: now) }
        // Whoever writes without a pause must not keep what others do away.
        let isPullDue = pull.isDue(at: now) && pullRetry?.isOver(at: now) ?? true
        pushesBeforePull = isPullDue ? pushesBeforePull + 1 : 0
        if longPoll != nil, pushesBeforePull >= Self.pushesBeforePullMax {
            (pullsFirst, pushesBeforePull) = (true, 0)
            // Instead of a long poll, which pushes would wait for.
            _ = pull.lookAgain(at: now)
        }
        return push.acknowledged(pauses: pullsFirst && isPullDue) ?? next(at: now)
    }

    mutating func checkpointGone() { pull.checkpointGone() }

    mutating func changesFound() { push.localChange() }

    mutating func restamped(at now: Moment) -> SyncAction {
        push.restamped()
    }

    mutating func renewed(at now: Moment) -> SyncAction {
        pushRetry = nil
        if push.isRecalling { recalls.count += 1 }
        renewals = renewals.suffix(Self.renewalsPerDayMax - 1) + [now]
        pull.identityChanged()
        return push.renewed()
    }

    mutating func divided(_ isSmaller: Bool, at now: Moment) -> SyncAction {
        // No answer to this push comes any more that a pull could wait for.
        waitsForPush = false
        let action = push.divided(isSmaller)
        // What cannot be set aside either waits longer each time.
        if !push.isDoubted { pushRetry = nil }
        if let action { return action }
        // The server has shown that it is well, and says itself that it is the push.
        if !push.doubtsServer, upToDateSince != nil, pullRetry == nil, let action = push.trustServer() { return action }
        if push.isDoubted, let action = pull.lookAgain(at: now) { return action }
        return next(at: now)
    }

    mutating func wasSetAside(at now: Moment) -> SyncAction {
        pushRetry = nil
        return push.wasSetAside()
    }
}

// MARK: Pull

extension RunningSession {
    mutating func pulled(_ page: PageSummary, at now: Moment) -> SyncAction {
        if let action = pull.replied(page, at: now) { return action }
        return failed(.pull, .invalidReply(message: Self.emptyPage), at: now)
    }

    mutating func schemaFetched(at now: Moment) -> SyncAction {
        pull.schemaFetched()
    }

    mutating func applied(_ digest: DigestCheck, at now: Moment) -> SyncAction {
        pullsFirst = false
        recalls = Recalls()
        switch pull.applied(digest, at: now, longPoll: longPoll, yields: push.isDoubted || push.isDue) {
        case .stillDiffers: return .finish(.stopped(StopReason(.digestDiffers, Self.stillDiffers)))
        // Whether the server takes back what it lost is seen only when it has answered.
        case .next(.recover): return .recover
        case .next(let action): return succeeded(action, at: now)
        case .upToDate(let action):
            upToDateSince = now
            guard let aside = push.trustServer() else { return succeeded(action, at: now) }
            pullRetry = nil
            return aside
        }
    }

    mutating func overtaken(at now: Moment) -> SyncAction {
        pull.overtaken()
        (pullsFirst, waitsForPush) = (true, push.isUnheard)
        return next(at: now)
    }

    mutating func startedAnew(at now: Moment) -> SyncAction {
        pull.startedAnew(at: now)
    }

    mutating func recovered(hasMore: Bool, at now: Moment) -> SyncAction {
        pullRetry = nil
        return pull.recovered(hasMore: hasMore, at: now)
    }

    mutating func gaveUp(at now: Moment) -> SyncAction {
        pull.gaveUp()
        push.localChange()
        return next(at: now)
    }

    private mutating func succeeded(_ action: SyncAction, at now: Moment) -> SyncAction {
        pullRetry = nil
        if pushRetry?.reason.isOffline ?? false { pushRetry?.wake(at: now) }
        return action == .wait ? next(at: now) : action
    }
}

// MARK: Failures

extension RunningSession {
    mutating func failed(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        if lane == .push {
            pull.shared(nil)
            waitsForPush = false
        } else {
            pullsFirst = false
        }
        let verdict = Verdict(failure, of: lane)
        if lane == .push, push.needsIdentity, let reason = verdict.reason {
            if push.isRecalling { recalls = Recalls(vain: now) }
            return stop(lane, reason, at: now)
        }
        if lane == .pull, pull.isRecovering, let action = recoveryFailed(failure, at: now) { return action }
        switch verdict {
        case .retry(let reason, let retryAfter):
            if lane == .push, failure.isFault { push.noteFault(reason.message, at: now) }
            return retry(lane, reason, retryAfter, at: now)
        case .stop(let reason): return stop(lane, reason, at: now)
        case .renew(_, let reason) where !mayRenew(at: now):
            return stop(
                lane, StopReason(reason.kind, "\(Self.tooManyRenewals) \(reason.message)", code: reason.code), at: now)
        case .renew(let cause, let reason):
            if let action = push.renew(cause) { return action }
            let still = StopReason(reason.kind, Self.stillRefused(reason.message), code: reason.code)
            return stop(lane, still, at: now)
        case .pullAnew(_, let reason) where !pull.isPulling:
            // No answer to what was asked.
            return retry(lane, WaitReason(.invalidReply, reason.message), nil, at: now)
        case .pullAnew(let cause, let reason):
            if push.isUnheard, timesWaited < Self.timesWaitedMax { return waitForPush(at: now) }
            if let action = pull.pullAnew(cause) { return action }
            return stop(lane, StopReason(reason.kind, Self.stillSentBack, code: reason.code), at: now)
        case .divide(let reason): return push.divide(reason, at: now)
        case .block(let reason):
            push.block(reason, at: now)
        case .restamp where push.needsIdentity:
            return retry(lane, WaitReason(.invalidReply, Self.clockNotAsked), nil, at: now)
        case .restamp(let serverTime):
            if let action = push.restamp(serverTime: serverTime) { return action }
            push.block(StopReason(.clockAhead, Self.stillAhead, code: .clockAhead), at: now)
        }
        pushRetry = nil
        // Nothing is pushed any more for which a long poll could give way.
        return push.isDue ? next(at: now) : pull.pushed(at: now) ?? next(at: now)
    }

    /// The server does not know the replica's token, and the replica has had others: a server that was restored may know one of them. It is
    /// asked once, and again only after a success or the wait that follows otherwise.
    ///
    /// One that forgets each new identity at once is asked twice.
    mutating func forgotten(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        if lane == .pull, push.isActive || push.needsIdentity {
            // The push lane finds it out, or gets a token that is known.
            pullsFirst = false
            return retry(.pull, WaitReason(.notRecognised, Verdict(failure, of: .pull).words), nil, at: now)
        }
        guard mayRecall(at: now) else { return failed(lane, failure, at: now) }
        if lane == .pull, let until = pushRetry?.until, now < until {
            pullsFirst = false
            let reason = WaitReason(.notRecognised, Verdict(failure, of: .pull).words)
            return retry(.pull, reason, nil, pause: now.duration(to: until), at: now)
        }
        pushRetry = nil
        switch lane {
        case .push:
            pull.shared(nil)
            waitsForPush = false
        case .pull:
            pullsFirst = false
            pull.failed()
        }
        return push.recall()
    }

    private mutating func mayRecall(at now: Moment) -> Bool {
        guard !push.needsIdentity, mayRenew(at: now) else { return false }
        if let vain = recalls.vain, now < vain.advanced(by: Self.notRecognisedPause / 2) { return false }
        guard recalls.count >= PushLane.renewalsMax else { return true }
        recalls = Recalls(vain: now)
        return false
    }

    /// Ends a session that ends by itself. One that goes on until it is stopped waits long and tries again, unless the replica's own file is
    /// at fault: what a server says, or somebody in its place, ends no daemon.
    private mutating func stop(_ lane: SyncLane, _ reason: StopReason, at now: Moment) -> SyncAction {
        #if ROOST_SEEDED_BUGS
            if SeededBug.unauthorizedEndsSession.isOn, reason.kind == .unauthorized { return .finish(.stopped(reason)) }
        #endif
        guard case .continuous = mode, reason.kind.isRemote else { return .finish(.stopped(reason)) }
        if reason.kind == .unauthorized {
            let reason = WaitReason(.notRecognised, Self.notRecognised(reason.message))
            return retry(lane, reason, nil, pause: Self.notRecognisedPause, at: now)
        }
        let reason = WaitReason(.refused, Self.refused(reason.message))
        return retry(lane, reason, nil, pause: Self.refusedPause, at: now)
    }

    /// Lets an answer to the push come first: what the server has stored of it may be purged since, and would be taken for what it
    /// stored while everything is pulled anew.
    private mutating func waitForPush(at now: Moment) -> SyncAction {
        waitsForPush = true
        timesWaited += 1
        pull.failed()
        return next(at: now)
    }

    /// What the server has lost is given up where it takes nothing back; a stamp ahead of its clock is one day in its past.
    private mutating func recoveryFailed(_ failure: SyncFailure, at now: Moment) -> SyncAction? {
        guard case .refused(let error) = failure else { return nil }
        switch error.code {
        case .forbidden: return pull.giveUp(mayWrite: false)
        case .notRecovering, .badRequest, .tooLarge, .malformedPut, .quotaExceeded, .notFound:
            return pull.giveUp(mayWrite: true)
        case .clockAhead:
            return retry(.pull, WaitReason(.serverUnavailable, error.message), nil, at: now)
        default: return nil
        }
    }

    private mutating func retry(
        _ lane: SyncLane, _ reason: WaitReason, _ retryAfter: Duration?, pause: Duration = .zero, at now: Moment
    ) -> SyncAction {
        let previous = lane == .push ? pushRetry : pullRetry
        let retry = Retry(
            after: previous, because: reason, retryAfter: retryAfter, pause: pause, at: now, using: &generator)
        switch lane {
        case .push:
            // The pull lane would be refused for the same reason.
            if push.isRecalling, pull.isWaiting, pullRetry?.until == nil { pullRetry = retry }
            push.failed()
            pushRetry = retry
        case .pull:
            pull.failed()
            pullRetry = retry
        }
        if case .once(let attemptsMax) = mode, retry.attempts >= attemptsMax, lane == .pull || !push.isToDivide {
            return .finish(.gaveUp(reason))
        }
        return next(at: now)
    }
}
