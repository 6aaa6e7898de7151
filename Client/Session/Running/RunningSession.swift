internal import RoostModel
internal import RoostProtocol

/// A session between its start and its end: two lanes and their waits.
///
/// Every event ends with one action: the next of its own lane or, where that lane has none, one that ``next(at:)`` starts.
struct RunningSession: Hashable, Sendable {
    /// Searches for an earlier token that the server knows, since the last stored push or applied page.
    private struct Recalls: Hashable {
        /// Number of new identities that the searches have led to.
        var count = 0
        /// Time of the last search without a result.
        var vain: Moment?
    }

    let mode: SyncMode
    private(set) var push: PushLane
    private(set) var pull: PullLane
    private(set) var pushRetry: Retry?
    private(set) var pullRetry: Retry?
    /// Time at which the last page of a pull was last applied.
    private(set) var upToDateSince: Moment?
    /// Whether the pull lane waits for the next answer to a push.
    private var waitsForPush = false
    /// Number of such waits since a push was stored, each after the server had required a full pull.
    private var timesWaited = 0
    /// Whether the next page comes before a push that is not sealed yet, because pushes have superseded the last page.
    private var pullsFirst = false
    /// Number of pushes in a row that were stored while a pull was due.
    private var pushesBeforePull = 0
    /// Times of new identities in the last 24 hours.
    private var renewals: [Moment] = []
    private var recalls = Recalls()
    private var generator: SplitMix64

    /// Maximum number of times that a full pull waits for the answer to a push.
    static let timesWaitedMax = 3
    /// Wait after the server has not recognised the device. A server that runs without its data will be restored.
    static let notRecognisedPause = Duration.seconds(300)
    /// Maximum number of new identities in 24 hours, as many as a server gives (protocol.md §6.2).
    static let renewalsPerDayMax = 10
    /// Wait after any other refusal that requires user action at the server or on the way to it: it is restored, the device is
    /// let in again, a certificate is renewed.
    static let refusedPause = Duration.seconds(900)
    /// Longest wait of a session that runs once. A longer one is left to a later run.
    static let onceWaitMost = Duration.seconds(10)
    /// Number of pushes in a row after which a pull that is due comes first.
    static let pushesBeforePullMax = 16

    init(
        _ mode: SyncMode, _ outbox: OutboxState, isCopy: Bool, schemaVersion: Int, _ generator: SplitMix64
    ) {
        self.mode = mode
        push = PushLane(outbox, isCopy: isCopy)
        pull = PullLane(schemaVersion: schemaVersion)
        self.generator = generator
    }

    /// The time at which to report the timer if nothing else happens before; `nil` for never.
    var deadline: Moment? {
        // After an action of the pull lane's own, a push that is due starts by the timer.
        let pushDeadline = push.isDue && !isPushHeld ? pushRetry?.until ?? Moment(milliseconds: 0) : nil
        // A pull starts when the push lane is idle, whether or not its own time has come.
        guard !push.isActive, !push.needsIdentity, !waitsForPush else { return pushDeadline }
        let pullDeadline: Moment? =
            switch pull.state {
            case .due, .received: pullRetry?.until
            case .pausing(let until): until
            case .sharing, .applyingWithReply, .pulling, .fetchingSchema, .applying, .resynchronising, .recovering,
                .givingUp,
                .idle:
                nil
            }
        return [pushDeadline, pullDeadline].compactMap(\.self).min()
    }

    /// Starts a due push or else a due pull, and ends a session that runs once and has nothing left.
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

