internal import GRDB
internal import RoostModel

/// A recorder of successful and failed exchanges with the server, for ``ReplicaStatus``.
struct ContactNote {
    let database: Database
    /// Milliseconds since 1970.
    let now: Int64

    func succeeded() throws {
        let state = StateStore(database: database)
        try state.set(success(after: try state.text(.lastFailure)))
    }

    /// Returns the values to set after a successful exchange.
    ///
    /// - Parameter failure: The recorded reason of the last failure; `nil` where none is recorded.
    func success(after failure: String?) -> [(name: StateStore.Name, value: Value)] {
        let contact = [(name: StateStore.Name.lastContact, value: Value.integer(now))]
        return failure == nil
            ? contact : contact + [(.failingSince, .null), (.lastFailure, .null), (.nextAttempt, .null)]
    }

    /// Records a failed exchange.
    ///
    /// - Parameter nextAttempt: The time of the next planned attempt in milliseconds since 1970; `nil` where none is planned.
    func failed(_ reason: String, nextAttempt: Int64?) throws {
        let state = StateStore(database: database)
        try state.set([
            (.failingSince, .integer(try state.integer(.failingSince) ?? now)), (.lastFailure, .string(reason)),
            (.nextAttempt, nextAttempt.map { .integer($0) } ?? .null),
        ])
    }
}
