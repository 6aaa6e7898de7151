internal import RoostProtocol

/// A session between its start and its end: two lanes, and what each waits for.
///
/// Every event ends with one action: the next of its own lane or, where that lane has none, what ``next(at:)`` may start.
struct RunningSession: Hashable, Sendable {
    let mode: SyncMode
    private(set) var push: PushLane
    private(set) var pull: PullLane
    private(set) var pushRetry: Retry?
    private(set) var pullRetry: Retry?
    /// When the last page of a pull was last applied.
    private(set) var upToDateSince: Moment?
    private var generator: SeededGenerator

    init(_ mode: SyncMode, _ outbox: OutboxState, schemaVersion: Int, _ generator: SeededGenerator) {
        self.mode = mode
        push = PushLane(outbox)
        pull = PullLane(schemaVersion: schemaVersion)
        self.generator = generator
    }

    /// When to report a timer if nothing else happens before; `nil` for never.
    var deadline: Moment? {
        let pushDeadline = push.isDue ? pushRetry?.until : nil
        // A pull starts when the push lane rests, whether or not its own time has come.
        guard !push.isActive else { return pushDeadline }
        let pullDeadline: Moment? =
            switch pull.state {
            case .due: pullRetry?.until
            case .pausing(let until): until
            case .pulling, .fetchingSchema, .applying, .rebuilding, .idle: nil
            }
        return [pushDeadline, pullDeadline].compactMap(\.self).min()
    }

    /// Starts what is due: a push first, then a pull; ends a session that is to run once and has nothing left.
    mutating func next(at now: Moment) -> SyncAction {
        if push.isDue, pushRetry?.isOver(at: now) ?? true {
            pushRetry?.begin()
            return push.start()
        }
        if !push.isActive, pull.isDue(at: now), pullRetry?.isOver(at: now) ?? true {
            pullRetry?.begin()
            return pull.start(at: now, longPoll: longPoll ?? 0)
        }
        return finishedOutcome.map { .finish($0) } ?? .wait
    }

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
        case .due, .sendDue, .sealing, .sending, .acknowledging, .restamping: return nil
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
    mutating func sealed(_ number: UInt64?, at now: Moment) -> SyncAction {
        if let action = push.sealed(number) { return action }
        pushRetry = nil
        return next(at: now)
    }

    mutating func pushReplied(to number: UInt64, at now: Moment) -> SyncAction {
        if let action = push.replied(to: number) { return action }
        return failed(.push, .invalidReply(message: Self.otherNumber), at: now)
    }

    mutating func acknowledged(at now: Moment) -> SyncAction {
        pushRetry = nil
        if pullRetry?.reason.isOffline ?? false { pullRetry?.wake(at: now) }
        return push.acknowledged()
    }

    mutating func restamped(at now: Moment) -> SyncAction {
        push.restamped()
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
        switch pull.applied(digest, at: now, longPoll: longPoll) {
        case .stillDiffers: return .finish(.stopped(StopReason(.digestDiffers, Self.stillDiffers)))
        case .next(let action): return succeeded(action, at: now)
        case .upToDate(let action):
            upToDateSince = now
            return succeeded(action, at: now)
        }
    }

    mutating func rebuilt(at now: Moment) -> SyncAction {
        pull.rebuilt(at: now)
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
        switch Verdict(failure, of: lane) {
        case .retry(let reason, let retryAfter): return retry(lane, reason, retryAfter, at: now)
        case .stop(let reason): return .finish(.stopped(reason))
        case .block(let reason):
            push.block(reason, at: now)
        case .restamp(let serverTime):
            if let action = push.restamp(serverTime: serverTime) { return action }
            push.block(StopReason(.clockAhead, Self.stillAhead, code: .clockAhead), at: now)
        }
        pushRetry = nil
        return next(at: now)
    }

    private mutating func retry(
        _ lane: SyncLane, _ reason: WaitReason, _ retryAfter: Duration?, at now: Moment
    ) -> SyncAction {
        let previous = lane == .push ? pushRetry : pullRetry
        let retry = Retry(after: previous, because: reason, retryAfter: retryAfter, at: now, using: &generator)
        switch lane {
        case .push:
            push.failed()
            pushRetry = retry
        case .pull:
            pull.failed()
            pullRetry = retry
        }
        if case .once(let attemptsMax) = mode, retry.attempts >= attemptsMax { return .finish(.gaveUp(reason)) }
        return next(at: now)
    }
}
