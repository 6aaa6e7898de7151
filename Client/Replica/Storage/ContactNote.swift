internal import GRDB
internal import RoostModel

/// Writes down how exchanges with the server go, for ``ReplicaStatus``.
struct ContactNote {
    let database: Database
    /// Milliseconds since 1970.
    let now: Int64

    func succeeded() throws {
        let state = StateStore(database: database)
        try state.set(success(after: try state.text(.lastFailure)))
    }

    /// What is to be set where the last exchange worked.
    ///
    /// - Parameter failure: What the one before was noted to have failed for.
    func success(after failure: String?) -> [(name: StateStore.Name, value: Value)] {
        let contact = [(name: StateStore.Name.lastContact, value: Value.integer(now))]
        return failure == nil
            ? contact : contact + [(.failingSince, .null), (.lastFailure, .null), (.nextAttempt, .null)]
    }

    /// - Parameter nextAttempt: Milliseconds since 1970, where one is planned.
    func failed(_ reason: String, nextAttempt: Int64?) throws {
        let state = StateStore(database: database)
        try state.set([
            (.failingSince, .integer(try state.integer(.failingSince) ?? now)), (.lastFailure, .text(reason)),
            (.nextAttempt, nextAttempt.map { .integer($0) } ?? .null),
        ])
    }
}
