internal import CSQLiteStore
internal import Foundation
internal import GRDB
internal import RoostSQLite
internal import RoostService

/// Copies of a store's file, made while a server uses it and checked before they are used.
package enum SQLiteBackup {
    /// Copies a store's file as it is at one moment, concurrently with its writers.
    ///
    /// The copy is one file, checked and flushed to the disk when this returns. Readers and writers of the original do not
    /// wait for it, and it checkpoints nothing of their WAL.
    ///
    /// - Parameters:
    ///   - destination: The path of the copy, which must not exist.
    ///   - wait: The wait for other programs that hold the original.
    /// - Throws: ``StoreError``. Nothing is left at `destination` then.
    package static func copy(
        _ source: String, to destination: String, waiting wait: StoreWait = .ofServer
    ) throws {
        do {
            try makePrivate(destination)
            let from = try open(source, wait)
            defer { try? from.close() }
            try checkKind(from, source)
            let to = try DatabaseQueue(path: destination)
            try from.backup(to: to)
            // The original's WAL is not part of the copy. In this mode the copy opens without one.
            try to.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try to.read { try checkContent($0, destination) }
            try to.close()
            try flush(destination)
        } catch {
            try? FileManager.default.removeItem(atPath: destination)
            throw (error as? DatabaseError).map { StoreError($0) } ?? error
        }
    }

    /// Checks all pages and indexes of a store's file on the disk, concurrently with its writers.
    ///
    /// - Throws: ``StoreError/damaged(_:)`` for a corrupt file.
    package static func check(_ path: String) throws {
        do {
            let database = try open(path, .ofServer)
            defer { try? database.close() }
            try database.read { try checkContent($0, path) }
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    /// Checkpoints a store's WAL into its file, so that the file alone is the store.
    ///
    /// - Throws: ``StoreError`` if the file is corrupt or contains no database. The file is unchanged then.
    package static func settle(_ path: String, waiting wait: StoreWait = .ofServer) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path) }
        do {
            var configuration = Configuration()
            configuration.busyMode = wait.mode(path)
            configuration.prepareDatabase { try SQLiteStore.check($0.beginning(), path, .refuse) }
            let database = try DatabaseQueue(path: path, configuration: configuration)
            _ = try database.writeWithoutTransaction { try $0.checkpoint(.truncate) }
            try database.close()
        } catch let error as DatabaseError {
            throw StoreError(error)
        }
    }

    private static func open(_ path: String, _ wait: StoreWait) throws -> DatabaseQueue {
        // Opening would create a missing file.
        guard FileManager.default.fileExists(atPath: path) else { throw StoreError.missing(path) }
        var configuration = Configuration()
        configuration.busyMode = wait.mode(path)
        configuration.prepareDatabase { database in
            try SQLiteStore.check(database.beginning(), path, .refuse)
            // The server checkpoints the WAL itself. Two programs that do so concurrently are more than old versions of
            // SQLite can bear.
            guard csqlitestore_leave_log(database.sqliteConnection) == SQLITE_OK else {
                throw DatabaseError(resultCode: .SQLITE_ERROR, message: "cannot leave the log alone")
            }
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private static func checkKind(_ database: DatabaseQueue, _ path: String) throws {
        do {
            let (id, tables) = try database.read { database in
                (
                    try Int32.fetchOne(database, sql: "PRAGMA application_id"),
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
                )
            }
            guard id == SQLiteLayout.applicationID else {
                throw id == 0 && tables == 0 ? StoreError.missing(path) : StoreError.foreignFile(path)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw StoreError.foreignFile(path)
        }
    }

    private static func checkContent(_ database: Database, _ path: String) throws {
        let problems = try String.fetchAll(database, sql: "PRAGMA integrity_check(3)")
        guard problems == ["ok"] else { throw StoreError.damaged(problems.joined(separator: "; ")) }
        if let item = try String.fetchOne(database, sql: SQLiteLayout.foreignItems) {
            throw StoreError.damaged("it holds the \(item), which no server makes")
        }
        // Files of earlier formats have an index in place of the log, which SQLite has just compared.
        guard try database.tableExists("log") else { return }
        let missing = try Int.fetchOne(database, sql: SQLiteLayout.recordsNotInLog) ?? 0
        guard missing == 0 else { throw StoreError.damaged("\(missing) records have no entry in the log") }
    }

    /// Creates the file with private permissions before the first byte is written: the copy contains the server's secret.
    private static func makePrivate(_ path: String) throws {
        let file = Foundation.open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw StoreError.failing("cannot make \"\(path)\": \(String(cString: strerror(errno)))")
        }
        Foundation.close(file)
    }

    private static func flush(_ path: String) throws {
        for name in [path, (path as NSString).deletingLastPathComponent] {
            let file = Foundation.open(name.isEmpty ? "." : name, O_RDONLY | O_CLOEXEC)
            guard file >= 0, fsync(file) == 0 else {
                throw StoreError.failing("cannot flush \"\(name)\": \(String(cString: strerror(errno)))")
            }
            Foundation.close(file)
        }
    }
}
