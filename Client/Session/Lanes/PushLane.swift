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
        /// The push was refused for a reason that trying again would not change.
        case blocked(number: UInt64, StopReason, since: Moment)
    }

    /// How often the outbox is stamped anew before its pushes are blocked.
    static let restampsMax = 2

    private(set) var state: State
    /// Since the last push that was stored.
    private(set) var restamps = 0

    init(_ outbox: OutboxState) {
        state =
            switch outbox {
            case .empty: .idle
            case .waiting: .due
            case .sealed(let number): .sendDue(number: number)
            }
    }

    /// Whether there is work that has not been started.
    var isDue: Bool {
        switch state {
        case .due, .sendDue: true
        case .idle, .sealing, .sending, .acknowledging, .restamping, .blocked: false
        }
    }

    /// Whether an action of this lane is under way.
    var isActive: Bool {
        switch state {
        case .sealing, .sending, .acknowledging, .restamping: true
        case .idle, .due, .sendDue, .blocked: false
        }
    }

    mutating func start() -> SyncAction {
        switch state {
        case .due:
            state = .sealing(hasChanged: false)
            return .sealPush
        case .sendDue(let number):
            state = .sending(number: number)
            return .sendPush(number: number)
        case .idle, .sealing, .sending, .acknowledging, .restamping, .blocked: impossible("start")
        }
    }

    /// Notes a local change. After every acknowledged push the outbox is looked at again, so most states need no note.
    mutating func localChange() {
        switch state {
        case .idle: state = .due
        case .sealing: state = .sealing(hasChanged: true)
        case .due, .sendDue, .sending, .acknowledging, .restamping, .blocked: break
        }
    }

    /// Gives a blocked push another try: somebody may have removed the reason.
    mutating func wake() {
        guard case .blocked(let number, _, _) = state else { return }
        restamps = 0
        state = .sendDue(number: number)
    }

    /// - Returns: What to do next; `nil` if the outbox is empty.
    mutating func sealed(_ number: UInt64?) -> SyncAction? {
        guard case .sealing(let hasChanged) = state else { impossible("sealed") }
        if let number {
            state = .sending(number: number)
            return .sendPush(number: number)
        }
        state = hasChanged ? .sealing(hasChanged: false) : .idle
        return hasChanged ? .sealPush : nil
    }

    /// - Returns: `nil` if the reply is to another push; then nothing has changed.
    mutating func replied(to number: UInt64) -> SyncAction? {
        guard case .sending(let sent) = state else { impossible("pushReplied") }
        guard number == sent else { return nil }
        state = .acknowledging(number: number)
        return .acknowledge(number: number)
    }

    mutating func acknowledged() -> SyncAction {
        guard case .acknowledging = state else { impossible("acknowledged") }
        restamps = 0
        state = .sealing(hasChanged: false)
        return .sealPush
    }

    /// - Returns: `nil` if that was done ``restampsMax`` times already; then nothing has changed.
    mutating func restamp(serverTime: UInt64) -> SyncAction? {
        guard case .sending(let number) = state else { impossible("restamp") }
        guard restamps < Self.restampsMax else { return nil }
        restamps += 1
        state = .restamping(number: number)
        return .restamp(serverTime: serverTime)
    }

    /// The stamps are new, so the push is sealed anew; its number was not used up.
    mutating func restamped() -> SyncAction {
        guard case .restamping = state else { impossible("restamped") }
        state = .sealing(hasChanged: false)
        return .sealPush
    }

    /// Goes back to what can be tried again: the same sealed push wherever there is one.
    mutating func failed() {
        switch state {
        case .sealing: state = .due
        case .sending(let number), .acknowledging(let number), .restamping(let number):
            state = .sendDue(number: number)
        case .idle, .due, .sendDue, .blocked: impossible("failed")
        }
    }

    mutating func block(_ reason: StopReason, at now: Moment) {
        guard case .sending(let number) = state else { impossible("block") }
        state = .blocked(number: number, reason, since: now)
    }

    /// The driver reported what it was not asked for.
    private func impossible(_ event: String) -> Never {
        preconditionFailure("Push event \"\(event)\" in state \(state): the driver reports only what it was asked for")
    }
}
