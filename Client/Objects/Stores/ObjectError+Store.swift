internal import GRDB
internal import Replica

extension ObjectError {
    /// Runs an operation of a store, and translates its errors. An error that `body` itself throws is passed on unchanged.
    static func naming<Argument, Result>(
        _ action: String, _ body: (Argument) throws -> Result,
        by store: ((Argument) throws -> Result) throws -> Result
    ) throws -> Result {
        var thrown: (any Error)?
        do {
            return try withoutActuallyEscaping(body) { body in
                try store { argument in
                    do {
                        return try body(argument)
                    } catch {
                        if !(error is ReplicaError || error is DatabaseError) { thrown = error }
                        throw error
                    }
                }
            }
        } catch {
            if let thrown { throw thrown }
            let failure = ReplicaError(translating: error, action)
            let code: ObjectError.Code =
                switch failure.code {
                case .denied: .denied
                case .tooLarge: .validation
                default: .store
                }
            throw ObjectError(code, failure.message, cause: failure)
        }
    }
}
