internal import NIOHTTP1
internal import RoostProtocol

extension ErrorCode {
    /// The HTTP status of the code. Clients branch on the code.
    var status: HTTPResponseStatus {
        switch self {
        case .unauthorized, .revoked: .unauthorized
        case .forbidden, .foreignStamp, .quotaExceeded: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .clockAhead, .replicaForked, .serverRolledBack, .historyChanged, .resyncRequired, .schemaConflict,
            .lastOwner, .notRecovering:
            .conflict
        case .inviteUsed, .gone: .gone
        case .tooLarge: .payloadTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .tooManyRequests: .tooManyRequests
        case .stopping: .serviceUnavailable
        case .storageUnavailable: .insufficientStorage
        case .internalError: .internalServerError
        default: .badRequest
        }
    }
}
