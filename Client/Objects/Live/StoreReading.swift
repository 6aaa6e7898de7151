internal import GRDB
internal import Replica

/// The result of a check of a store for writes.
struct StoreReading {
    /// A state of a store, which is valid on one connection: while it is equal, nobody has committed.
    struct State: Equatable {
        let connection: ObjectIdentifier
        let commits: ForeignCommits
    }

    let state: State
    let token: WriteToken
}

extension StoreBackend {
    /// Reads the token of the store's current state, which costs a scan of the outbox.
    ///
    /// - Parameter last: The state of an earlier reading.
    /// - Returns: `nil` where the reading has the connection of that state, and nobody has committed since.
    func reading(unless last: StoreReading.State?) throws -> StoreReading? {
        try read("look for changes") { database in
            let state = StoreReading.State(
                connection: ObjectIdentifier(database), commits: try ForeignCommits(database))
            return state == last ? nil : StoreReading(state: state, token: try WriteToken(database))
        }
    }
}
