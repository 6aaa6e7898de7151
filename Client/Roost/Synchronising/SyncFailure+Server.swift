internal import Session
internal import Transport

extension SyncFailure {
    init(_ failure: ServerFailure) {
        switch failure {
        case .refused(let error): self = .refused(error)
        case .invalidReply(let message): self = .invalidReply(message: message)
        case .unexpectedStatus(let status, let bytes):
            let message = ServerFailure.words(ofStatus: status, bytes: bytes)
            switch status {
            case 413: self = .bodyRefused(message: message)
            // A proxy did not receive the complete request, or no answer to it.
            case 408 where bytes > 0, 502 where bytes > 0, 504 where bytes > 0: self = .interrupted(message: message)
            default: self = .invalidReply(message: message)
            }
        case .transport(let error):
            switch error.cause {
            case .timedOut where error.hasSentBody, .connectionLost where error.hasSentBody:
                self = .interrupted(message: error.description)
            case .timedOut: self = .timedOut(message: error.description)
            case .tlsUntrusted: self = .untrusted(message: error.description)
            case .malformedResponse, .responseTooLarge, .invalidRequest:
                self = .invalidReply(message: error.description)
            default: self = .unreachable(message: error.description)
            }
        }
    }
}
