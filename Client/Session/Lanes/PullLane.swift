internal import RoostModel

/// The pull half of a session: a page is applied before the next one is asked for.
///
/// `SessionTable.md` §2 has every state and event.
struct PullLane: Hashable, Sendable {
    enum State: Hashable, Sendable {
        /// A pull has to be asked for.
        case due
        /// The page is to come with the reply to a push.
        case sharing
        /// It came, and waits until the push lane rests.
        case received(PageSummary)
        /// Up to date, and the server answers a long poll at once with nothing: the next one waits.
        case pausing(until: Moment)
        /// `waitSeconds` is 0 for a pull that is answered at once.
        case pulling(waitSeconds: Int, since: Moment)
        /// The page waits for a schema.
        case fetchingSchema(PageSummary, pause: Moment?)
        /// `pause` if the next long poll has to wait.
        case applying(PageSummary, pause: Moment?)
        case startingAnew
        /// Everything is pulled, and the server is sent what it has lost.
        case recovering
        /// The server takes nothing back.
        case givingUp
        /// Up to date, and nothing more to ask for.
        case idle
    }

    /// What follows a page that was applied.
    enum Applied: Hashable, Sendable {
        case next(SyncAction)
        /// That was the last page.
        case upToDate(SyncAction)
        /// The digest differs although the replica was built anew, or the server sends the replica back to the start again and
        /// again.
        case stillDiffers
    }

    /// Long polls that come back empty sooner than this after each other are slowed down to it.
    static let pace = Backoff.least

    private(set) var state: State = .due
    private var schemaVersion: Int
    /// Whether no digest was compared since the session began or a pull failed: the server may have been put back meanwhile.
    private var isUnsure = true
    /// Whether all was found pushed while a page was under way: it may have been made before, and its digest is too old then.
    private var isOvertaken = false
    /// How often everything was pulled anew since the replica was seen to hold what the server does; what the replica's disk refused does not count.
    private var timesAnew = 0
    /// How often that may be: something that happens meanwhile may be a reason to do it once more.
    static let timesAnewMax = 3

    init(schemaVersion: Int) {
        self.schemaVersion = schemaVersion
    }

    func isDue(at now: Moment) -> Bool {
        switch state {
        case .due, .received: true
        case .pausing(let until): until <= now
        case .sharing, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp, .idle: false
        }
    }

    /// Whether no action of this lane is under way.
    var isWaiting: Bool {
        switch state {
        case .due, .received, .pausing, .idle: true
        case .sharing, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp: false
        }
    }

    var isRecovering: Bool { state == .recovering }

    var isPulling: Bool { if case .pulling = state { true } else { false } }

    /// Whether the server may have something that the replica has not.
    var isBehind: Bool {
        switch state {
        case .due, .sharing, .startingAnew, .recovering, .givingUp: true
        case .pulling(let waitSeconds, _): waitSeconds == 0
        case .received(let page), .fetchingSchema(let page, _), .applying(let page, _):
            page.count > 0 || page.hasMore
        case .pausing, .idle: false
        }
    }

    /// Asks for what is new, takes a page that came with a reply, or after a pause goes on to hold a long poll.
    mutating func start(at now: Moment, longPoll waitSeconds: Int) -> SyncAction {
        switch state {
        case .due: pull(0, now)
        case .received(let page): take(page, pause: nil)
        case .pausing: pull(waitSeconds, now)
        case .sharing, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp, .idle:
            impossible("start")
        }
    }

    /// A push is about to be sent, and can bring the page back with its reply.
    ///
    /// - Returns: Whether it shall.
    mutating func share() -> Bool {
        guard case .due = state else { return false }
        state = .sharing
        return true
    }

    /// The push has its reply, or has failed: what was to come with it is there, or has to be asked for.
    mutating func shared(_ page: PageSummary?) {
        guard case .sharing = state else { return }
        state = if let page, page.isProgress || !page.hasMore { .received(page) } else { .due }
    }

    /// - Returns: `nil` if the page says that there is more but leads nowhere; then nothing has changed.
    mutating func replied(_ page: PageSummary, at now: Moment) -> SyncAction? {
        guard case .pulling(let waitSeconds, let since) = state else { impossible("pulled") }
        guard page.isProgress || !page.hasMore else { return nil }
        let next = since.advanced(by: Self.pace)
        return take(page, pause: waitSeconds > 0 && page.count == 0 && now < next ? next : nil)
    }

    private mutating func take(_ page: PageSummary, pause: Moment?) -> SyncAction {
        guard page.schemaVersion > schemaVersion else {
            state = .applying(page, pause: pause)
            return .applyPage
        }
        state = .fetchingSchema(page, pause: pause)
        return .fetchSchema(version: page.schemaVersion)
    }

    mutating func schemaFetched() -> SyncAction {
        guard case .fetchingSchema(let page, let pause) = state else { impossible("schemaFetched") }
        schemaVersion = page.schemaVersion
        state = .applying(page, pause: pause)
        return .applyPage
    }