    /// The end of a session that runs once, where each of its lanes is finished or has a long wait.
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
        case .due, .manyDue, .sendDue, .sealing, .preconnecting, .sending, .acknowledging, .restamping, .renewDue,
            .renewing, .recalling, .dividing, .doubted, .settingAside:
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
            guard case .sendPush(let number, _, let isPreconnected) = action else { return action }
            let pulls = isLast && !pullsFirst && pullRetry?.isOver(at: now) ?? true && pull.share()
            return .sendPush(number: number, pulls: pulls, isPreconnected: pulls && isPreconnected)
        }
        pushRetry = nil
        if number == nil, !push.isActive, let action = pull.pushed(at: now) { return action }
        return next(at: now)
    }

    mutating func leftParts(at now: Moment) -> SyncAction {
        guard mayRenew(at: now) else { return stop(.push, StopReason(.forked, Self.tooManyRenewals), at: now) }
        return push.leftParts()
    }

    private func mayRenew(at now: Moment) -> Bool {
        renewals.count { now < $0.advanced(by: .seconds(24 * 3600)) } < Self.renewalsPerDayMax
    }

    mutating func pushReplied(to number: UInt64, page: PageSummary?, at now: Moment) -> SyncAction {
        if push.replied(to: number) { return .acknowledge(number: number, appliesPage: pull.shared(page)) }
        return failed(.push, .invalidReply(message: Self.otherNumber), at: now)
    }

    mutating func acknowledged(applied digest: DigestCheck?, at now: Moment) -> SyncAction {
        pushRetry = nil
        recalls = Recalls()
        (waitsForPush, timesWaited) = (false, 0)
        if let digest { return acknowledgedWithPage(digest, at: now) }
        pull.notAppliedWithReply()
        if pullRetry?.reason.isOffline ?? false { pullRetry?.wake(at: now) }
        // A device that writes without a pause must not hold back the changes of others.
        let isPullDue = pull.isDue(at: now) && pullRetry?.isOver(at: now) ?? true
        pushesBeforePull = isPullDue ? pushesBeforePull + 1 : 0
        if longPoll != nil, pushesBeforePull >= Self.pushesBeforePullMax {
            (pullsFirst, pushesBeforePull) = (true, 0)
            // Pushes would wait for a long poll.
            _ = pull.lookAgain(at: now)
        }
        return push.acknowledged(pauses: pullsFirst && isPullDue) ?? next(at: now)
    }

    /// Continues with the outbox, unless the digest of the applied page demands an action of the pull lane first.
    private mutating func acknowledgedWithPage(_ digest: DigestCheck, at now: Moment) -> SyncAction {
        pushesBeforePull = 0
        let action = pageApplied(digest, at: now)
        return push.acknowledged(pauses: action != .wait) ?? action
    }

    mutating func checkpointGone() {
        push.checkpointGone()
        pull.checkpointGone()
    }

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
        // A pull cannot wait for this push any more, which gets no answer.
        waitsForPush = false
        let action = push.divided(isSmaller)
        // Each failure to set a transaction aside makes the wait longer.
        if !push.isDoubted { pushRetry = nil }
        if let action { return action }
        // The server has shown that it is well, and blames the push itself.
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
        switch pageApplied(digest, at: now) {
        case .wait: next(at: now)
        case let action: action
        }
    }

    /// Records an applied page.
    ///
    /// - Returns: The next action of the pull lane, or of a push that is doubted; `wait` for none.
    private mutating func pageApplied(_ digest: DigestCheck, at now: Moment) -> SyncAction {
        pullsFirst = false
        recalls = Recalls()
        switch pull.applied(digest, at: now, longPoll: longPoll, yields: push.isDoubted || push.isDue) {
        case .stillDiffers: return .finish(.stopped(StopReason(.digestDiffers, Self.stillDiffers)))
        // The pull has succeeded only when the server accepts the records that it has lost.
        case .next(.recover): return .recover
        case .next(let action):
            pullSucceeded(at: now)
            return action
        case .upToDate(let action):
            upToDateSince = now
            guard let aside = push.trustServer() else {
                pullSucceeded(at: now)
                return action
            }
            pullRetry = nil
            return aside
        }
    }

    private mutating func pullSucceeded(at now: Moment) {
        pullRetry = nil
        if pushRetry?.reason.isOffline ?? false { pushRetry?.wake(at: now) }
    }

    mutating func superseded(at now: Moment) -> SyncAction {
        pull.superseded()
        (pullsFirst, waitsForPush) = (true, push.isUnheard)
        return next(at: now)
    }

    mutating func resynchronised(at now: Moment) -> SyncAction {
        pull.resynchronised(at: now)
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
}

// MARK: Failures

extension RunningSession {
    mutating func failed(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        if lane == .push {
            pull.shared(nil)
            pull.notAppliedWithReply()
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
            if lane == .push, failure.isFault { push.recordFault(reason.message, at: now) }
            return retry(lane, reason, retryAfter, at: now)
        case .stop(let reason): return stop(lane, reason, at: now)
        case .renew(_, let reason) where !mayRenew(at: now):
            return stop(
                lane, StopReason(reason.kind, "\(Self.tooManyRenewals) \(reason.message)", code: reason.code), at: now)
        case .renew(let cause, let reason):
            if let action = push.renew(cause) { return action }
            let still = StopReason(reason.kind, Self.stillRefused(reason.message), code: reason.code)
            return stop(lane, still, at: now)
        case .resynchronise(_, let reason) where !pull.isPulling:
            // The answer does not fit the request.
            return retry(lane, WaitReason(.invalidReply, reason.message), nil, at: now)
        case .resynchronise(let cause, let reason):
            if push.isUnheard, timesWaited < Self.timesWaitedMax { return waitForPush(at: now) }
            if let action = pull.resynchronise(cause) { return action }
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
        // A later push that a long poll could give way to does not come.
        return push.isDue ? next(at: now) : pull.pushed(at: now) ?? next(at: now)
    }

    /// Searches for an earlier token, because the server does not know the present one. A server that was restored from a backup may
    /// know an earlier one. There is one search until a success, or until the wait that follows a search in vain.
    ///
    /// A server that forgets each new identity at once is asked twice.
    mutating func forgotten(_ lane: SyncLane, _ failure: SyncFailure, at now: Moment) -> SyncAction {
        if lane == .pull, push.isActive || push.needsIdentity {
            // The push lane meets the same refusal, or gets a known token.
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

    /// Ends a session that runs once. A continuous one waits long and tries again, unless the replica's own file is at fault: no
    /// answer of a server, or of a program in its place, ends a daemon.
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

    /// Waits for an answer to the push. Changes of it that the server has stored may be purged since, and would seem to be stored
    /// during the full pull.
    private mutating func waitForPush(at now: Moment) -> SyncAction {
        waitsForPush = true
        timesWaited += 1
        pull.failed()
        return next(at: now)
    }

    /// Ends the recovery of lost records where the server accepts none. A stamp ahead of its clock will be in its past one day.
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
            // The pull lane would meet the same refusal.
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
