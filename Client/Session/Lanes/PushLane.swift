internal import RoostProtocol

/// The push half of a session: at most one push under way, and the sealed one until its reply is stored, or until it is sealed
/// again because the server has not stored it.
///
/// `SessionTable.md` §1 has every state and event.
struct PushLane: Hashable, Sendable {
    enum State: Hashable, Sendable {
        /// The outbox was empty at the last check.
        case idle
        /// The outbox may hold something.
        case due
        /// The outbox holds so much that a connection is opened while it is sealed.
        case manyDue
        /// A sealed push has to be sent or resent.
        case sendDue(number: UInt64)
        /// `hasChanged` if more changes came since sealing began.
        case sealing(hasChanged: Bool)
        /// Sealing, while the connection for the push is opened.
        case preconnecting
        case sending(number: UInt64)
        case acknowledging(number: UInt64)
        case restamping(number: UInt64)
        /// The replica needs a new identity before anything else.
        case renewDue(RenewalCause)
        case renewing(RenewalCause)
        /// The server does not know the replica's token, and is asked for a new identity with an earlier one. `number` is that of the
        /// sealed push, if any.
        case recalling(number: UInt64?)
        /// The push was refused for its content, and is divided.
        case dividing(number: UInt64, Doubt)
        /// The push is one transaction that the server refuses. It is set aside once a pull shows that the server is well.
        case doubted(number: UInt64, Doubt)
        case settingAside(number: UInt64, Doubt)
        /// The push was refused for a reason that a retry would not change.
        case blocked(number: UInt64, StopReason, since: Moment)
    }

    /// The reason why the server may never accept a push.
    struct Doubt: Hashable, Sendable {
        let reason: StopReason
        /// Whether the server failed over the push rather than refuse it.
        let isFault: Bool
        let since: Moment
    }

    /// Maximum number of restampings before pushes are blocked.
    static let restampsMax = 2
    /// Maximum number of new identities without a stored push in between.
    static let renewalsMax = 2
    /// Number of faults of the server in a row over one push after which the push is doubted.
    static let faultsMax = 3

    private(set) var state: State
    /// Number of restampings since the last stored push.
    private(set) var restamps = 0
    /// Number of renewals since the last stored push.
    private(set) var renewals = 0
    /// Number of faults of the server in a row over the present push.
    private var faults = 0
    /// Set after ``faultsMax`` faults. The next attempt is made with a smaller push.
    private var faultDoubt: Doubt?
    /// Whether a transaction was set aside over a fault of the server, and no push was stored since. The fault may then be the
    /// server's own.
    private var hasSetAsideOverFault = false
    /// Whether a wake came while the push was under way. The server may have judged the push before the reason was removed.
    private var isWoken = false

    /// - Parameter isCopy: Whether the replica's file is not the file that was synchronised last.
    init(_ outbox: OutboxState, isCopy: Bool = false) {
        state =
            switch outbox {
            case _ where isCopy: .renewDue(.copied)
            case .empty: .idle
            case .waiting: .due
            case .many: .manyDue
            case .sealed(let number): .sendDue(number: number)
            }
    }

    /// Whether there is work that is not started.
    var isDue: Bool {
        switch state {
        case .due, .manyDue, .sendDue, .renewDue: true
        case .idle, .sealing, .preconnecting, .sending, .acknowledging, .restamping, .blocked, .renewing, .recalling,
            .dividing,
            .doubted, .settingAside:
            false
        }
    }

    /// Whether an action of this lane is under way.
    var isActive: Bool {
        switch state {
        case .sealing, .preconnecting, .sending, .acknowledging, .restamping, .renewing, .recalling, .dividing,
            .settingAside:
            true
        case .idle, .due, .manyDue, .sendDue, .blocked, .renewDue, .doubted: false
        }
    }

    /// Whether nothing may be pulled before the replica has a new identity. The server does not send the old identity its own changes.
    var needsIdentity: Bool {
        switch state {
        case .renewDue, .renewing, .recalling: true
        case .idle, .due, .manyDue, .sendDue, .sealing, .preconnecting, .sending, .acknowledging, .restamping,
            .blocked, .dividing, .doubted, .settingAside:
            false
        }
    }

    /// Whether the server may have stored a push whose reply is not in the replica yet.
    var isUnheard: Bool {
        switch state {
        case .sendDue, .sending, .acknowledging: true
        case .idle, .due, .manyDue, .sealing, .preconnecting, .restamping, .blocked, .renewDue, .renewing, .recalling,
            .dividing, .doubted, .settingAside:
            false
        }
    }

    var isRecalling: Bool { if case .recalling = state { true } else { false } }

