internal import RoostModel

/// The pull half of a session. Pages are applied one after another, in order.
///
/// `SessionTable.md` §2 has every state and event.
struct PullLane: Hashable, Sendable {
    enum State: Hashable, Sendable {
        /// A pull has to be requested.
        case due
        /// The page is to come with the reply to a push.
        case sharing
        /// A page that came with a reply, and waits until no action of the push lane is under way.
        case received(PageSummary)
        /// An empty last page that came with a reply, and is applied by the transaction that writes the reply.
        case applyingWithReply(PageSummary)
        /// Up to date, before the next long poll: the server has answered the last one at once with nothing, or the push lane comes first.
        case pausing(until: Moment)
        /// `waitSeconds` is 0 for a pull that is answered at once.
        case pulling(waitSeconds: Int, since: Moment)
        /// The page waits for a schema.
        case fetchingSchema(PageSummary, pause: Moment?)
        /// `pause` if the next long poll has to wait. The page after it may be requested already.
        case applying(PageSummary, pause: Moment?, isNextRequested: Bool)
        case resynchronising
        /// Everything is pulled, and the server is sent the records that it has lost.
        case recovering
        /// The server accepts none of the records that it has lost.
        case givingUp
        /// Up to date, with nothing more to request.
        case idle
    }

    /// The consequence of an applied page.
    enum Applied: Hashable, Sendable {
        case next(SyncAction)
        /// That was the last page.
        case upToDate(SyncAction)
        /// The digest still differs after repeated full pulls.
        case stillDiffers
    }

    /// Minimum interval of long polls that come back empty.
    static let pace = Backoff.least

    private(set) var state: State = .due
    private var schemaVersion: Int
    /// Whether no digest was compared since the session began or a pull failed. The server may have been restored from a backup.
    private var isUnsure = true
    /// Whether the outbox was found empty while a page was under way. The page may be older than the last push, and its digest stale.
    private var isSuperseded = false
    /// Number of full resynchronisations since a digest matched. Those that the disk refused do not count.
    private var resyncs = 0
    /// Maximum number of full resynchronisations in a row. Events during one may be a reason for another.
    static let resyncsMax = 3

    init(schemaVersion: Int) {
        self.schemaVersion = schemaVersion
    }

    func isDue(at now: Moment) -> Bool {
        switch state {
        case .due, .received: true
        case .pausing(let until): until <= now
        case .sharing, .applyingWithReply, .pulling, .fetchingSchema, .applying, .resynchronising, .recovering,
            .givingUp,
            .idle:
            false
        }
    }

    /// Whether no action of this lane is under way.
    var isWaiting: Bool {
        switch state {
        case .due, .received, .pausing, .idle: true
        case .sharing, .applyingWithReply, .pulling, .fetchingSchema, .applying, .resynchronising, .recovering,
            .givingUp:
            false
        }
    }

    var isRecovering: Bool { state == .recovering }

    var isPulling: Bool { if case .pulling = state { true } else { false } }

    /// Whether a page is requested and awaited, including the one after the page that is being applied.
    var expectsPage: Bool {
        switch state {
        case .pulling, .applying(_, _, isNextRequested: true): true
        default: false
        }
    }

    /// Whether this lane lets local writes be sealed by their own transaction: it polls, or pauses before that.
    var admitsSealedWrites: Bool {
        switch state {
        case .pulling(let waitSeconds, _): waitSeconds > 0
        case .pausing: true
        default: false
        }
    }

    /// Whether the server may have changes that the replica lacks.
    var isBehind: Bool {
        switch state {
        case .due, .sharing, .resynchronising, .recovering, .givingUp: true
        case .pulling(let waitSeconds, _): waitSeconds == 0
        case .received(let page), .applyingWithReply(let page), .fetchingSchema(let page, _), .applying(let page, _, _):
            page.count > 0 || page.hasMore
        case .pausing, .idle: false
        }
    }

    /// Requests a page, applies one that came with a reply, or continues with a long poll after a pause.
    mutating func start(at now: Moment, longPoll waitSeconds: Int) -> SyncAction {
        switch state {
        case .due: pull(0, now)
        case .received(let page): handle(page, pause: nil)
        case .pausing: pull(waitSeconds, now)
        case .sharing, .applyingWithReply, .pulling, .fetchingSchema, .applying, .resynchronising, .recovering,
            .givingUp, .idle:
            impossible("start")
        }
    }

