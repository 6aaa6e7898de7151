internal import Replica
internal import Roost
internal import RoostModel

extension ExitStatus {
    /// Maps an error to the status with which a program exits.
    package init(_ error: any Error) {
        switch error {
        case let error as ReplicaError: self.init(error)
        case let error as ObjectError: self.init(error)
        case let error as RoostError: self.init(error)
        case is FetchPredicateError: self = .usage
        case is SchemaError: self = .dataError
        default: self = .internalError
        }
    }

    private init(_ error: ReplicaError) {
        switch error.code {
        case .notFound, .unknown: self = .noInput
        case .exists: self = .cannotCreate
        case .notAReplica, .newerFormat, .corrupt, .invalidValue, .tooLarge, .cannotMigrate, .schemaTooOld:
            self = .dataError
        case .diskFull, .busy, .schemaChanged: self = .temporary
        case .denied: self = .notPermitted
        default: self = .internalError
        }
    }

    private init(_ error: ObjectError) {
        if let cause = error.cause {
            self.init(cause)
            return
        }
        switch error.code {
        case .denied: self = .notPermitted
        case .conflict: self = .temporary
        case .invalidValue, .validation, .schemaMismatch: self = .dataError
        case .unknown, .invalidRequest: self = .usage
        default: self = .internalError
        }
    }

    private init(_ error: RoostError) {
        switch error.code {
        case .invalidArgument, .notConnected: self = .usage
        case .unavailable, .untrusted: self = .unavailable
        case .notPermitted, .blocked: self = .notPermitted
        case .busy, .sessionEnded: self = .temporary
        case .incompatible: self = .dataError
        default: self = .internalError
        }
    }
}
