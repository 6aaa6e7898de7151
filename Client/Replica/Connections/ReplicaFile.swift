internal import CSQLite
internal import Foundation
internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// The creation and opening of replica files.
package enum ReplicaFile {
    /// The size of a page, smaller than SQLite's default.
    ///
    /// A tracked insert may change pages of four trees. With this size they stay within the 64 KiB up to which SQLite keeps a
    /// statement's undo pages in memory. After one statement exceeds that, every later one of the transaction writes to a
    /// temporary file (decision 40).
    package static let pageBytes = 2048
    /// The size of a connection's cache, with room for a large move, so that its pages are not written twice. It is used only as
    /// far as needed.
    package static let cacheMebibytes = 64
    /// SQLite's application ID of a replica file: "Rost" in ASCII.
    static let applicationID = 0x526F_7374

    /// The seconds to wait for another process that writes.
    static let busySeconds = 30

    /// The kind of writes on a connection.
    enum Connection {
        /// The user's own writes. Triggers run.
        case local
        /// Roost's own writes. Triggers do not run.
        case engine
    }

    /// Makes the configuration of a connection.
    ///
    /// - Parameter wait: The limit of waits for other programs.
    static func configuration(
        _ connection: Connection, _ durability: Durability, _ wait: FileWait
    ) -> Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        // Another process may hold the file for the duration of a bulk write.
        configuration.busyMode = .callback { wait.goesOn($0) }
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            // trusted_schema stays on: SQLite 3.40 needs it for full-text indexes, and for indexes or generated columns over
            // JSON, which other programs keep in the file (decision 175). These connections register nothing that a crafted file
            // could call: schemas cannot use the functions of the engine.
            database.refuseAttachments()
            // GRDB only switches foreign keys on, and some builds of SQLite have them on by default. The constraints of other
            // programs' tables must not refuse what Roost hides, and their actions are not undone by an undelete.
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try database.executeOne(synchronousSQL(durability))
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            // Freed pages are not overwritten with zeros: deleted content stays restorable from the journal anyway.
            try database.executeEach(
                "PRAGMA cache_size = \(-1024 * cacheMebibytes)", "PRAGMA mmap_size = 0", "PRAGMA secure_delete = FAST")
            if let handle = database.sqliteConnection {
                _ = csqlite_set_defensive(handle, 1)
                _ = csqlite_keep_log_on_close(handle)
                if connection == .engine { _ = csqlite_enable_triggers(handle, 0) }
            }
            // RowCoding has checked what the engine writes, or a table has held it already.
            if connection == .engine {
                try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try FinalStamps.prepare(database)
                try ConfirmedJoin.prepare(database)
            }
            // Only one process at a time may checkpoint the WAL: SQLite before 3.51.3 can lose commits when a checkpoint meets a
            // writer that restarts the WAL. See LogCopying.
            try database.executeEach(
                "PRAGMA wal_autocheckpoint = 0", "PRAGMA journal_size_limit = \(LogCopying.largeBytes)")
        }
        return configuration
    }

    static func synchronousSQL(_ durability: Durability) -> String {
        "PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")"
    }

    static func create(
        at path: String, schema: Schema, _ identifiers: IdentifierForm, durability: Durability
    ) throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ReplicaError(
                .exists,
                "Cannot make a replica at \"\(path)\": there is a file already. Choose another name, or move it away.")
        }
        try checkNoLog(at: path)
        // Only its owner may read the file: it holds the token that lets it synchronise.
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw ReplicaError(
                .notFound, "Cannot make a replica at \"\(path)\": the folder is missing or not writable. Make it first."
            )
        }
        do {
            var configuration = configuration(.local, durability, FileWait(path))
            configuration.identifiers = identifiers
            let queue = try DatabaseQueue(path: CoalescingVFS.location(of: path), configuration: configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction {
                try $0.executeEach("PRAGMA page_size = \(pageBytes)", "PRAGMA journal_mode = WAL")
            }
            try queue.write { database in
                try database.executeOne("PRAGMA application_id = \(applicationID)")
                try makeTables(Layout(schema, identifiers), in: database)
            }
        } catch {
            // The WAL is removed first: a WAL without its file is taken for the WAL of a file that was moved.
            for part in ["-wal", "-shm", "-journal", ""] { unlink(path + part) }
            throw ReplicaError(translating: error, "make a replica at \"\(path)\"").blaming(schema)
        }
    }

    /// Refuses a path at which the WAL of another replica is stored. That file was moved without its WAL, which holds its newest
    /// changes. SQLite would remove the WAL for the new file.
    ///
    /// - Throws: ``ReplicaError`` with the code `exists`.
    package static func checkNoLog(at path: String) throws(ReplicaError) {
        let log = "\(path)-wal"
        var status = stat()
        guard stat(log, &status) == 0, status.st_size > 0 else { return }
        throw ReplicaError(
            .exists,
            "Cannot make a replica at \"\(path)\": \"\(log)\" is the log of a file that was moved or deleted, and may hold its newest "
                + "changes. Move the log to that file, with its name and \"-wal\", or choose another name.")
    }

    /// Makes all tables and triggers, and stores the schema.
    static func makeTables(_ layout: Layout, in database: Database) throws {
        let identifiers = layout.identifiers
        try database.execute(sql: TableSQL.bookkeeping(identifiers))
        try database.execute(sql: TableSQL.secondFormat(identifiers))
        try database.execute(sql: TableSQL.thirdFormat(identifiers))
        try database.execute(sql: TableSQL.fourthFormat)
        try database.execute(sql: TableSQL.fifthFormat)
        try database.execute(sql: TableSQL.sixthFormat(identifiers))
        for table in layout.tables {
            for statement in TableSQL.create(table) { try database.executeOne(statement) }
        }
        for table in layout.tables { try TriggerSQL.make(table, in: layout, database) }
        let state = StateStore(database: database)
        try state.set([
            (.schema, .string(layout.schema.source)), (.schemaVersion, .integer(Int64(layout.schema.version))),
            (.pushNumber, .integer(0)),
        ])
        if identifiers != .bytes { try state.set(.identifiers, .string(identifiers.rawValue)) }
        try FileFormat.write(database)
        try state.set(.layout, LayoutFingerprint(SchemaItem.all(database), layout).text)
    }

    /// Opens the connection for Roost's own writes.
    ///
    /// - Parameter identifiers: The form of the file's identifiers, where it is known. Otherwise the connection must not read or
    ///   write an identifier before `StatementCache.setIdentifiers(_:on:)`.
    static func open(
        _ path: String, _ durability: Durability, _ identifiers: IdentifierForm?, _ wait: FileWait? = nil
    ) throws -> WriterConnection {
        guard FileManager.default.fileExists(atPath: path) else {
            throw ReplicaError(
                .notFound,
                "Cannot open the replica \"\(path)\": there is no such file. Make one with \"roost init\" or \"roost join\"."
            )
        }
        try checkIsFile(path, "open")
        var configuration = configuration(.engine, durability, wait ?? FileWait(path))
        if let identifiers { configuration.identifiers = identifiers }
        return try openWriter(path, configuration)
    }

    /// Refuses a replica if it, or a file alongside it, is not a regular file.
    ///
    /// A pipe may never end, and a device has no contents. Neither is opened, and SQLite gets no access to one alongside the
    /// file.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica` where one of the paths exists and is not a regular file.
    static func checkIsFile(_ path: String, _ action: String) throws(ReplicaError) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            guard let isFile = FileNumber.isFile(path + ending), !isFile else { continue }
            let what =
                ending.isEmpty ? "it is no file. Check the name." : "\"\(path + ending)\" is no file. Move it away."
            throw ReplicaError(.notAReplica, "Cannot \(action) the replica \"\(path)\": \(what)")
        }
    }

    /// Opens a connection that writes, with a ``ConnectionCache`` and ``UserTriggers`` attached.
    static func openWriter(_ path: String, _ configuration: Configuration) throws -> WriterConnection {
        var configuration = configuration
        ConnectionCache.keep(in: &configuration)
        UserTriggers.keep(in: &configuration)
        return try WriterConnection(path: CoalescingVFS.location(of: path), configuration: configuration)
    }

    /// Checks that the file is a replica that this code can read, and reads its schema and the form of its identifiers.
    static func layout(of queue: DatabaseQueue, _ path: String) throws -> Layout {
        try queue.read { database in
            try FileFormat.check(database, path, "open")
            guard try !database.endsWithinPage() else {
                throw ReplicaError(
                    .corrupt,
                    "Cannot open the replica \"\(path)\": it ends within a page, as a copy does that was broken off. Copy it again, or run \"roost repair\" for what of it reads."
                )
            }
            let text = try StateStore(database: database).text(.schema) ?? ""
            do {
                return Layout(try Schema(json: text), try FileFormat.identifiers(database))
            } catch {
                throw ReplicaError(.corrupt, "Cannot open the replica \"\(path)\": its schema cannot be read. \(error)")
            }
        }
    }
}