    var isDoubted: Bool { if case .doubted = state { true } else { false } }

    /// Whether this lane lets local writes be sealed by their own transaction.
    var admitsSealedWrites: Bool { state == .idle }

    /// Whether the fault is more likely the server's than the push's.
    var doubtsServer: Bool { if case .doubted(_, let doubt) = state { doubt.isFault } else { false } }

    /// Whether the next attempt is made with a smaller push, because the server has failed over this one too often.
    var isToDivide: Bool { faultDoubt != nil }

    mutating func start() -> SyncAction {
        switch state {
        case .due:
            state = .sealing(hasChanged: false)
            return .sealPush()
        case .manyDue:
            state = .preconnecting
            return .sealPush(preconnects: true)
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
        case .idle, .sealing, .preconnecting, .sending, .acknowledging, .restamping, .blocked, .renewing, .recalling,
            .dividing, .doubted, .settingAside:
            impossible("start")
        }
    }

    /// Records a local change. The outbox is searched again after every acknowledged push, so most states need no record.
    mutating func localChange() {
        switch state {
        case .idle: state = .due
        case .sealing: state = .sealing(hasChanged: true)
        case .due, .manyDue, .sendDue, .preconnecting, .sending, .acknowledging, .restamping, .blocked, .renewDue,
            .renewing, .recalling, .dividing, .doubted, .settingAside:
            break
        }
    }

    /// Retries a blocked push, because the reason may have been removed.
    mutating func wake() {
        switch state {
        case .blocked(let number, _, _): tryAgain(number)
        case .sending: isWoken = true
        case .idle, .due, .manyDue, .sendDue, .sealing, .preconnecting, .acknowledging, .restamping, .renewDue,
            .renewing, .recalling, .dividing, .doubted, .settingAside:
            break
        }
    }

    private mutating func tryAgain(_ number: UInt64) {
        restamps = 0
        state = .sendDue(number: number)
    }

    /// - Returns: The next action; `nil` if the outbox is empty.
    mutating func sealed(_ number: UInt64?) -> SyncAction? {
        let (searchesAgain, isPreconnected): (Bool, Bool)
        switch state {
        case .sealing(let hasChanged): (searchesAgain, isPreconnected) = (hasChanged, false)
        // A local change during this state is not recorded.
        case .preconnecting: (searchesAgain, isPreconnected) = (true, true)
        default: impossible("sealed")
        }
        if let number {
            isWoken = false
            state = .sending(number: number)
            return .sendPush(number: number, isPreconnected: isPreconnected)
        }
        state = searchesAgain ? .sealing(hasChanged: false) : .idle
        return searchesAgain ? .sealPush() : nil
    }

    /// Discards the connection that was opened for a push, whose request names the checkpoint.
    mutating func checkpointGone() {
        if case .preconnecting = state { state = .sealing(hasChanged: true) }
    }

    /// Requests a new identity, because the server holds parts of a transaction that is not continued. Only a new identity discards them.
    mutating func leftParts() -> SyncAction {
        switch state {
        case .sealing, .preconnecting: break
        default: impossible("leftParts")
        }
        state = .renewing(.partsLeft)
        return .renew(.partsLeft)
    }

    /// - Returns: `false` if the reply is to another push; then nothing has changed.
    mutating func replied(to number: UInt64) -> Bool {
        guard case .sending(let sent) = state else { impossible("pushReplied") }
        guard number == sent else { return false }
        state = .acknowledging(number: number)
        return true
    }

    /// - Parameter pauses: Whether the pull lane comes first, before the outbox is searched again.
    /// - Returns: The next action; `nil` for a pause.
    mutating func acknowledged(pauses: Bool = false) -> SyncAction? {
        guard case .acknowledging = state else { impossible("acknowledged") }
        restamps = 0
        renewals = 0
        faults = 0
        faultDoubt = nil
        hasSetAsideOverFault = false
        state = pauses ? .due : .sealing(hasChanged: false)
        return pauses ? nil : .sealPush()
    }

    /// - Returns: `nil` after ``restampsMax`` restampings; then nothing has changed.
    mutating func restamp(serverTime: UInt64) -> SyncAction? {
        guard case .sending(let number) = state else { impossible("restamp") }
        guard restamps < Self.restampsMax else { return nil }
        state = .restamping(number: number)
        return .restamp(serverTime: serverTime)
    }

    /// Seals the push again after its stamps have changed. Its number was not used up.
    mutating func restamped() -> SyncAction {
        guard case .restamping = state else { impossible("restamped") }
        // A restamping that the disk refused does not count: the server has not seen its stamps.
        restamps += 1
        state = .sealing(hasChanged: false)
        return .sealPush()
    }

