internal import Replica
internal import Session

extension SyncFailure {
    /// What a failure of the replica's file means: a damaged one does not get better by trying again.
    init(ofReplica error: any Error) {
        if let failure = error as? SyncFailure {
            self = failure
            return
        }
        switch (error as? ReplicaError)?.code {
        case .corrupt, .notAReplica: self = .replicaDamaged(message: "\(error)")
        case .schemaChanged, .schemaTooOld: self = .schemaOutdated(message: "\(error)")
        default: self = .replicaUnavailable(message: "\(error)")
        }
    }
}

extension ReplicaError {
    /// Only where the outbox was damaged and made anew since the session looked at it: the next session starts from what it
    /// is now.
    init(sealedPushIsGone number: UInt64) {
        self.init(
            .corrupt,
            "Cannot send push \(number): the file was damaged, and it is not in it any more. Synchronise again; the records "
                + "are whole.")
    }
}
