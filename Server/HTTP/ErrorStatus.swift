internal import HTTPTypes
internal import RoostProtocol

extension ErrorCode {
    /// The status that goes with the code; clients branch on the code.
    var status: HTTPResponse.Status {
        switch self {
        case .unauthorized, .revoked: .unauthorized
        case .forbidden, .foreignStamp, .quotaExceeded: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .clockAhead, .replicaForked, .serverRolledBack, .historyChanged, .resyncRequired, .schemaConflict,
            .lastOwner, .notRecovering:
            .conflict
        case .inviteUsed, .gone: .gone
        case .tooLarge: .contentTooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .tooManyRequests: .tooManyRequests
        case .stopping: .serviceUnavailable
        case .storageUnavailable: .init(code: 507, reasonPhrase: "Insufficient Storage")
        case .internalError: .internalServerError
        default: .badRequest
        }
    }
}
