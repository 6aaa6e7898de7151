internal import CSQLite
internal import GRDB
internal import Glibc
internal import Synchronization

/// Copies the write-ahead log back into a replica's file, by one process at a time.
///
/// SQLite before 3.51.3 can lose commits when one connection's checkpoint meets another's writer that starts the log anew. So
/// Roost's connections never do it by themselves: the process that holds the lease does, and without one a process that has
/// written takes its place for a moment, when it closes the file or when the log is large.
final class LogCopying: Sendable {
    /// Above how many bytes of log it is copied back without waiting for the file to be closed. A log that begins anew keeps as many:
    /// to write where there is room takes half as long as to make room.
    static let largeBytes: Int64 = 16 << 20
    /// Pages of log after which who holds the lease copies it back: 16 MiB in a file with pages of 2,048 bytes. With SQLite's
    /// default of 1,000, many a page of scattered records would pay for it (100 changes of 100,000: 20.8 ms became 16.0).
    private static let pagesWithLease = 8000
    /// Pages of log from which it is copied back while there is nothing else to do: well below the 1,000 at which SQLite has a program
    /// that knows nothing of Roost do it, in the midst of its own commit. 500 take longer than the pause between two quick changes.
    private static let pagesAtRest = 250
    /// After how many more it is tried again where a writer or a reader was in the way of a part.
    private static let pagesAfterPart = 50

    private let replica: String
    private let wait: FileWait
    private let state = Mutex(State())

    private struct State {
        var hasWritten = false
        /// Whether the log is not to be copied any more: its file is another one.
        var isBarred = false
        /// This object while it copies the log back as it grows: the engine's connection knows its address.
        var holder: LogCopying?
        /// Whether this process holds the lease, and so copies the log back.
        var holdsLease: Bool { holder != nil }
        /// The size of the log above which the next attempt is made.
        var nextSize = LogCopying.largeBytes
        /// The pages of the log after the engine's last commit, and from how many on it is copied back at rest.
        var pages = 0
        var nextPages = LogCopying.pagesAtRest
        /// The log when it was last copied back whole; an empty one has nothing to copy.
        var copied = Stamp()
    }

    /// - Parameter wait: That of the connection that copies.
    init(_ replica: String, _ wait: FileWait) {
        self.replica = replica
        self.wait = wait
    }

    /// Notes that there is something to copy back.
    func noteWrite() { state.withLock { $0.hasWritten = true } }

    /// Copies the log back while the lease is held, as it grows.
    func begin(_ engine: DatabaseQueue) {
        state.withLock { $0.holder = self }
        engine.writeWithoutTransaction { database in
            // In the place of SQLite's own, which is the same without the note.
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
            // A log that was copied back whole begins anew.
            if pages < state.pages { state.nextPages = Self.pagesAtRest }
            state.pages = pages
        }
    }

    /// Whether enough was added to the log to copy it back while there is nothing else to do.
    var isWorthCopying: Bool { state.withLock { $0.holdsLease && $0.pages >= $0.nextPages } }

    /// Whether this process holds the lease, and so copies the log back.
    var isCopying: Bool { state.withLock { $0.holdsLease } }

    /// Whether the log has changed since it was last copied back whole.
    var isUncopied: Bool { stamp != state.withLock { $0.copied } }

    /// The size and the time of the log, which change with each commit.
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

    /// Copies back what no reader stands in the way of.
    func copyAtRest(_ engine: DatabaseQueue) {
        let stamp = stamp
        let result = try? engine.writeWithoutTransaction { try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        // Busy or not, the pages of the log, and those of them that are copied.
        let isWhole = result.map { ($0[1] as Int?) == ($0[2] as Int?) } ?? false
        state.withLock {
            $0.nextPages = $0.pages + (isWhole ? Self.pagesAtRest : Self.pagesAfterPart)
            if isWhole { $0.copied = stamp }
        }
    }

    /// Copies a large log back, before the lease is given up. A small one waits until the file is closed: a synchronisation
    /// of little would pay more for it than for itself.
    func end(_ engine: DatabaseQueue) {
        if logBytes > Self.largeBytes { copy(engine) } else { noteWrite() }
        leave(engine)
    }

    /// Copies nothing back any more as the log grows.
    private func leave(_ engine: DatabaseQueue) {
        guard state.withLock({ $0.holdsLease }) else { return }
        // A connection that is closed knows nothing any more.
        engine.writeWithoutTransaction { database in
            if let connection = database.sqliteConnection { sqlite3_wal_hook(connection, nil, nil) }
        }
        state.withLock { ($0.holder, $0.pages, $0.nextPages) = (nil, 0, Self.pagesAtRest) }
    }

    /// Copies the log back before the engine is closed, if this process has written and no other one is there to do it.
    func tidy(_ engine: DatabaseQueue) {
        let isWanted = state.withLock { state in
            defer { state.hasWritten = false }
            return state.hasWritten && !state.holdsLease
        }
        leave(engine)
        if isWanted { SyncLease.whileFree(on: replica) { copy(engine) } }
    }

    /// As ``tidy(_:)``, once the log has become large.
    func tidyIfLarge(_ engine: DatabaseQueue) {
        // Who holds the lease sees to it in another way, and need not ask for the size with every write.
        let next = state.withLock { $0.holdsLease ? nil : $0.nextSize }
        guard let next, logBytes > next else { return }
        SyncLease.whileFree(on: replica) { copy(engine) }
        // A reader may stand in the way for long: not with every write anew.
        let rest = logBytes
        state.withLock { $0.nextSize = rest + Self.largeBytes }
    }

    /// Copies all that is in the log, by the process that holds the lease.
    func copyWhole(_ engine: DatabaseQueue) { copy(engine) }

    /// From now on nothing is copied.
    func copyNoMore() { state.withLock { $0.isBarred = true } }

    private var logBytes: Int64 {
        var status = stat()
        return stat(replica + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Copies what can be copied without waiting for readers; the log is emptied where none is in the way. What fails is left
    /// for the next time: the log holds it.
    private func copy(_ engine: DatabaseQueue) {
        guard state.withLock({ !$0.isBarred }) else { return }
        try? engine.writeWithoutTransaction { database in
            _ = try wait.limited(to: 0) { try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
    }
}
