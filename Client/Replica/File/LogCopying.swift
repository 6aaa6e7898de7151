internal import GRDB
internal import Glibc
internal import Synchronization

/// Copies the write-ahead log back into a replica's file, by one process at a time.
///
/// SQLite before 3.51.3 can lose commits when one connection's checkpoint meets another's writer that starts the log anew. So
/// Roost's connections never do it by themselves: the process that holds the lease does, and without one a process that has
/// written takes its place for a moment, when it closes the file or when the log is large.
final class LogCopying: Sendable {
    /// From how many bytes of log on it is copied back without waiting for the file to be closed.
    static let largeBytes: Int64 = 16 << 20
    /// Pages of log after which who holds the lease copies it back: 16 MiB in a file with pages of 2,048 bytes. With SQLite's
    /// default of 1,000, many a page of scattered records would pay for it (100 changes of 100,000: 20.8 ms became 16.0).
    private static let pagesWithLease = 8000

    private let replica: String
    private let state = Mutex(State())

    private struct State {
        var hasWritten = false
        var holdsLease = false
        /// The size of the log from which the next attempt is made.
        var nextSize = LogCopying.largeBytes
    }

    init(_ replica: String) {
        self.replica = replica
    }

    /// Notes that there is something to copy back.
    func noteWrite() { state.withLock { $0.hasWritten = true } }

    /// Copies the log back while the lease is held, as it grows.
    func begin(_ engine: DatabaseQueue) throws {
        state.withLock { $0.holdsLease = true }
        try engine.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA wal_autocheckpoint = \(Self.pagesWithLease)")
        }
    }

    /// Copies a large log back, before the lease is given up. A small one waits until the file is closed: a synchronisation
    /// of little would pay more for it than for itself.
    func end(_ engine: DatabaseQueue) {
        if logBytes >= Self.largeBytes { copy(engine) } else { noteWrite() }
        try? engine.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        state.withLock { $0.holdsLease = false }
    }

    /// Copies the log back, if this process has written and no other one is there to do it.
    func tidy(_ engine: DatabaseQueue) {
        let isWanted = state.withLock { state in
            defer { state.hasWritten = false }
            return state.hasWritten && !state.holdsLease
        }
        if isWanted { SyncLease.whileFree(on: replica) { copy(engine) } }
    }

    /// As ``tidy(_:)``, once the log has become large.
    func tidyIfLarge(_ engine: DatabaseQueue) {
        let size = logBytes
        guard state.withLock({ size >= $0.nextSize && !$0.holdsLease }) else { return }
        SyncLease.whileFree(on: replica) { copy(engine) }
        // A reader may stand in the way for long: not with every write anew.
        let rest = logBytes
        state.withLock { $0.nextSize = rest + Self.largeBytes }
    }

    private var logBytes: Int64 {
        var status = stat()
        return stat(replica + "-wal", &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Copies what can be copied without waiting for readers; the log is emptied where none is in the way. What fails is left
    /// for the next time: the log holds it.
    private func copy(_ engine: DatabaseQueue) {
        try? engine.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? database.execute(sql: "PRAGMA busy_timeout = \(ReplicaFile.busySeconds * 1000)") }
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}

extension Replica {
    /// Says that this process holds the lease: from now on it copies the write-ahead log back.
    package func beginCopyingLog() throws {
        do {
            try log.begin(engine)
        } catch {
            throw ReplicaError(translating: error, "prepare the log")
        }
    }

    /// Ends what ``beginCopyingLog()`` began; to be called before the lease is given up.
    package func endCopyingLog() { log.end(engine) }
}
