internal import RoostProtocol

/// What a failure of one lane means for the session.
enum Verdict: Hashable, Sendable {
    /// Try again by itself, not before `retryAfter`.
    case retry(WaitReason, retryAfter: Duration?)
    /// Stamp the outbox anew by the server's clock, in order, and push again.
    case restamp(serverTime: UInt64)
    /// Push no more; pulls go on.
    case block(StopReason)
    /// Neither push nor pull.
    case stop(StopReason)

    init(_ failure: SyncFailure, of lane: SyncLane) {
        switch failure {
        case .unreachable(let message): self = .retry(WaitReason(.unreachable, message), retryAfter: nil)
        case .timedOut(let message): self = .retry(WaitReason(.timedOut, message), retryAfter: nil)
        case .invalidReply(let message): self = .retry(WaitReason(.invalidReply, message), retryAfter: nil)
        case .replicaUnavailable(let message): self = .retry(WaitReason(.replicaUnavailable, message), retryAfter: nil)
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
        case .clockAhead, .stampsNotIncreasing:
            // Stamping anew in order cures both; it needs the server's clock, and only a push has stamps.
            if lane == .push, let serverTime = error.serverTime {
                self = .restamp(serverTime: serverTime)
            } else {
                self = Self.end(.incompatible, error, lane)
            }
        default:
            self = Self.end(Self.reasons[error.code] ?? .incompatible, error, lane)
        }
    }

    /// The codes that end a lane. Those not named are no answer to a push or pull, or unknown: `incompatible`.
    private static let reasons: [ErrorCode: StopReason.Kind] = [
        .unauthorized: .unauthorized, .revoked: .revoked, .forbidden: .forbidden, .notFound: .scopeNotFound,
        .tooLarge: .tooLarge, .quotaExceeded: .quotaExceeded, .foreignStamp: .forked, .replicaForked: .forked,
        .serverRolledBack: .serverRolledBack, .historyChanged: .historyChanged, .resyncRequired: .resyncRequired,
    ]

    /// What a push is refused for concerns only pushes, unless it is about this replica's access, identity or history.
    private static func end(_ kind: StopReason.Kind, _ error: ProtocolError, _ lane: SyncLane) -> Verdict {
        let reason = StopReason(kind, error.message, code: error.code)
        switch kind {
        case .forbidden, .tooLarge, .quotaExceeded, .clockAhead, .incompatible:
            return lane == .push ? .block(reason) : .stop(reason)
        case .revoked, .unauthorized, .scopeNotFound, .forked, .serverRolledBack, .historyChanged, .resyncRequired,
            .digestDiffers, .tlsUntrusted:
            return .stop(reason)
        }
    }
}
