internal import GRDB
internal import RoostModel

/// Writes down how exchanges with the server go, for ``ReplicaStatus``.
struct ContactNote {
    let database: Database
    /// Milliseconds since 1970.
    let now: Int64

    func succeeded() throws {
        let state = StateStore(database: database)
        try state.set(.lastContact, .integer(now))
        guard try state.text(.lastFailure) != nil else { return }
        try state.set(.failingSince, .null)
        try state.set(.lastFailure, .null)
        try state.set(.nextAttempt, .null)
    }

    /// - Parameter nextAttempt: Milliseconds since 1970, where one is planned.
    func failed(_ reason: String, nextAttempt: Int64?) throws {
        let state = StateStore(database: database)
        try state.set(.failingSince, .integer(try state.integer(.failingSince) ?? now))
        try state.set(.lastFailure, reason)
        try state.set(.nextAttempt, nextAttempt.map { .integer($0) } ?? .null)
    }
}
