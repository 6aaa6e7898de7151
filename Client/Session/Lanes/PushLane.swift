internal import RoostProtocol

/// The push half of a session: at most one push under way, and always the same one until it is acknowledged.
///
/// `SessionTable.md` §1 has every state and event.
struct PushLane: Hashable, Sendable {
    enum State: Hashable, Sendable {
        /// The outbox was empty when last looked at.
        case idle
        /// The outbox may hold something.
        case due
        /// A sealed push has to be sent, again or for the first time.
        case sendDue(number: UInt64)
        /// `hasChanged` if the outbox got more since sealing began.
        case sealing(hasChanged: Bool)
        case sending(number: UInt64)
        case acknowledging(number: UInt64)
        case restamping(number: UInt64)
        /// The replica needs a new identity before anything else.
        case renewDue(RenewalCause)
        case renewing(RenewalCause)
        /// The server does not know the replica's token, and is asked for a new identity with an earlier one. `number` is that of a push that
        /// is sealed.
        case recalling(number: UInt64?)
        /// The push was refused for its content, and is made smaller.
        case dividing(number: UInt64, Doubt)
        /// The push is one transaction that the server refuses. It is set aside once a pull shows that the server is well.
        case doubted(number: UInt64, Doubt)
        case settingAside(number: UInt64, Doubt)
        /// The push was refused for a reason that trying again would not change.
        case blocked(number: UInt64, StopReason, since: Moment)
    }

    /// Why a push may be one that the server never takes.
    struct Doubt: Hashable, Sendable {
        let reason: StopReason
        /// Whether the server failed over it, rather than refuse it.
        let isFault: Bool
        let since: Moment
    }

    /// How often the outbox is stamped anew before its pushes are blocked.
    static let restampsMax = 2
    /// How many new identities a session takes, without a push stored in between, before it stops.
    static let renewalsMax = 2
    /// How often in a row the server may fail over the same push before that is doubted.
    static let faultsMax = 3

    private(set) var state: State
    /// Since the last push that was stored.
    private(set) var restamps = 0
    /// Since the last push that was stored.
    private(set) var renewals = 0
    /// How often in a row the server failed over the push that is sent now.
    private var faults = 0
    /// Set once that has happened ``faultsMax`` times: the next attempt is made with less.
    private var faultDoubt: Doubt?
    /// Whether a transaction was set aside over a fault of the server, and no push was stored since: then the server may be
    /// at fault, and not what it is sent.
    private var hasSetAsideOverFault = false
    /// Whether somebody asked for an attempt while this one was under way: the server may have judged it before.
    private var isWoken = false

    /// - Parameter isCopy: Whether the replica's file is another one than that which was synchronised last.
    init(_ outbox: OutboxState, isCopy: Bool = false) {
        state =
            switch outbox {
            case _ where isCopy: .renewDue(.copied)
            case .empty: .idle
            case .waiting: .due
            case .sealed(let number): .sendDue(number: number)
            }
    }

    /// Whether there is work that has not been started.
    var isDue: Bool {
        switch state {
        case .due, .sendDue, .renewDue: true
        case .idle, .sealing, .sending, .acknowledging, .restamping, .blocked, .renewing, .recalling, .dividing,
            .doubted, .settingAside:
            false
        }
    }

    /// Whether an action of this lane is under way.
    var isActive: Bool {
        switch state {
        case .sealing, .sending, .acknowledging, .restamping, .renewing, .recalling, .dividing, .settingAside: true
        case .idle, .due, .sendDue, .blocked, .renewDue, .doubted: false
        }
    }

    /// Whether nothing may be pulled before the replica has a new identity: the old one is not sent what it wrote itself.
    var needsIdentity: Bool {
        switch state {
        case .renewDue, .renewing, .recalling: true
        case .idle, .due, .sendDue, .sealing, .sending, .acknowledging, .restamping, .blocked, .dividing, .doubted,
            .settingAside:
            false
        }
    }

    /// Whether the server may have stored a push of which this replica has not heard that.
    var isUnheard: Bool {
        switch state {
        case .sendDue, .sending, .acknowledging: true
        case .idle, .due, .sealing, .restamping, .blocked, .renewDue, .renewing, .recalling, .dividing, .doubted,
            .settingAside:
            false
        }
    }

    var isRecalling: Bool { if case .recalling = state { true } else { false } }