    /// - Returns: `nil` after ``renewalsMax`` renewals; then nothing has changed.
    mutating func renew(_ cause: RenewalCause) -> SyncAction? {
        guard case .sending = state else { impossible("renew") }
        guard renewals < Self.renewalsMax else { return nil }
        state = .renewing(cause)
        return .renew(cause)
    }

    /// Requests a new identity with an earlier token, because the server does not know the present one. If that fails, the lane
    /// continues as before.
    mutating func recall() -> SyncAction {
        switch state {
        case .idle, .due, .manyDue: state = .recalling(number: nil)
        case .sendDue(let number), .sending(let number), .blocked(let number, _, _), .doubted(let number, _):
            state = .recalling(number: number)
        case .sealing, .preconnecting, .acknowledging, .restamping, .renewDue, .renewing, .recalling, .dividing,
            .settingAside:
            impossible("recall")
        }
        return .renew(.forgotten)
    }

    /// Pushes from the beginning under the new identity.
    mutating func renewed() -> SyncAction {
        switch state {
        case .renewing: renewals += 1
        // No push was refused.
        case .recalling: break
        case .idle, .due, .manyDue, .sendDue, .sealing, .preconnecting, .sending, .acknowledging, .restamping,
            .blocked, .renewDue, .dividing, .doubted, .settingAside:
            impossible("renewed")
        }
        faults = 0
        faultDoubt = nil
        state = .sealing(hasChanged: false)
        return .sealPush()
    }

    /// Records that the server failed over the push. After too many faults in a row, the next attempt is made with a smaller push.
    mutating func recordFault(_ message: String, at now: Moment) {
        guard case .sending = state else { return }
        faults += 1
        guard faults >= Self.faultsMax else { return }
        faultDoubt = Doubt(reason: StopReason(.incompatible, message, code: .internalError), isFault: true, since: now)
    }

    /// Divides a push that is refused for its content.
    mutating func divide(_ reason: StopReason, at now: Moment) -> SyncAction {
        guard case .sending(let number) = state else { impossible("divide") }
        return divide(number, Doubt(reason: reason, isFault: false, since: now))
    }

    private mutating func divide(_ number: UInt64, _ doubt: Doubt) -> SyncAction {
        faults = 0
        state = .dividing(number: number, doubt)
        return .divide(number: number, isTooLarge: doubt.reason.kind == .tooLarge)
    }

    /// - Returns: The next action; `nil` if the push has only one transaction, which is doubted or blocked now.
    mutating func divided(_ isSmaller: Bool) -> SyncAction? {
        guard case .dividing(let number, let doubt) = state else { impossible("divided") }
        guard !isSmaller else {
            state = .sealing(hasChanged: false)
            return .sealPush()
        }
        state =
            doubt.isFault && hasSetAsideOverFault
            ? .blocked(number: number, doubt.reason, since: doubt.since) : .doubted(number: number, doubt)
        return nil
    }

    /// Blames a doubted push after a pull has succeeded.
    ///
    /// - Returns: The action for the doubted push; `nil` where there is none.
    mutating func trustServer() -> SyncAction? {
        guard case .doubted(let number, let doubt) = state else { return nil }
        state = .settingAside(number: number, doubt)
        return .setAside(number: number, reason: doubt.reason.message)
    }

    mutating func wasSetAside() -> SyncAction {
        guard case .settingAside(_, let doubt) = state else { impossible("wasSetAside") }
        if doubt.isFault { hasSetAsideOverFault = true }
        state = .sealing(hasChanged: false)
        return .sealPush()
    }

    /// Returns to a state that can be retried: that of the sealed push, if there is one.
    mutating func failed() {
        switch state {
        case .sealing, .preconnecting: state = .due
        case .sending(let number), .acknowledging(let number), .restamping(let number), .dividing(let number, _),
            .settingAside(let number, _):
            state = .sendDue(number: number)
        case .renewing(let cause): state = .renewDue(cause)
        case .recalling(let number): state = number.map { .sendDue(number: $0) } ?? .due
        case .idle, .due, .manyDue, .sendDue, .blocked, .renewDue, .doubted: impossible("failed")
        }
    }

    mutating func block(_ reason: StopReason, at now: Moment) {
        guard case .sending(let number) = state else { impossible("block") }
        guard !isWoken else { return tryAgain(number) }
        state = .blocked(number: number, reason, since: now)
    }

    /// Traps, because the driver has reported an event that no action asked for.
    private func impossible(_ event: String) -> Never {
        preconditionFailure("Push event \"\(event)\" in state \(state): the driver reports only what it was asked for")
    }
}
