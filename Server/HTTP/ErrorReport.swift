internal import RoostProtocol
internal import RoostService

extension ProtocolError {
    /// Makes the refusal that a client receives for any error. Details for the operator go to the log.
    init(reporting error: any Error) {
        switch error {
        case let error as ProtocolError: self = error
        case let error as StoreError: self.init(reporting: error)
        case CommitError.stopping:
            self.init(.stopping, "Cannot answer: the server is stopping. Try again soon.", retryAfter: 2)
        case CommitError.overloaded:
            self.init(.tooManyRequests, "Cannot answer: too much is waiting already. Try again soon.", retryAfter: 1)
        default: self.init(.internalError, "Cannot answer: the server has a fault. Report it with the request id.")
        }
    }

    private init(reporting error: StoreError) {
        switch error {
        case .busy:
            self.init(
                .storageUnavailable,
                "Cannot store anything: another program holds the server's data. Nothing was stored; try again later.",
                retryAfter: 10)
        case .full, .failing, .cannotUndo:
            self.init(
                .storageUnavailable,
                "Cannot store anything: the server's disk is full or failing. Nothing was stored; try again later.",
                retryAfter: 10)
        case .damaged, .newerFormat, .foreignFile, .missing:
            // The code is for a fault that no push could have caused: clients keep their changes, and try again.
            self.init(
                .storageUnavailable, "Cannot answer: the server's data is damaged. Tell its operator the request id.")
        }
    }
}