extension ReplicaError {
    /// Returns an error that names a limit that the schema exceeds, where SQLite refuses tables of such a schema; otherwise
    /// returns this error.
    func blaming(_ schema: Schema) -> ReplicaError {
        guard code == .sqlite, let problem = schema.limitProblems().first else { return self }
        return ReplicaError(
            .invalidValue, "Cannot make the tables of the schema \"\(schema.name)\": \(problem.description)")
    }

    /// Translates an error of SQLite into the terms of a replica.
    package init(translating error: any Error, _ action: String) {
        if let error = error as? ReplicaError {
            self = error
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.sqlite, "Cannot \(action): \(error).")
            return
        }
        let reason = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL:
            self.init(.diskFull, "Cannot \(action): the disk is full. Make room and try again; nothing was changed.")
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN:
            self.init(
                .diskFull,
                "Cannot \(action): the disk refuses (\(reason)). Check it and try again; nothing was changed.")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.busy, "Cannot \(action): another program holds the file. Let it finish and try again.")
        case .SQLITE_CORRUPT:
            self.init(
                .corrupt,
                "Cannot \(action): the file is damaged (\(reason)). Run \"roost repair\" on it.")
        case .SQLITE_NOTADB:
            self.init(.notAReplica, "Cannot \(action): the file is not a replica. Check the name.")
        case .SQLITE_CONSTRAINT where reason.begins(with: "Cannot "): self.init(.denied, reason)
        case .SQLITE_CONSTRAINT: self.init(.invalidValue, "Cannot \(action): \(reason).")
        default: self.init(.sqlite, "Cannot \(action): \(reason).")
        }
    }
}
