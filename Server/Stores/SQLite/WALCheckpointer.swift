internal import CSQLiteStore
internal import Dispatch
internal import GRDB
internal import Synchronization

/// The checkpoints of the write-ahead log, run concurrently with commits instead of within them: a commit that had to
/// checkpoint would keep its callers waiting for milliseconds.
final class WALCheckpointer: Sendable {
    /// The number of pages in the WAL from which it is checkpointed.
    private static let pagesFrom = 1000
    /// The number of pages in the WAL from which a commit waits for a checkpoint, so that the WAL cannot grow without
    /// bound.
    private static let pagesMax = 16_000

    /// The seconds that such a commit waits for readers: while a reader stays, the WAL cannot restart, and waiting does not
    /// help.
    private static let patience = 0.05

    private let pages = Atomic<Int>(0)
    /// The number of pages from which the next commit waits.
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

    /// Observes the commits of a connection, in place of SQLite's automatic checkpoints.
    func watch(_ database: Database) {
        // The pointer stays valid: the store owns both the checkpointer and the connection, and the checkpointer outlives
        // the connection.
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

    /// Starts a checkpoint if the WAL is long. Call it after a commit, outside the connection that committed.
    func commitEnded() {
        let count = pages.load(ordering: .relaxed)
        guard count >= Self.pagesFrom else { return }
        if count >= waitsFrom.load(ordering: .relaxed) {
            return queue.sync {
                let isDone = run(SQLITE_CHECKPOINT_RESTART)
                waitsFrom.store(isDone ? Self.pagesMax : count + Self.pagesMax / 4, ordering: .relaxed)
            }
        }
        // The WAL has restarted since a reader prevented it.
        if count < Self.pagesMax { waitsFrom.store(Self.pagesMax, ordering: .relaxed) }
        guard isRunning.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
        else { return }
        queue.async { [self] in
            run(SQLITE_CHECKPOINT_PASSIVE)
            isRunning.store(false, ordering: .releasing)
        }
    }

    /// Waits for a running checkpoint, and closes the connection.
    func close() throws {
        try queue.sync { try connection.close() }
    }

    /// Runs a checkpoint. A failure leaves the WAL unchanged, and a later commit tries again.
    ///
    /// - Returns: Whether the checkpoint completed.
    @discardableResult
    private func run(_ mode: Int32) -> Bool {
        let code = connection.writeWithoutTransaction { database in
            sqlite3_wal_checkpoint_v2(database.sqliteConnection, nil, mode, nil, nil)
        }
        pages.store(0, ordering: .relaxed)
        return code == SQLITE_OK
    }
}
