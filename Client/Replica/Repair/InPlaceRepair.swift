internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// Rebuilds a corrupt file: salvages its readable parts into a new file next to it, and copies that over the corrupt one in
/// one transaction.
struct InPlaceRepair {
    let path: String
    let now: Date

    /// The maximum number of attempts. An attempt fails if another program writes after the salvage has started.
    private static let attemptsMax = 5

    private var fresh: String { path + "-repair" }

    /// Keeps a copy of the file if it is corrupt.
    ///
    /// - Returns: The copy; `nil` if SQLite finds no fault in the file.
    func keep() throws -> KeptFile? {
        let looking = try open(path, isReadOnly: true)
        defer { try? looking.close() }
        guard try !isWhole(looking) else { return nil }
        let kept = KeptFile(of: path, at: now)
        try looking.unsafeRead { database in
            try database.inOneTransaction(.deferred) { database in
                // While a read transaction is open, nothing that it sees is overwritten.
                _ = try Int.fetchOne(database, sql: "PRAGMA user_version")
                try kept.write(database)
            }
        }
        return kept
    }

    /// Repairs the file if it is corrupt.
    ///
    /// - Parameter kept: The copy of the file, if there is one already.
    /// - Returns: `nil` if SQLite finds no fault in the file.
    func run(_ kept: KeptFile? = nil) throws -> ReplicaRepair? {
        let looking = try open(path, isReadOnly: true)
        defer { try? looking.close() }
        guard try !isWhole(looking) else { return nil }
        let target = try open(path)
        defer { try? target.close() }
        for _ in 0..<Self.attemptsMax {
            defer { removeFresh() }
            let version = try dataVersion(looking)
            let (queue, salvaged) = try salvage(looking, target)
            defer { try? queue.close() }
            if let kept = try replace(
                target, by: queue, looking, kept, isUnchanged: { try dataVersion(looking) == version })
            {
                return ReplicaRepair(damagedTables: salvaged, keptAt: kept)
            }
        }
        throw ReplicaError(
            .busy,
            "Cannot repair the replica \"\(path)\": another program keeps writing to it. Let it finish and try again.")
    }

    /// Checks that the file is one that this code can rebuild.
    ///
    /// - Throws: ``ReplicaError`` if it is not.
    func checkKind() throws {
        let queue = try open(path, isReadOnly: true)
        defer { try? queue.close() }
        let (format, mode, other) = try queue.unsafeRead { database in
            let format = try Self.format(database)
            if format != nil { try FileFormat.checkTexts(database, path, "repair") }
            return (
                format, try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try format == nil ? OtherFile(database).words : ""
            )
        }
        guard let format else { throw ReplicaError(.notAReplica, "Cannot repair \"\(path)\": \(other)") }
        guard format <= FileFormat.newest else {
            throw ReplicaError(
                .newerFormat,
                "Cannot repair the replica \"\(path)\": its format is \(format), this Roost reads up to \(FileFormat.newest). "
                    + "Update Roost.")
        }
        guard try mode == "wal" || switchesLogOn() else {
            throw ReplicaError(
                .busy,
                "Cannot repair the replica \"\(path)\": another program has switched off its write-ahead log, and somebody has the "
                    + "file open. Close the other programs and try again.")
        }
    }

