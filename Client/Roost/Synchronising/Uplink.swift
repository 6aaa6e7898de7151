internal import RoostModel
internal import RoostProtocol
internal import Session

/// The way to the server, which may not accept a push for its size: a proxy refuses it, or a link takes too long.
struct Uplink {
    /// Measures after a failed request.
    enum Measure: Hashable {
        /// The server is asked whether it has stored the push.
        case askForReply
        /// Smaller pushes are sent.
        case shrink(isRefused: Bool)
        /// The session decides.
        case none
    }

    /// The limit of bodies.
    private(set) var limit: BodyLimit
    /// The bytes to which sealed pushes were made smaller or larger last.
    var packedBytes: Int?
    /// The last failure of a push.
    private(set) var interruption: SyncFailure?
    /// Whether the server says if it has stored a push; earlier servers do not.
    private var serverKnowsPushes = true
    /// The push that was interrupted, until the server says whether it has stored it.
    private var unsureNumber: UInt64?
    /// Whether another attempt has begun since ``interruption``: the way to the server may be another one by now.
    private var isInterruptionOld = false
    /// Whether the push in flight was just divided, so that no earlier attempt of it can be stored.
    private var isDivided = false

    init(ceiling: Int) { limit = BodyLimit(ceiling: ceiling) }

    /// Whether the server has to be asked for its reply to a push, before that is sent again.
    mutating func needsReply(to number: UInt64) -> Bool {
        guard unsureNumber == number else { return false }
        isInterruptionOld = true
        return true
    }

    /// Records that a push was answered.
    mutating func answered(after time: Duration) {
        (unsureNumber, isDivided) = (nil, false)
        limit.answered(after: time)
    }

    /// Records that the push in flight was divided.
    mutating func divided() { isDivided = true }

    mutating func renewIdentity() { unsureNumber = nil }

    /// Lowers the limit after a body did not arrive.
    mutating func bodyFailed(_ bytes: Int, isRefused: Bool) {
        if isRefused { limit.refused(bytes) } else { limit.timedOut(bytes) }
    }

    /// Records that the server does not say whether it has stored a push.
    mutating func replyIsUnknown() { (serverKnowsPushes, unsureNumber, isDivided) = (false, nil, false) }

    /// Records that the server has not stored the push that it was asked for.
    ///
    /// - Returns: Whether the push was refused for its size, and whether to send it once more if it cannot be smaller.
    mutating func replyIsMissing() -> (isRefused: Bool, resends: Bool) {
        (unsureNumber, isDivided) = (nil, false)
        let isRefused = if case .bodyRefused = interruption { true } else { false }
        return (isRefused, isInterruptionOld)
    }

    /// Chooses a measure after a failed request, where its size may be the cause.
    ///
    /// A body that was not answered in time may be stored. One that a proxy has refused is not, but an earlier attempt on another route may
    /// be. The server is asked first. A push that was just divided has no earlier attempt, and is divided again at once.
    ///
    /// - Parameter number: That of the push in flight.
    mutating func measure(
        after failure: SyncFailure, of request: SyncDriver.Request, inFlight number: UInt64?
    ) -> Measure {
        let wasDivided = isDivided
        isDivided = false
        if case .recover(let records) = request {
            switch failure {
            case .bodyRefused: bodyFailed(Self.bytes(of: records), isRefused: true)
            case .interrupted: bodyFailed(Self.bytes(of: records), isRefused: false)
            default: break
            }
            return .none
        }
        guard let body = request.pushBody else { return .none }
        (interruption, isInterruptionOld) = (failure, false)
        switch failure {
        case .bodyRefused:
            #if ROOST_SEEDED_BUGS
                if SeededBug.refusedBodyWasNeverStored.isOn { return .shrink(isRefused: true) }
            #endif
            guard serverKnowsPushes, !wasDivided, let number else { return .shrink(isRefused: true) }
            unsureNumber = number
            return .askForReply
        case .interrupted:
            guard serverKnowsPushes, body.count > limit.leastOnLink, let number else { return .none }
            unsureNumber = number
            return .askForReply
        default: return .none
        }
    }

    private static func bytes(of records: [RecordState]) -> Int { records.reduce(0) { $0 + $1.protobuf().count } }
}
