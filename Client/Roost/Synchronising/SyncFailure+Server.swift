internal import Session
internal import Transport

extension SyncFailure {
    init(_ failure: ServerFailure) {
        switch failure {
        case .refused(let error): self = .refused(error)
        case .invalidReply(let message): self = .invalidReply(message: message)
        case .transport(let error):
            switch error.cause {
            case .timedOut: self = .timedOut(message: error.description)
            case .tlsUntrusted: self = .untrusted(message: error.description)
            case .malformedResponse, .responseTooLarge, .invalidRequest:
                self = .invalidReply(message: error.description)
            default: self = .unreachable(message: error.description)
            }
        }
    }
}
