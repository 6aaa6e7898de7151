internal import Replica
internal import Session

/// Reports the state of a session to its observer, and to `roost status` by the replica's file.
struct Contact {
    /// The state that was reported last.
    private var reported: SyncState?
    /// Whether the transaction of the last page or reply has also recorded the contact.
    var isNoted = false
    private let observe: @Sendable (SyncState) -> Void
    /// Milliseconds since 1970.
    private let wallClock: @Sendable () -> Int64

    init(_ wallClock: @escaping @Sendable () -> Int64, _ observe: @escaping @Sendable (SyncState) -> Void) {
        (self.wallClock, self.observe) = (wallClock, observe)
    }

    /// Whether the session has reported a state without trouble. A push of a session in trouble may succeed while its pulls fail.
    var isWell: Bool { reported.map { !$0.isTrouble } ?? false }

    /// Reports a state that differs from the last one.
    mutating func report(_ state: SyncState, _ replica: Replica, at now: Moment) {
        guard state != reported else { return }
        reported = state
        observe(state)
        let wall = wallClock()
        func time(_ moment: Moment?) -> Int64? { moment.map { wall + $0.milliseconds - now.milliseconds } }
        switch state {
        case .notRunning, .pushing, .pulling: break
        case .upToDate:
            if !isNoted { try? replica.recordContact(failure: nil, nextAttempt: nil) }
            isNoted = false
        case .offline(let reason, let retry, _), .waiting(let reason, let retry, _):
            try? replica.recordContact(failure: reason.message, nextAttempt: time(retry))
            isNoted = false
        case .blocked(let reason, _), .stopped(let reason, _):
            try? replica.recordContact(failure: reason.message, nextAttempt: nil)
            isNoted = false
        }
    }
}
