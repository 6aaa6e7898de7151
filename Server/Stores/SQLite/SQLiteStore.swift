internal import CSQLiteStore
internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostSQLite
package import RoostService

/// A store in one SQLite file, with one writer and concurrent readers (WAL).
package final class SQLiteStore: Store {
    /// The point at which a commit counts as durable.
    package enum Synchronous: String, Hashable, Sendable, CaseIterable {
        /// A commit counts once it is on the disk: it survives a power loss.
        case full
        /// A commit counts once the operating system has it: it survives only the end of the process.
        case normal
    }

    /// The action for a file that contains no store.
    package enum Absence: Hashable, Sendable {
        /// Create a store, even if the file does not exist.
        case makeStore
        /// Throw ``StoreError/missing(_:)``, and change nothing.
        case refuse
    }

    private let writer: WriterConnection
    /// The connections that read; `nil` for a store in memory, which reads with its only connection.
    private let readers: SnapshotReaders?
    /// The checkpointer; `nil` for a store in memory.
    private let checkpointer: WALCheckpointer?

    /// Opens a file, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: The file, in an existing folder. `nil` for a store in memory.
    ///   - readers: The number of concurrent readers.
    ///   - absence: The action for a path without a store.
    ///   - wait: The wait for other programs that hold the file.
    /// - Throws: ``StoreError/newerFormat(found:known:)``, ``StoreError/foreignFile(_:)`` and ``StoreError/missing(_:)``.
    ///   The file is unchanged then.
    package init(
        path: String?, synchronous: Synchronous = .full, readers: Int = 4, whereNone absence: Absence = .makeStore,
        waiting wait: StoreWait = .ofServer
    ) throws {
        // Opening would create a missing file.
        if absence == .refuse, let path, !FileManager.default.fileExists(atPath: path) {
            throw StoreError.missing(path)
        }
        var configuration = Configuration()
        configuration.label = "roost-store"
        configuration.busyMode = wait.mode(path ?? ":memory:")
        configuration.prepareDatabase { database in
            try Self.check(database.beginning(), path ?? ":memory:", absence)
            csqlitestore_set_defensive(database.sqliteConnection)
            // A restored file may come from an untrusted source.
            sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
            try database.execute(sql: SQLiteLayout.connection)
            try database.execute(sql: SQLiteLayout.synchronous(synchronous))
        }
        do {
            if let path {
                writer = try WriterConnection(path: CoalescingVFS.location(of: path), configuration: configuration)
                try writer.queue.writeWithoutTransaction { database in
                    #if ROOST_SEEDED_BUGS
                        if SeededBug.synchronousOff.isOn { try database.execute(sql: "PRAGMA synchronous = OFF") }
                    #endif
                    try Self.prepare(database, path, absence)
                }
                Self.rebuildIfWorthIt(path)
                let checkpointer = try WALCheckpointer(path: path, configuration: configuration)
                self.checkpointer = checkpointer
                writer.queue.writeWithoutTransaction { checkpointer.watch($0) }
                self.readers = SnapshotReaders(path: path, configuration: configuration, count: readers)
            } else {
                writer = try WriterConnection(path: nil, configuration: configuration)
                checkpointer = nil
                self.readers = nil
                try writer.queue.writeWithoutTransaction { try Self.prepare($0, ":memory:", .makeStore) }
            }
        } catch let error as DatabaseError {
            if error.resultCode == .SQLITE_NOTADB { throw StoreError.foreignFile(path ?? ":memory:") }
            throw StoreError(error)
        }
    }

    package func write<Result>(_ body: (any StoreTransaction) throws -> Result) throws -> Result {
        defer { checkpointer?.commitEnded() }
        return try translating {
            try writer.queue.writeWithoutTransaction { try SQLiteTransaction.run("BEGIN IMMEDIATE", on: $0, body) }
        }
    }

    package func read<Result>(_ body: (any StoreSnapshot) throws -> Result) throws -> Result {
        try translating {
            guard let readers else {
                return try writer.queue.unsafeRead { try SQLiteTransaction.run("BEGIN", on: $0, body) }
            }
            return try readers.read { try SQLiteTransaction.run("BEGIN", on: $0, body) }
        }
    }

    /// Checkpoints the WAL into the main file and closes it.
    package func close() throws {
        try translating {
            try readers?.close()
            try checkpointer?.close()
            try writer.close()
        }
    }

    private func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// Configures SQLite for this process, so that it does not count its memory, which would take one lock for all
    /// connections. A program calls it once, before any use of SQLite.
    package static func prepareProcess() { _ = csqlitestore_count_no_memory() }

    /// Checks the beginning of a file before SQLite reads it.
    ///
    /// - Throws: ``StoreError/missing(_:)``, ``StoreError/damaged(_:)``.
    static func check(_ beginning: FileBeginning, _ path: String, _ absence: Absence) throws {
        switch beginning {
        case .readable: return
        case .empty: if absence == .refuse { throw StoreError.missing(path) }
        case .partial: throw StoreError.damaged("\"\(path)\" has no whole header: it was copied in part")
        }
    }

    private static func prepare(_ database: Database, _ path: String, _ absence: Absence) throws {
        let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        if id == SQLiteLayout.applicationID {
            guard version <= SQLiteLayout.version else {
                throw StoreError.newerFormat(found: version, known: SQLiteLayout.version)
            }
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            guard try !database.endsWithinPage() else {
                throw StoreError.damaged("\"\(path)\" ends within a page: it was copied in part")
            }
            return try upgrade(database, from: version)
        }
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
        guard id == 0, version == 0, tables == 0 else { throw StoreError.foreignFile(path) }
        guard absence == .makeStore else { throw StoreError.missing(path) }
        // Up to here the file is unchanged.
        try database.execute(sql: SQLiteLayout.shrinking)
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.inTransaction(.immediate) {
            try database.execute(sql: SQLiteLayout.tables)
            for step in SQLiteLayout.numbers { try database.execute(sql: step) }
            return .commit
        }
    }

    /// Rebuilds a file from before ``SQLiteLayout/shrinking`` of which a large part is free. It then takes less of the
    /// disk, and returns free pages by itself. If there is no room for a second file, or another program uses the file, it
    /// stays unchanged until the next start.
    private static func rebuildIfWorthIt(_ path: String) {
        // VACUUM attaches a file, which no other connection may do, so it has a connection of its own. It runs no trigger
        // and no text of the schema.
        guard let database = try? DatabaseQueue(path: path) else { return }
        try? database.writeWithoutTransaction { database in
            guard try Bool.fetchOne(database, sql: SQLiteLayout.isWorthRebuilding) == true else { return }
            try database.execute(sql: SQLiteLayout.shrinking)
            try database.execute(sql: SQLiteLayout.rebuild)
        }
        try? database.close()
    }

    /// Upgrades a file of an earlier format to the current one in one transaction.
    private static func upgrade(_ database: Database, from version: Int) throws {
        guard version < SQLiteLayout.version else { return }
        guard version > 0 else { throw StoreError.damaged("the file has no format number") }
        try database.inTransaction(.immediate) {
            let steps = SQLiteLayout.upgrades[(version - 1)...] + SQLiteLayout.numbers
            for step in steps { try database.execute(sql: step) }
            return .commit
        }
    }
}

extension StoreError {
    init(_ error: DatabaseError) {
        let code = error.extendedResultCode.rawValue
        self.init(code: code, reason: error.message ?? "SQLite error \(code)")
    }
}