    /// Tries to switch the WAL on. SQLite refuses while another connection has the file open.
    private func switchesLogOn() throws -> Bool {
        let queue = try open(path)
        defer { try? queue.close() }
        return queue.writeWithoutTransaction { database in
            (try? String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")) == "wal"
        }
    }

    /// Returns the format of the file; the current one if it cannot be read, since the salvage then finds the corruption.
    private static func format(_ database: Database) throws -> Int? {
        do {
            return try FileFormat.version(database)
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
            return FileFormat.current
        }
    }

    // MARK: Connections

    /// Opens the file with its form of identifiers, by its state, or by the SQL of a table where one of the two cannot be read.
    private func open(_ path: String, isReadOnly: Bool = false) throws -> DatabaseQueue {
        let probe = try open(path, .bytes, isReadOnly: true)
        let sql = "SELECT 1 FROM sqlite_schema WHERE name = 'roost_outbox' AND sql LIKE '%id TEXT NOT NULL%'"
        // A form that neither gives is bytes: the salvage then refuses the file, because it cannot read the state either.
        let stated = try? probe.unsafeRead { try FileFormat.identifiers($0) }
        let made = try? probe.unsafeRead { try Bool.fetchOne($0, sql: sql) }
        try probe.close()
        return try open(path, stated == .text || made == true ? .text : .bytes, isReadOnly: isReadOnly)
    }

    /// Opens a file that may be corrupt. With `writable_schema`, a truncated file can be read up to its end.
    private func open(_ path: String, _ identifiers: IdentifierForm, isReadOnly: Bool) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.identifiers = identifiers
        configuration.foreignKeysEnabled = false
        configuration.readonly = isReadOnly
        let wait = FileWait(path)
        configuration.busyMode = .callback { wait.goesOn($0) }
        configuration.prepareDatabase { database in
            if let handle = database.sqliteConnection {
                _ = csqlite_keep_log_on_close(handle)
                _ = csqlite_enable_triggers(handle, 0)
            }
            database.refuseAttachments()
            try database.execute(
                sql: """
                    PRAGMA foreign_keys = OFF;
                    PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON; PRAGMA synchronous = FULL;
                    PRAGMA ignore_check_constraints = ON; PRAGMA wal_autocheckpoint = 0; PRAGMA mmap_size = 0
                    """)
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    private func isWhole(_ queue: DatabaseQueue) throws -> Bool {
        do {
            return try queue.unsafeRead { database in
                // With `writable_schema` on, SQLite does not report errors in its schema table.
                try database.execute(sql: "PRAGMA writable_schema = RESET")
                defer { try? database.execute(sql: "PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON") }
                return try !database.endsWithinPage() && FileFaults.ofFile(atMost: 1, database).isEmpty
                    && hasAllTables(database)
            }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
            // SQLite reports a corrupt SQL statement in its schema table as SQLITE_ERROR.
            return false
        }
    }

    /// Returns whether all of Roost's tables exist. Another program may have dropped one. Files of earlier formats do not
    /// have all of them.
    private func hasAllTables(_ database: Database) throws -> Bool {
        guard try (Self.format(database) ?? 0) >= FileFormat.current else { return true }
        let there = Set(try SchemaItem.all(database).filter { $0.kind == .table }.map(\.key))
        return LayoutVerification.vital.allSatisfy(there.contains)
    }

    /// Returns a number that changes with each commit of another connection.
    private func dataVersion(_ queue: DatabaseQueue) throws -> Int64 {
        try queue.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
    }

    // MARK: The new file

    private func removeFresh() {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: fresh + suffix) }
    }

    /// Builds the new file.
    ///
    /// - Returns: The new file, which is intact, and the tables of which a part could not be read.
    private func salvage(_ looking: DatabaseQueue, _ target: DatabaseQueue) throws -> (DatabaseQueue, damaged: [String])
    {
        removeFresh()
        // A file of format 6 or earlier contains the device token, so only the owner may read its copy.
        guard FileManager.default.createFile(atPath: fresh, contents: nil, attributes: [.posixPermissions: 0o600])
        else {
            throw ReplicaError(
                .diskFull,
                "Cannot repair the replica \"\(path)\": \"\(fresh)\" cannot be made beside it. Check the folder.")
        }
        let queue = try open(fresh, looking.configuration.identifiers, isReadOnly: false)
        do {
            let damaged = try looking.unsafeRead { source in
                // The transaction ends with a rollback: a commit fails once an unreadable page was met.
                try source.execute(sql: "BEGIN")
                defer { try? source.execute(sql: "ROLLBACK") }
                return try queue.writeWithoutTransaction { database in
                    try prepare(database, as: source)
                    return try database.inOneTransaction(.immediate) { database in
                        let damaged = try Salvage(
                            source: source, fresh: database, path: path, faultOfRows: { try faultOfRows($0, target) },
                            now: milliseconds
                        ).run()
                        try keepNumber(of: source, database)
                        return damaged
                    }
                }
            }
            guard try isWhole(queue) else {
                throw ReplicaError(.sqlite, "Cannot repair \"\(path)\": the copy is not whole.")
            }
            return (queue, damaged)
        } catch {
            try? queue.close()
            throw error
        }
    }