    var isDoubted: Bool { if case .doubted = state { true } else { false } }

    /// Whether it is more likely the server that is at fault than what it is sent.
    var doubtsServer: Bool { if case .doubted(_, let doubt) = state { doubt.isFault } else { false } }

    /// Whether the next attempt is made with less: the server has failed over this push too often.
    var isToDivide: Bool { faultDoubt != nil }

    mutating func start() -> SyncAction {
        switch state {
        case .due:
            state = .sealing(hasChanged: false)
            return .sealPush
        case .sendDue(let number):
            if let doubt = faultDoubt {
                faultDoubt = nil
                return divide(number, doubt)
            }
            isWoken = false
            state = .sending(number: number)
            return .sendPush(number: number)
        case .renewDue(let cause):
            state = .renewing(cause)
            return .renew(cause)
        case .idle, .sealing, .sending, .acknowledging, .restamping, .blocked, .renewing, .recalling, .dividing,
            .doubted, .settingAside:
            impossible("start")
        }
    }

    /// Notes a local change. After every acknowledged push the outbox is looked at again, so most states need no note.
    mutating func localChange() {
        switch state {
        case .idle: state = .due
        case .sealing: state = .sealing(hasChanged: true)
        case .due, .sendDue, .sending, .acknowledging, .restamping, .blocked, .renewDue, .renewing, .recalling,
            .dividing, .doubted, .settingAside:
            break
        }
    }

    /// Gives a blocked push another try: somebody may have removed the reason.
    mutating func wake() {
        switch state {
        case .blocked(let number, _, _): tryAgain(number)
        case .sending: isWoken = true
        case .idle, .due, .sendDue, .sealing, .acknowledging, .restamping, .renewDue, .renewing, .recalling, .dividing,
            .doubted, .settingAside:
            break
        }
    }

    private mutating func tryAgain(_ number: UInt64) {
        restamps = 0
        state = .sendDue(number: number)
    }

    /// - Returns: What to do next; `nil` if the outbox is empty.
    mutating func sealed(_ number: UInt64?) -> SyncAction? {
        guard case .sealing(let hasChanged) = state else { impossible("sealed") }
        if let number {
            isWoken = false
            state = .sending(number: number)
            return .sendPush(number: number)
        }
        state = hasChanged ? .sealing(hasChanged: false) : .idle
        return hasChanged ? .sealPush : nil
    }

    /// Nothing was sealed: the server holds parts of a transaction that does not go on, and only a new identity gets rid of them.
    mutating func leftParts() -> SyncAction {
        guard case .sealing = state else { impossible("leftParts") }
        state = .renewing(.partsLeft)
        return .renew(.partsLeft)
    }

    /// - Returns: `nil` if the reply is to another push; then nothing has changed.
    mutating func replied(to number: UInt64) -> SyncAction? {
        guard case .sending(let sent) = state else { impossible("pushReplied") }
        guard number == sent else { return nil }
        state = .acknowledging(number: number)
        return .acknowledge(number: number)
    }

    /// - Parameter pauses: Whether a page comes before the outbox is looked at again.
    /// - Returns: What to do next; `nil` for a pause.
    mutating func acknowledged(pauses: Bool = false) -> SyncAction? {
        guard case .acknowledging = state else { impossible("acknowledged") }
        restamps = 0
        renewals = 0
        faults = 0
        faultDoubt = nil
        hasSetAsideOverFault = false
        state = pauses ? .due : .sealing(hasChanged: false)
        return pauses ? nil : .sealPush
    }

    /// - Returns: `nil` if that was done ``restampsMax`` times already; then nothing has changed.
    mutating func restamp(serverTime: UInt64) -> SyncAction? {
        guard case .sending(let number) = state else { impossible("restamp") }
        guard restamps < Self.restampsMax else { return nil }
        state = .restamping(number: number)
        return .restamp(serverTime: serverTime)
    }

    /// The stamps are new, so the push is sealed anew; its number was not used up.
    mutating func restamped() -> SyncAction {
        guard case .restamping = state else { impossible("restamped") }
        // One that the disk did not take has not been tried by the server.
        restamps += 1
        state = .sealing(hasChanged: false)
        return .sealPush
    }

    /// - Returns: `nil` if that was done ``renewalsMax`` times already; then nothing has changed.
    mutating func renew(_ cause: RenewalCause) -> SyncAction? {
        guard case .sending = state else { impossible("renew") }
        guard renewals < Self.renewalsMax else { return nil }
        state = .renewing(cause)
        return .renew(cause)
    }

