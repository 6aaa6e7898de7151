internal import Replica
internal import Session

extension SyncFailure {
    /// What a failure of the replica's file means: a damaged one does not get better by trying again.
    init(ofReplica error: any Error) {
        switch (error as? ReplicaError)?.code {
        case .corrupt, .notAReplica: self = .replicaDamaged(message: "\(error)")
        case .schemaChanged, .schemaTooOld: self = .schemaOutdated(message: "\(error)")
        default: self = .replicaUnavailable(message: "\(error)")
        }
    }
}
