internal import CSQLite
internal import GRDB
internal import Glibc
internal import Synchronization

/// The checkpoints of a replica's WAL, made by one process at a time.
///
/// SQLite before 3.51.3 can lose commits when a checkpoint of one connection meets a writer of another that restarts the WAL. So
/// Roost's connections never checkpoint by themselves. The process that holds the lease does. If none does, a process that has
/// written takes the lock for checkpoints for a moment, when it closes the file or when the WAL is large.
final class LogCopying: Sendable {
    /// The size of the WAL, in bytes, above which it is checkpointed before the file is closed. A WAL that restarts keeps as many
    /// bytes: writing to allocated space takes half as long as allocating it.
    static let largeBytes: Int64 = 16 << 20
    /// The number of WAL pages at which the holder of the lease checkpoints: 16 MiB in a file with pages of 2,048 bytes. With
    /// SQLite's default of 1,000, many a pulled page of scattered records would pay for a checkpoint (100 changes of 100,000:
    /// 16.0 ms instead of 20.8).
    private static let pagesWithLease = 8000
    /// The number of WAL pages at which an idle holder of the lease checkpoints. It is well below the 1,000 at which SQLite makes
    /// a program without Roost checkpoint, in the midst of its own commit. A checkpoint of 500 pages takes longer than the pause
    /// between two quick changes.
    private static let pagesAtRest = 250
    /// The number of further WAL pages after which an idle checkpoint is tried again, where a writer or a reader prevented a part
    /// of it.
    private static let pagesAfterPart = 50

    private let replica: String
    private let wait: FileWait
    private let state = Mutex(State())

    private struct State {
        var hasWritten = false
        /// Whether checkpoints are barred, because the file of the WAL was moved or replaced.
        var isBarred = false
        /// This object while it checkpoints the growing WAL. It is kept alive because the hook of the engine's connection has its
        /// address.
        var holder: LogCopying?
        /// Whether this process holds the lease, and so checkpoints the WAL.
        var holdsLease: Bool { holder != nil }
        /// The size of the WAL above which the next checkpoint is tried.
        var nextSize = LogCopying.largeBytes
        /// The number of WAL pages after the engine's last commit, and the number at which an idle checkpoint is due.
        var pages = 0
        var nextPages = LogCopying.pagesAtRest
        /// The stamp of the WAL at its last complete checkpoint. An empty WAL has nothing to checkpoint.
        var copied = Stamp()
    }

    /// - Parameter wait: The limit of waits of the connection that checkpoints.
    init(_ replica: String, _ wait: FileWait) {
        self.replica = replica
        self.wait = wait
    }

    /// Records that this process has written to the WAL.
    func recordWrite() { state.withLock { $0.hasWritten = true } }

    /// Starts checkpoints of the growing WAL, which continue while the lease is held.
    func begin(_ engine: DatabaseQueue) {
        state.withLock { $0.holder = self }
        engine.writeWithoutTransaction { database in
            // This hook replaces SQLite's own, which checkpoints alike but does not count pages.
            guard let connection = database.sqliteConnection else { return }
            let log = Unmanaged.passUnretained(self).toOpaque()
            sqlite3_wal_hook(
                connection,
                { log, connection, name, pages in
                    if let log { Unmanaged<LogCopying>.fromOpaque(log).takeUnretainedValue().note(Int(pages)) }
                    if pages >= LogCopying.pagesWithLease {
                        sqlite3_wal_checkpoint_v2(connection, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                    }
                    return SQLITE_OK
                }, log)
        }
    }

    private func note(_ pages: Int) {
        state.withLock { state in
            // A WAL restarts after a complete checkpoint.
            if pages < state.pages { state.nextPages = Self.pagesAtRest }
            state.pages = pages
        }
    }

    /// Whether the WAL has grown enough for an idle checkpoint.
    var isWorthCopying: Bool { state.withLock { $0.holdsLease && $0.pages >= $0.nextPages } }

    /// Whether this process holds the lease, and so checkpoints the WAL.
    var isCopying: Bool { state.withLock { $0.holdsLease } }

    /// Whether the WAL has changed since its last complete checkpoint.
    var isUncopied: Bool { stamp != state.withLock { $0.copied } }

    /// The size and the modification time of the WAL, which change with each commit.
    private var stamp: Stamp {
        var status = stat()
        guard stat(replica + "-wal", &status) == 0 else { return Stamp() }
        return Stamp(bytes: Int64(status.st_size), seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }

    private struct Stamp: Hashable {
        var bytes: Int64 = 0
        var seconds = 0
        var nanoseconds = 0
    }

    /// Checkpoints what readers do not prevent.
    func copyAtRest(_ engine: DatabaseQueue) {
        let stamp = stamp
        let result = try? engine.writeWithoutTransaction { try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        // The columns are: busy or not, the pages of the WAL, and how many of them are checkpointed.
        let isWhole = result.map { ($0[1] as Int?) == ($0[2] as Int?) } ?? false
        state.withLock {
            $0.nextPages = $0.pages + (isWhole ? Self.pagesAtRest : Self.pagesAfterPart)
            if isWhole { $0.copied = stamp }
        }
    }

    /// Checkpoints a large WAL before the lease is released. A small WAL waits until the file is closed: for a small
    /// synchronisation, the checkpoint would cost more than the synchronisation itself.
    func end(_ engine: DatabaseQueue) {
        if logBytes > Self.largeBytes { copy(engine) } else { recordWrite() }
        leave(engine)
    }

    /// Stops checkpoints of the growing WAL.
    private func leave(_ engine: DatabaseQueue) {
        guard state.withLock({ $0.holdsLease }) else { return }
        // A closed connection has no hook.
        engine.writeWithoutTransaction { database in
            if let connection = database.sqliteConnection { sqlite3_wal_hook(connection, nil, nil) }
        }
        state.withLock { ($0.holder, $0.pages, $0.nextPages) = (nil, 0, Self.pagesAtRest) }
    }

    /// Checkpoints the WAL before the engine is closed, if this process has written and no other process is there to checkpoint.
    func tidy(_ engine: DatabaseQueue) {
        let isWanted = state.withLock { state in
            defer { state.hasWritten = false }
            return state.hasWritten && !state.holdsLease
        }
        leave(engine)
        if isWanted { SyncLease.whileFree(on: replica) { copy(engine) } }
    }

    /// Checkpoints a WAL that has become large, if no other process is there to checkpoint.
    func tidyIfLarge(_ engine: DatabaseQueue) {
        // The holder of the lease checkpoints by its hook, and need not query the size with every write.
        let next = state.withLock { $0.holdsLease ? nil : $0.nextSize }
        guard let next, logBytes > next else { return }
        SyncLease.whileFree(on: replica) { copy(engine) }
        // A reader may prevent the checkpoint for long, so it is not tried again with every write.
        let rest = logBytes
        state.withLock { $0.nextSize = rest + Self.largeBytes }
    }

    /// Checkpoints the whole WAL, for the process that holds the lease.
    func copyWhole(_ engine: DatabaseQueue) { copy(engine) }

    /// Bars checkpoints from now on.
    func copyNoMore() { state.withLock { $0.isBarred = true } }

    private var logBytes: Int64 {
        var status = stat()
        return stat(replica + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Checkpoints without waiting for readers, and truncates the WAL where none prevents it. What fails is left for the next
    /// checkpoint: the WAL still holds it.
    private func copy(_ engine: DatabaseQueue) {
        guard state.withLock({ !$0.isBarred }) else { return }
        try? engine.writeWithoutTransaction { database in
            _ = try wait.limited(to: 0) { try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
    }
}