    /// Checks a table without its indexes. SQLite checks both together, so the check runs in a transaction that removes the
    /// indexes and is rolled back.
    private func faultOfRows(_ table: String, _ target: DatabaseQueue) throws -> String? {
        try target.unsafeRead { database in
            try database.execute(sql: "BEGIN IMMEDIATE")
            defer {
                try? database.execute(sql: "ROLLBACK; PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON")
            }
            do {
                try database.execute(
                    sql: """
                        DELETE FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL;
                        PRAGMA writable_schema = RESET; PRAGMA writable_schema = ON
                        """)
                return try OutboxCheck(database: database).fault(in: table)
            } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
                return error.message ?? "it cannot be read"
            }
        }
    }

    private func prepare(_ database: Database, as source: Database) throws {
        func number(_ name: String) throws -> Int { try Int.fetchOne(source, sql: "PRAGMA \(name)") ?? 0 }
        // The new file is rebuilt after a power failure, so nothing waits for the disk.
        try database.executeEach(
            "PRAGMA page_size = \(number("page_size"))", "PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF",
            "PRAGMA application_id = \(number("application_id"))")
    }

    /// Copies `user_version`, which belongs to other programs. Values from 1 to 5 are formats that earlier versions of Roost
    /// stored there only; they are not copied.
    private func keepNumber(of source: Database, _ database: Database) throws {
        let number = try Int.fetchOne(source, sql: "PRAGMA user_version") ?? 0
        guard !(1...5).contains(number) else { return }
        try database.executeOne("PRAGMA user_version = \(number)")
    }

    private var milliseconds: Int64 { Int64(now.timeIntervalSince1970 * 1000) }

    // MARK: The exchange

    /// Copies the new file over the corrupt one, in one transaction of SQLite's.
    ///
    /// - Returns: The path of the copy of the corrupt file; `nil` if the corrupt file has changed since it was read.
    private func replace(
        _ target: DatabaseQueue, by fresh: DatabaseQueue, _ looking: DatabaseQueue, _ before: KeptFile?,
        isUnchanged: () throws -> Bool
    ) throws -> String? {
        try fresh.unsafeRead { fresh in
            try target.unsafeRead { target in
                let backup = sqlite3_backup_init(target.sqliteConnection, "main", fresh.sqliteConnection, "main")
                guard let backup else { throw failure(of: target) }
                // Without the last step, this rolls the copy back.
                defer { sqlite3_backup_finish(backup) }
                // A step of no pages only takes the lock, under which no other connection writes.
                let locked = sqlite3_backup_step(backup, 0)
                guard locked == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: locked)) }
                guard try isUnchanged() else { return nil }
                let kept = before ?? KeptFile(of: path, at: now)
                if before == nil { try looking.unsafeRead { try kept.write($0) } }
                let done = sqlite3_backup_step(backup, -1)
                guard done == SQLITE_DONE else {
                    if before == nil { kept.remove() }
                    throw DatabaseError(resultCode: ResultCode(rawValue: done))
                }
                return kept.path
            }
        }
    }

    private func failure(of database: Database) -> DatabaseError {
        let handle = database.sqliteConnection
        return DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_errcode(handle)),
            message: handle.map { String(cString: sqlite3_errmsg($0)) })
    }
}
