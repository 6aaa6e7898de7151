internal import GRDB
internal import Synchronization

/// The connections of the user's own writes and reads, opened with the first of them: a program that only synchronises
/// needs none.
final class LocalConnections: Sendable {
    private enum State {
        case notOpen
        case open(DatabasePool)
        case closed
    }

    private let path: String
    private let durability: Durability
    private let state = Mutex(State.notOpen)

    init(to path: String, _ durability: Durability) {
        self.path = path
        self.durability = durability
    }

    var pool: DatabasePool {
        get throws {
            try state.withLock { state in
                switch state {
                case .open(let pool): return pool
                case .closed: throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "The replica was closed.")
                case .notOpen:
                    let pool = try DatabasePool(
                        path: path, configuration: ReplicaFile.configuration(.local, durability))
                    // A pool turns its writer to NORMAL when it has set up the log, after the configuration was applied.
                    try pool.writeWithoutTransaction { try $0.execute(sql: ReplicaFile.synchronousSQL(durability)) }
                    state = .open(pool)
                    return pool
                }
            }
        }
    }

    func close() throws {
        try state.withLock { state in
            if case .open(let pool) = state { try pool.close() }
            state = .closed
        }
    }
}