    /// Lets the next page come with the reply to a push that is about to be sent.
    ///
    /// - Returns: Whether it is to come so.
    mutating func share() -> Bool {
        guard case .due = state else { return false }
        state = .sharing
        return true
    }

    /// Records that the push has its reply, or has failed. The page came with it, or has to be requested.
    ///
    /// - Returns: Whether the transaction that writes the reply shall apply the page.
    @discardableResult
    mutating func shared(_ page: PageSummary?) -> Bool {
        guard case .sharing = state else { return false }
        guard let page, page.isProgress || !page.hasMore else {
            state = .due
            return false
        }
        let isWithReply = page.count == 0 && !page.hasMore && page.schemaVersion <= schemaVersion
        state = isWithReply ? .applyingWithReply(page) : .received(page)
        return isWithReply
    }

    /// Keeps the page that the reply's transaction has not applied, or that was to be applied by a transaction that failed.
    mutating func notAppliedWithReply() {
        if case .applyingWithReply(let page) = state { state = .received(page) }
    }

    /// - Returns: `nil` if the page announces more without any progress; then nothing has changed.
    mutating func replied(_ page: PageSummary, at now: Moment) -> SyncAction? {
        guard case .pulling(let waitSeconds, let since) = state else { impossible("pulled") }
        guard page.isProgress || !page.hasMore else { return nil }
        let next = since.advanced(by: Self.pace)
        return handle(page, pause: waitSeconds > 0 && page.count == 0 && now < next ? next : nil)
    }

    private mutating func handle(_ page: PageSummary, pause: Moment?) -> SyncAction {
        guard page.schemaVersion > schemaVersion else { return apply(page, pause) }
        state = .fetchingSchema(page, pause: pause)
        return .fetchSchema(version: page.schemaVersion)
    }

    mutating func schemaFetched() -> SyncAction {
        guard case .fetchingSchema(let page, let pause) = state else { impossible("schemaFetched") }
        schemaVersion = page.schemaVersion
        return apply(page, pause)
    }

    private mutating func apply(_ page: PageSummary, _ pause: Moment?) -> SyncAction {
        state = .applying(page, pause: pause, isNextRequested: page.hasMore)
        return .applyPage(prefetches: page.hasMore)
    }

