internal import RoostModel
internal import RoostProtocol

/// The consequence of a failure of one lane.
enum Verdict: Hashable, Sendable {
    /// Retry, not before `retryAfter`.
    case retry(WaitReason, retryAfter: Duration?)
    /// Restamp the outbox by the server's clock, in order, and push again.
    case restamp(serverTime: UInt64)
    /// Get a new identity first.
    case renew(RenewalCause, StopReason)
    /// Resynchronise fully.
    case resynchronise(PullAnewReason, StopReason)
    /// Seal smaller pushes, to find the transaction that the server does not accept.
    case divide(StopReason)
    /// Stop pushing; pulls continue.
    case block(StopReason)
    /// Neither push nor pull.
    case stop(StopReason)

    /// The reason why a retry would fail again; `nil` where it may succeed.
    var reason: StopReason? {
        switch self {
        case .retry, .restamp: nil
        case .renew(_, let reason), .resynchronise(_, let reason), .divide(let reason), .block(let reason),
            .stop(let reason):
            reason
        }
    }

    /// The message to users; empty where there is none.
    var words: String {
        switch self {
        case .retry(let reason, _): reason.message
        case .restamp: ""
        case .renew, .resynchronise, .divide, .block, .stop: reason?.message ?? ""
        }
    }

    init(_ failure: SyncFailure, of lane: SyncLane) {
        switch failure {
        case .unreachable(let message): self = .retry(WaitReason(.unreachable, message), retryAfter: nil)
        case .timedOut(let message), .interrupted(let message):
            self = .retry(WaitReason(.timedOut, message), retryAfter: nil)
        case .bodyRefused(let message) where lane == .push: self = .block(StopReason(.tooLarge, message))
        case .invalidReply(let message), .bodyRefused(let message):
            self = .retry(WaitReason(.invalidReply, message), retryAfter: nil)
        case .replicaUnavailable(let message): self = .retry(WaitReason(.replicaUnavailable, message), retryAfter: nil)
        case .replicaDamaged(let message): self = .stop(StopReason(.replicaDamaged, message))
        case .schemaOutdated(let message): self = .stop(StopReason(.schemaOutdated, message))
        case .limitReached(let reason): self = .stop(reason)
        case .untrusted(let message): self = .stop(StopReason(.tlsUntrusted, message))
        case .refused(let error): self.init(error, of: lane)
        }
    }

    private init(_ error: ProtocolError, of lane: SyncLane) {
        let retryAfter = error.retryAfter.map { Duration.seconds(max($0, 0)) }
        switch error.code {
        case .tooManyRequests:
            self = .retry(WaitReason(.tooManyRequests, error.message), retryAfter: retryAfter)
        case .storageUnavailable, .stopping, .internalError:
            self = .retry(WaitReason(.serverUnavailable, error.message), retryAfter: retryAfter)
        // The stamps will soon be within the server's bound, and may stay.
        case .clockAhead where lane == .push && retryAfter != nil:
            self = .retry(WaitReason(.serverUnavailable, error.message), retryAfter: retryAfter)
        case .clockAhead:
            // Restamping needs the server's clock, and only a push has stamps.
            if lane == .push, let serverTime = error.serverTime {
                self = .restamp(serverTime: serverTime)
            } else {
                self = Self.end(.incompatible, error, lane)
            }
        // Another copy of the file pushes under this identity, or an earlier version of this push has arrived.
        case .replicaForked where lane == .push, .foreignStamp where lane == .push,
            .stampsNotIncreasing where lane == .push:
            self = .renew(.forked, StopReason(.forked, error.message, code: error.code))
        case .serverRolledBack where lane == .push:
            self = .renew(.serverRolledBack, StopReason(.serverRolledBack, error.message, code: error.code))
        case .historyChanged where lane == .pull:
            self = .resynchronise(.historyChanged, StopReason(.historyChanged, error.message, code: error.code))
        case .resyncRequired where lane == .pull:
            self = .resynchronise(.expired, StopReason(.resyncRequired, error.message, code: error.code))
        case .badRequest where lane == .push, .malformedPut where lane == .push, .gone where lane == .push:
            self = .divide(StopReason(.incompatible, error.message, code: error.code))
        case .tooLarge where lane == .push:
            self = .divide(StopReason(.tooLarge, error.message, code: error.code))
        default:
            self = Self.end(Self.reasons[error.code] ?? .incompatible, error, lane)
        }
    }

    /// The codes that end a lane. All others are unknown, or no answer to a push or pull: `incompatible`.
    private static let reasons: [ErrorCode: StopReason.Kind] = [
        .unauthorized: .unauthorized, .revoked: .revoked, .forbidden: .forbidden, .notFound: .scopeNotFound,
        .tooLarge: .tooLarge, .quotaExceeded: .quotaExceeded, .foreignStamp: .forked, .replicaForked: .forked,
        .stampsNotIncreasing: .forked,
        .serverRolledBack: .serverRolledBack, .historyChanged: .historyChanged, .resyncRequired: .resyncRequired,
    ]

    private static let joinAgain =
        "To let this file in again, with all that it holds, get an invite and run \"roost join LINK FILE\"."

    /// Makes the verdict of a code that ends a lane. A refusal of a push concerns only pushes, unless it is about this replica's access,
    /// identity or history.
    private static func end(_ kind: StopReason.Kind, _ error: ProtocolError, _ lane: SyncLane) -> Verdict {
        let cure = kind == .unauthorized || kind == .revoked ? " \(joinAgain)" : ""
        let reason = StopReason(kind, error.message + cure, code: error.code)
        switch kind {
        case .forbidden, .tooLarge, .quotaExceeded, .clockAhead, .incompatible:
            return lane == .push ? .block(reason) : .stop(reason)
        case .revoked, .unauthorized, .scopeNotFound, .forked, .serverRolledBack, .historyChanged, .resyncRequired,
            .digestDiffers, .tlsUntrusted, .replicaDamaged, .schemaOutdated:
            return .stop(reason)
        }
    }
}
