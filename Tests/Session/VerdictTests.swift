import RoostModel
import RoostProtocol
import Testing

@testable import Session

/// Verdicts of `SessionTable.md` §4.
@Suite struct VerdictTests {
    static let retried: [ErrorCode] = [.tooManyRequests, .storageUnavailable, .stopping, .internalError]
    static let stopping: [(ErrorCode, StopReason.Kind)] = [
        (.unauthorized, .unauthorized), (.revoked, .revoked), (.notFound, .scopeNotFound),
    ]
    static let renewing: [(ErrorCode, RenewalCause, StopReason.Kind)] = [
        (.replicaForked, .forked, .forked), (.foreignStamp, .forked, .forked),
        (.stampsNotIncreasing, .forked, .forked), (.serverRolledBack, .serverRolledBack, .serverRolledBack),
    ]
    static let pullingAnew: [(ErrorCode, PullAnewReason, StopReason.Kind)] = [
        (.historyChanged, .historyChanged, .historyChanged), (.resyncRequired, .expired, .resyncRequired),
    ]
    static let dividing: [(ErrorCode, StopReason.Kind)] = [
        (.badRequest, .incompatible), (.malformedPut, .incompatible), (.gone, .incompatible), (.tooLarge, .tooLarge),
    ]
    static let blocking: [(ErrorCode, StopReason.Kind)] = [
        (.forbidden, .forbidden), (.quotaExceeded, .quotaExceeded),
        (.methodNotAllowed, .incompatible), (.unsupportedMediaType, .incompatible), (.inviteUsed, .incompatible),
        (.schemaConflict, .incompatible), (.schemaInvalid, .incompatible), (.lastOwner, .incompatible),
        (ErrorCode(rawValue: "from_the_future"), .incompatible),
    ]

    @Test(arguments: retried, SyncLane.allCases)
    func retryableCodeIsRetriedAfterWhatItAsks(code: ErrorCode, lane: SyncLane) {
        let verdict = Verdict(.refused(ProtocolError(code, "Later", retryAfter: 7)), of: lane)
        guard case .retry(let reason, retryAfter: .seconds(7)) = verdict else {
            Issue.record("\(code): \(verdict)")
            return
        }
        #expect(reason.message == "Later")
        #expect(code.isRetryable)
    }

    @Test(arguments: stopping, SyncLane.allCases)
    func codeAboutTheReplicaStopsBothLanes(row: (ErrorCode, StopReason.Kind), lane: SyncLane) {
        let verdict = Verdict(.refused(ProtocolError(row.0, "No")), of: lane)
        guard case .stop(let reason) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(reason.kind == row.1 && reason.code == row.0 && reason.message.hasPrefix("No"))
        // The message explains how to join again only where the access is lost.
        let isAccess = [.unauthorized, .revoked].contains(row.0)
        #expect(reason.message.contains("roost join LINK FILE") == isAccess)
    }

    @Test(arguments: renewing)
    func codeAboutTheIdentityRenewsItOnPush(code: ErrorCode, cause: RenewalCause, kind: StopReason.Kind) {
        let failure = SyncFailure.refused(ProtocolError(code, "No"))
        #expect(Verdict(failure, of: .push) == .renew(cause, StopReason(kind, "No", code: code)))
        #expect(Verdict(failure, of: .pull) == .stop(StopReason(kind, "No", code: code)))
    }

    @Test(arguments: pullingAnew)
    func codeAboutTheCheckpointPullsEverythingAnew(code: ErrorCode, reason: PullAnewReason, kind: StopReason.Kind) {
        let failure = SyncFailure.refused(ProtocolError(code, "No"))
        #expect(Verdict(failure, of: .pull) == .resynchronise(reason, StopReason(kind, "No", code: code)))
        #expect(Verdict(failure, of: .push) == .stop(StopReason(kind, "No", code: code)))
    }

    @Test(arguments: dividing)
    func codeAboutTheContentOfAPushDividesIt(code: ErrorCode, kind: StopReason.Kind) {
        let failure = SyncFailure.refused(ProtocolError(code, "No"))
        #expect(Verdict(failure, of: .push) == .divide(StopReason(kind, "No", code: code)))
        #expect(Verdict(failure, of: .pull) == .stop(StopReason(kind, "No", code: code)))
    }

    @Test(arguments: blocking)
    func codeAboutAPushBlocksPushesOnly(code: ErrorCode, kind: StopReason.Kind) {
        let failure = SyncFailure.refused(ProtocolError(code, "No"))
        #expect(Verdict(failure, of: .push) == .block(StopReason(kind, "No", code: code)))
        #expect(Verdict(failure, of: .pull) == .stop(StopReason(kind, "No", code: code)))
    }

    @Test func stampsThatAreAheadAreMadeAnewWithTheServersTime() {
        let failure = SyncFailure.refused(ProtocolError(.clockAhead, "No", serverTime: 99))
        #expect(Verdict(failure, of: .push) == .restamp(serverTime: 99))
        #expect(Verdict(failure, of: .pull) == .stop(StopReason(.incompatible, "No", code: .clockAhead)))
    }

    @Test func stampsThatAreAheadBlockWithoutTheServersTime() {
        let verdict = Verdict(.refused(ProtocolError(.clockAhead, "No")), of: .push)
        #expect(verdict == .block(StopReason(.incompatible, "No", code: .clockAhead)))
    }

    @Test(arguments: SyncLane.allCases)
    func failureWithoutAnAnswerIsRetried(lane: SyncLane) {
        #expect(Verdict(.unreachable(message: "a"), of: lane) == .retry(WaitReason(.unreachable, "a"), retryAfter: nil))
        #expect(Verdict(.timedOut(message: "a"), of: lane) == .retry(WaitReason(.timedOut, "a"), retryAfter: nil))
        #expect(
            Verdict(.invalidReply(message: "a"), of: lane) == .retry(WaitReason(.invalidReply, "a"), retryAfter: nil))
        #expect(
            Verdict(.replicaUnavailable(message: "a"), of: lane)
                == .retry(WaitReason(.replicaUnavailable, "a"), retryAfter: nil))
    }

    @Test(arguments: SyncLane.allCases)
    func untrustedCertificateStops(lane: SyncLane) {
        #expect(
            Verdict(.replicaDamaged(message: "a"), of: lane) == .stop(StopReason(.replicaDamaged, "a")))
        #expect(Verdict(.untrusted(message: "a"), of: lane) == .stop(StopReason(.tlsUntrusted, "a")))
        let reason = StopReason(.tooLarge, "a")
        #expect(Verdict(.limitReached(reason), of: lane) == .stop(reason))
    }
}
