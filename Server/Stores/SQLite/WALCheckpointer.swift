internal import CSQLiteStore
internal import Dispatch
internal import GRDB
internal import Synchronization

/// Moves what was committed from the write-ahead log into the database file, beside the commits instead of within them:
/// a commit that had to do it would keep its callers waiting for milliseconds.
final class WALCheckpointer: Sendable {
    /// Pages in the log from which on it is moved.
    private static let pagesFrom = 1000
    /// Pages in the log from which on a commit waits for it to be moved, so that it cannot grow without end.
    private static let pagesMax = 16_000

    /// How long that commit waits for readers at most: while one stays, the log cannot begin anew, and to wait is of no use.
    private static let patience = 0.05

    private let pages = Atomic<Int>(0)
    /// From where on the next commit waits.
    private let waitsFrom = Atomic<Int>(WALCheckpointer.pagesMax)
    private let isRunning = Atomic<Bool>(false)
    private let connection: DatabaseQueue
    private let queue = DispatchQueue(label: "roost-checkpoint", qos: .utility)

    /// Opens a connection of its own to a file.
    init(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.busyMode = .timeout(Self.patience)
        connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Listens to the commits of a connection, in the place of SQLite's own checkpoints.
    func watch(_ database: Database) {
        // The checkpointer is owned by the store that owns the connection, and outlives it.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                let checkpointer = Unmanaged<WALCheckpointer>.fromOpaque(context).takeUnretainedValue()
                checkpointer.pages.store(Int(pages), ordering: .relaxed)
                return SQLITE_OK
            }, context)
    }

    /// Begins to move the log if it is long; call after a commit, outside the connection that committed.
    func commitEnded() {
        let count = pages.load(ordering: .relaxed)
        guard count >= Self.pagesFrom else { return }
        if count >= waitsFrom.load(ordering: .relaxed) {
            return queue.sync {
                let isDone = run(SQLITE_CHECKPOINT_RESTART)
                waitsFrom.store(isDone ? Self.pagesMax : count + Self.pagesMax / 4, ordering: .relaxed)
            }
        }
        // It has begun anew since a reader kept it from that.
        if count < Self.pagesMax { waitsFrom.store(Self.pagesMax, ordering: .relaxed) }
        guard isRunning.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        queue.async { [self] in
            run(SQLITE_CHECKPOINT_PASSIVE)
            isRunning.store(false, ordering: .releasing)
        }
    }

    /// Waits for what runs, and closes the connection.
    func close() throws {
        try queue.sync { try connection.close() }
    }

    /// A failure leaves the log as it is; a later commit asks again.
    ///
    /// - Returns: Whether it was done.
    @discardableResult
    private func run(_ mode: Int32) -> Bool {
        let code = connection.writeWithoutTransaction { database in
            sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, mode, nil, nil)
        }
        pages.store(0, ordering: .relaxed)
        return code == SQLITE_OK
    }
}
