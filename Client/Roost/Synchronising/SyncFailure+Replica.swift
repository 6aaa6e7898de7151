internal import Replica
internal import Session

extension SyncFailure {
    /// Converts a failure of the replica's file. A retry does not cure corruption.
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
    /// Makes the error of an outbox that was corrupt and was rebuilt since the session has read it. The next session starts from the
    /// rebuilt outbox.
    init(sealedPushIsGone number: UInt64) {
        self.init(
            .corrupt,
            "Cannot send push \(number): the file was damaged, and it is not in it any more. Synchronise again; the records "
                + "are whole.")
    }
}
