import RoostProtocol
import Testing

@Suite struct ErrorCodeTests {
    private static let codes: [ErrorCode] = [
        .badRequest, .unauthorized, .revoked, .forbidden, .notFound, .methodNotAllowed, .unsupportedMediaType,
        .tooLarge,
        .tooManyRequests, .quotaExceeded, .clockAhead, .stampsNotIncreasing, .foreignStamp, .replicaForked,
        .serverRolledBack, .historyChanged, .resyncRequired, .gone, .notRecovering, .malformedPut, .inviteUsed,
        .schemaConflict,
        .schemaInvalid, .lastOwner, .storageUnavailable, .stopping, .internalError,
    ]

    @Test func everyCodeIsItsOwn() {
        #expect(Set(Self.codes.map(\.rawValue)).count == Self.codes.count)
    }

    @Test(arguments: codes)
    func codeIsSnakeCase(_ code: ErrorCode) {
        #expect(code.rawValue.allSatisfy { $0 == "_" || ("a"..."z").contains($0) })
    }

    @Test func whatTheServerIsAtFaultForMayBeRetried() {
        #expect(Self.codes.filter(\.isRetryable) == [.tooManyRequests, .storageUnavailable, .stopping, .internalError])
    }

}