    /// - Parameters:
    ///   - longPoll: Seconds of the long poll that follows the last page; `nil` for none.
    ///   - yields: Whether the push lane has something to do first.
    mutating func applied(
        _ digest: DigestCheck, at now: Moment, longPoll waitSeconds: Int?, yields: Bool = false
    ) -> Applied {
        let (page, pause, isNextRequested) = appliedPage(at: now)
        if digest == .matches || digest == .damaged { isUnsure = false }
        if digest == .differs || digest == .damaged {
            guard resyncs < Self.resyncsMax else { return .stillDiffers }
            return .next(beginResynchronising(digest == .damaged ? .damaged : .differs))
        }
        guard !page.hasMore else {
            guard isNextRequested else { return .next(pull(0, now)) }
            state = .pulling(waitSeconds: 0, since: now)
            return .next(.wait)
        }
        // A pull at once instead of the long poll brings a digest that no push overlaps.
        let looksAgain = waitSeconds != nil && isSuperseded && isUnsure && digest == .notCompared
        isSuperseded = false
        guard !looksAgain else { return .next(pull(0, now)) }
        if digest == .serverLost {
            state = .recovering
            return .next(.recover)
        }
        if !isUnsure { resyncs = 0 }
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

    /// The page that was just applied. After a page that was applied with a reply, the push lane continues first.
    private mutating func appliedPage(at now: Moment) -> (page: PageSummary, pause: Moment?, isNextRequested: Bool) {
        switch state {
        case .applying(let page, let pause, let isNextRequested): return (page, pause, isNextRequested)
        case .applyingWithReply(let page):
            isSuperseded = false
            return (page, now, false)
        default: impossible("applied")
        }
    }

    /// Requests a page again that was not applied.
    mutating func superseded() {
        guard case .applying = state else { impossible("superseded") }
        isSuperseded = false
        state = .due
    }

    mutating func resynchronised(at now: Moment) -> SyncAction {
        guard case .resynchronising = state else { impossible("resynchronised") }
        resyncs += 1
        return pull(0, now)
    }

    /// Starts a full pull, because the server cannot continue from the checkpoint.
    ///
    /// - Returns: `nil` if that has happened ``resyncsMax`` times since the replica was up to date.
    mutating func resynchronise(_ reason: PullAnewReason) -> SyncAction? {
        guard isPulling else { impossible("resynchronise") }
        guard resyncs < Self.resyncsMax else { return nil }
        return beginResynchronising(reason)
    }

    /// - Parameter hasMore: Whether there are more records that the server has lost.
    mutating func recovered(hasMore: Bool, at now: Moment) -> SyncAction {
        guard case .recovering = state else { impossible("recovered") }
        return hasMore ? .recover : pull(0, now)
    }

    /// Ends the recovery of lost records, because the server accepts none.
    mutating func giveUp(mayWrite: Bool) -> SyncAction {
        guard case .recovering = state else { impossible("giveUp") }
        state = .givingUp
        return .giveUp(mayWrite: mayWrite)
    }

    /// Lets the push lane come first: discarded records may be pushed as local changes.
    mutating func gaveUp() {
        guard case .givingUp = state else { impossible("gaveUp") }
        state = .due
    }

    /// Makes the next pull one that is answered at once, for example to find out whether the server is well.
    ///
    /// - Returns: That pull, which replaces the long poll; `nil` where none is held.
    mutating func lookAgain(at now: Moment) -> SyncAction? {
        switch state {
        case .idle, .pausing: state = .due
        case .pulling(let waitSeconds, _) where waitSeconds > 0: return pull(0, now)
        case .due, .sharing, .received, .applyingWithReply, .pulling, .fetchingSchema, .applying, .resynchronising,
            .recovering, .givingUp:
            break
        }
        return nil
    }

    /// Records that the push lane had to discard the checkpoint, so that everything has to be pulled. A page under way follows the old
    /// checkpoint and will be superseded. A long poll gives way once all changes are pushed.
    mutating func checkpointGone() {
        isUnsure = true
        switch state {
        case .idle, .pausing: state = .due
        case .applying(let page, let pause, _): state = .applying(page, pause: pause, isNextRequested: false)
        case .due, .sharing, .received, .applyingWithReply, .pulling, .fetchingSchema, .resynchronising, .recovering,
            .givingUp:
            break
        }
    }

    /// Records that the replica has a new identity. Requests of the old identity are obsolete. Changes that another copy wrote under
    /// the old identity are pulled only now.
    mutating func identityChanged() {
        isUnsure = true
        switch state {
        case .sharing, .received, .applyingWithReply, .pulling, .fetchingSchema, .recovering, .pausing, .idle:
            state = .due
        case .applying(let page, let pause, _): state = .applying(page, pause: pause, isNextRequested: false)
        case .due, .resynchronising, .givingUp: break
        }
    }

    /// Records that all changes are pushed, so that a digest can be compared. A long poll gives way to a pull that is answered at once,
    /// because it might not end for long. A page under way is followed by such a pull if its digest is stale.
    ///
    /// - Returns: That pull, which replaces the long poll; `nil` where none is held.
    mutating func pushed(at now: Moment) -> SyncAction? {
        guard isUnsure else { return nil }
        switch state {
        case .pulling(let waitSeconds, _): isSuperseded = waitSeconds == 0
        case .received, .fetchingSchema, .applying: isSuperseded = true
        case .due, .sharing, .applyingWithReply, .pausing, .resynchronising, .recovering, .givingUp, .idle: break
        }
        return lookAgain(at: now)
    }

    /// Requests the page again after a failure.
    mutating func failed() {
        (isUnsure, isSuperseded) = (true, false)
        switch state {
        case .pulling, .fetchingSchema, .applying, .resynchronising, .recovering, .givingUp: state = .due
        case .due, .sharing, .received, .applyingWithReply, .pausing, .idle: impossible("failed")
        }
    }

    private mutating func beginResynchronising(_ reason: PullAnewReason) -> SyncAction {
        isUnsure = true
        state = .resynchronising
        return .resynchronise(reason)
    }

    private mutating func pull(_ waitSeconds: Int, _ now: Moment) -> SyncAction {
        state = .pulling(waitSeconds: waitSeconds, since: now)
        return .pull(waitSeconds: waitSeconds)
    }

    /// Traps, because the driver has reported an event that no action asked for.
    private func impossible(_ event: String) -> Never {
        preconditionFailure("Pull event \"\(event)\" in state \(state): the driver reports only what it was asked for")
    }
}
