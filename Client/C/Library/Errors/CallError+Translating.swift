internal import Objects
internal import Replica
internal import Roost
internal import RoostModel

extension CallError {
    /// Translates any error that the SDK throws.
    init(_ error: any Error) {
        switch error {
        case let error as CallError: self = error
        case let error as ReplicaError: self.init(Self.kind(error.code), error.code.description, error.message)
        case let error as ObjectError: self.init(error)
        case let error as RoostError:
            self.init(Self.kind(error.code), error.code.description, error.message)
            serverCode = error.serverCode
        case let error as FetchPredicateError:
            self.init(.invalid, error.code.description, error.message)
            predicate = error.text.isEmpty ? nil : (error.text, error.column)
        case let error as SchemaError:
            self.init(.invalid, "schemaInvalid", error.problems.first.map { "\($0)" } ?? "The schema is not usable.")
            problems = error.problems.count > 1 ? error.problems.map { "\($0)" } : []
        case is CancellationError: self.init(.cancelled, "cancelled", "The call was cancelled.")
        default: self.init(.internal, "internal", "\(error)")
        }
    }

    private init(_ error: ObjectError) {
        if let cause = error.cause {
            self.init(Self.kind(cause.code), cause.code.description, error.message)
        } else {
            self.init(Self.kind(error.code), error.code.description, error.message)
        }
        problems = error.problems
    }

    private static func kind(_ code: ReplicaError.Code) -> ErrorKind {
        switch code {
        case .notFound, .unknown: .notFound
        case .busy: .busy
        case .denied: .refused
        case .invalidValue, .tooLarge, .schemaTooOld, .cannotMigrate: .invalid
        default: .file
        }
    }

    private static func kind(_ code: ObjectError.Code) -> ErrorKind {
        switch code {
        case .unknown: .notFound
        case .denied: .refused
        case .conflict: .busy
        case .store: .file
        case .contextEnded: .internal
        default: .invalid
        }
    }

    private static func kind(_ code: RoostError.Code) -> ErrorKind {
        switch code {
        case .unavailable, .untrusted, .incompatible, .sessionEnded: .unavailable
        case .notPermitted, .blocked: .refused
        case .busy: .busy
        case .replica: .file
        default: .invalid
        }
    }
}