    /// - Parameters:
    ///   - longPoll: Seconds of the long poll that follows the last page; `nil` for none.
    ///   - yields: Whether the push lane has something to do first.
    mutating func applied(
        _ digest: DigestCheck, at now: Moment, longPoll waitSeconds: Int?, yields: Bool = false
    ) -> Applied {
        guard case .applying(let page, let pause) = state else { impossible("applied") }
        if digest == .matches || digest == .damaged { isUnsure = false }
        if digest == .differs || digest == .damaged {
            guard timesAnew < Self.timesAnewMax else { return .stillDiffers }
            return .next(beginAnew(digest == .damaged ? .damaged : .differs))
        }
        guard !page.hasMore else { return .next(pull(0, now)) }
        // Instead of the long poll, a page of its own, whose digest nothing overtakes.
        let looksAgain = waitSeconds != nil && isOvertaken && isUnsure && digest == .notCompared
        isOvertaken = false
        guard !looksAgain else { return .next(pull(0, now)) }
        if digest == .serverLost {
            state = .recovering
            return .next(.recover)
        }
        if !isUnsure { timesAnew = 0 }
        guard let waitSeconds else {
            state = .idle
            return .upToDate(.wait)
        }
        if let pause = pause ?? (yields ? now : nil) {
            state = .pausing(until: pause)
            return .upToDate(.wait)
        }
        return .upToDate(pull(waitSeconds, now))
    }

    /// The page was not applied: it is asked for again.
    mutating func overtaken() {
        guard case .applying = state else { impossible("overtaken") }
        isOvertaken = false
        state = .due
    }

    mutating func startedAnew(at now: Moment) -> SyncAction {
        guard case .startingAnew = state else { impossible("started anew") }
        timesAnew += 1
        return pull(0, now)
    }

    /// The server cannot go on from the checkpoint.
    ///
    /// - Returns: `nil` if that has happened ``timesAnewMax`` times since the replica was up to date.
    mutating func pullAnew(_ reason: PullAnewReason) -> SyncAction? {
        guard isPulling else { impossible("pullAnew") }
        guard timesAnew < Self.timesAnewMax else { return nil }
        return beginAnew(reason)
    }

    /// - Parameter hasMore: Whether there are more records that the server has lost.
    mutating func recovered(hasMore: Bool, at now: Moment) -> SyncAction {
        guard case .recovering = state else { impossible("recovered") }
        return hasMore ? .recover : pull(0, now)
    }

    /// The server takes nothing back.
    mutating func giveUp(mayWrite: Bool) -> SyncAction {
        guard case .recovering = state else { impossible("giveUp") }
        state = .givingUp
        return .giveUp(mayWrite: mayWrite)
    }

    /// What is given up may go as local changes, so those come first.
    mutating func gaveUp() {
        guard case .givingUp = state else { impossible("gaveUp") }
        state = .due
    }

    /// Somebody needs to know whether the server is well, and must not wait for a long poll.
    ///
    /// - Returns: A pull that is answered at once, in the place of the long poll; `nil` where none is held.
    mutating func lookAgain(at now: Moment) -> SyncAction? {
        switch state {
        case .idle, .pausing: state = .due
        case .pulling(let waitSeconds, _) where waitSeconds > 0: return pull(0, now)
        case .due, .sharing, .received, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp:
            break
        }
        return nil
    }

    /// The push lane had to give the checkpoint up: everything is to be pulled. A page under way follows the old one, and is overtaken;
    /// a long poll gives way once all is pushed.
    mutating func checkpointGone() {
        isUnsure = true
        switch state {
        case .idle, .pausing: state = .due
        case .due, .sharing, .received, .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp:
            break
        }
    }

    /// The replica has a new identity: what is asked for under the old one is of no use, and what another copy wrote under that is
    /// asked for only now.
    mutating func identityChanged() {
        isUnsure = true
        switch state {
        case .sharing, .received, .pulling, .fetchingSchema, .recovering, .pausing, .idle: state = .due
        case .due, .applying, .startingAnew, .givingUp: break
        }
    }

    /// Nothing is to be pushed any more: the digest can be compared that could not be before. The long poll might not end for
    /// long, and gives way to a pull that is answered at once; a page under way is followed by one if its digest is too old.
    ///
    /// - Returns: That pull, in the place of the long poll; `nil` where none is held.
    mutating func pushed(at now: Moment) -> SyncAction? {
        guard isUnsure else { return nil }
        switch state {
        case .pulling(let waitSeconds, _): isOvertaken = waitSeconds == 0
        case .received, .fetchingSchema, .applying: isOvertaken = true
        case .due, .sharing, .pausing, .startingAnew, .recovering, .givingUp, .idle: break
        }
        return lookAgain(at: now)
    }

    /// Goes back to asking: a page that was not applied is asked for again.
    mutating func failed() {
        (isUnsure, isOvertaken) = (true, false)
        switch state {
        case .pulling, .fetchingSchema, .applying, .startingAnew, .recovering, .givingUp: state = .due
        case .due, .sharing, .received, .pausing, .idle: impossible("failed")
        }
    }

    private mutating func beginAnew(_ reason: PullAnewReason) -> SyncAction {
        isUnsure = true
        state = .startingAnew
        return .pullAnew(reason)
    }

    private mutating func pull(_ waitSeconds: Int, _ now: Moment) -> SyncAction {
        state = .pulling(waitSeconds: waitSeconds, since: now)
        return .pull(waitSeconds: waitSeconds)
    }

    /// The driver reported what it was not asked for.
    private func impossible(_ event: String) -> Never {
        preconditionFailure("Pull event \"\(event)\" in state \(state): the driver reports only what it was asked for")
    }
}