    /// The server does not know the token. An earlier one may let the replica take a new identity; if it does not, what was to be done is
    /// still to be done.
    mutating func recall() -> SyncAction {
        switch state {
        case .idle, .due: state = .recalling(number: nil)
        case .sendDue(let number), .sending(let number), .blocked(let number, _, _), .doubted(let number, _):
            state = .recalling(number: number)
        case .sealing, .acknowledging, .restamping, .renewDue, .renewing, .recalling, .dividing, .settingAside:
            impossible("recall")
        }
        return .renew(.forgotten)
    }

    /// The replica has a new identity, and pushes from the beginning.
    mutating func renewed() -> SyncAction {
        switch state {
        case .renewing: renewals += 1
        // It was not over a push that was refused.
        case .recalling: break
        case .idle, .due, .sendDue, .sealing, .sending, .acknowledging, .restamping, .blocked, .renewDue, .dividing,
            .doubted, .settingAside:
            impossible("renewed")
        }
        faults = 0
        faultDoubt = nil
        state = .sealing(hasChanged: false)
        return .sealPush
    }

    /// Notes that the server failed over the push. Once it has done so too often for that to be its own trouble alone, the
    /// next attempt is made with a smaller push.
    mutating func noteFault(_ message: String, at now: Moment) {
        guard case .sending = state else { return }
        faults += 1
        guard faults >= Self.faultsMax else { return }
        faultDoubt = Doubt(reason: StopReason(.incompatible, message, code: .internalError), isFault: true, since: now)
    }

    /// Makes a push smaller that is refused for its content.
    mutating func divide(_ reason: StopReason, at now: Moment) -> SyncAction {
        guard case .sending(let number) = state else { impossible("divide") }
        return divide(number, Doubt(reason: reason, isFault: false, since: now))
    }

    private mutating func divide(_ number: UInt64, _ doubt: Doubt) -> SyncAction {
        faults = 0
        state = .dividing(number: number, doubt)
        return .divide(number: number, isTooLarge: doubt.reason.kind == .tooLarge)
    }

    /// - Returns: What to do next; `nil` if it was one transaction already: that is doubted, or blocked.
    mutating func divided(_ isSmaller: Bool) -> SyncAction? {
        guard case .dividing(let number, let doubt) = state else { impossible("divided") }
        guard !isSmaller else {
            state = .sealing(hasChanged: false)
            return .sealPush
        }
        state =
            doubt.isFault && hasSetAsideOverFault
            ? .blocked(number: number, doubt.reason, since: doubt.since) : .doubted(number: number, doubt)
        return nil
    }

    /// A pull has worked: what the server refuses is the push's own fault.
    ///
    /// - Returns: What to do with a doubted push; `nil` where there is none.
    mutating func trustServer() -> SyncAction? {
        guard case .doubted(let number, let doubt) = state else { return nil }
        state = .settingAside(number: number, doubt)
        return .setAside(number: number, reason: doubt.reason.message)
    }

    mutating func wasSetAside() -> SyncAction {
        guard case .settingAside(_, let doubt) = state else { impossible("wasSetAside") }
        if doubt.isFault { hasSetAsideOverFault = true }
        state = .sealing(hasChanged: false)
        return .sealPush
    }

    /// Goes back to what can be tried again: the same sealed push wherever there is one.
    mutating func failed() {
        switch state {
        case .sealing: state = .due
        case .sending(let number), .acknowledging(let number), .restamping(let number), .dividing(let number, _),
            .settingAside(let number, _):
            state = .sendDue(number: number)
        case .renewing(let cause): state = .renewDue(cause)
        case .recalling(let number): state = number.map { .sendDue(number: $0) } ?? .due
        case .idle, .due, .sendDue, .blocked, .renewDue, .doubted: impossible("failed")
        }
    }

    mutating func block(_ reason: StopReason, at now: Moment) {
        guard case .sending(let number) = state else { impossible("block") }
        guard !isWoken else { return tryAgain(number) }
        state = .blocked(number: number, reason, since: now)
    }

    /// The driver reported what it was not asked for.
    private func impossible(_ event: String) -> Never {
        preconditionFailure("Push event \"\(event)\" in state \(state): the driver reports only what it was asked for")
    }
}
