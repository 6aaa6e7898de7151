internal import GRDB
internal import RoostModel

/// The format version of a replica file, and the migration of earlier formats.
///
/// Format 7 differs from format 6 in that the device token is in a file of its own (``TokenMove``). Format 8 is format 7 with
/// identifiers as text; a file with identifiers as bytes stays at format 7, which earlier programs read.
///
/// From format 6 on, the version is stored in `roost_state`. `PRAGMA user_version` has it too, for earlier programs. Roost does
/// not rely on that one, because frameworks of other programs store numbers of their own there. Earlier formats are recognised by
/// their tables.
enum FileFormat {
    /// The latest version that this code reads. A file with a greater one is refused.
    static let newest = 8

    /// The version of a file with identifiers as bytes, to which earlier formats are migrated.
    static let current = 7

    private static func version(_ identifiers: IdentifierForm) -> Int { identifiers == .bytes ? current : newest }

    /// Reads the form of the file's identifiers.
    static func identifiers(_ database: Database) throws -> IdentifierForm {
        guard let text = try StateStore(database: database).text(.identifiers) else { return .bytes }
        return IdentifierForm(rawValue: text) ?? .bytes
    }

    /// Returns the format of the file; `nil` where it is not a replica.
    static func version(_ database: Database) throws -> Int? {
        let tables = Set(
            try String.fetchAll(
                database,
                sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'roost\\_%' ESCAPE '\\'")
        )
        guard tables.contains("roost_control"), tables.contains("roost_state") else { return nil }
        if let written = try StateStore(database: database).text(.format) { return Int(written) ?? newest + 1 }
        if try hasColumn("checkpoint", of: "roost_control", database) { return 5 }
        if tables.contains("roost_mark") { return 4 }
        if tables.contains("roost_journal_day") { return 3 }
        return tables.contains("roost_pulled") ? 2 : 1
    }

    /// Checks that the file is a replica whose format and text encoding this code reads.
    ///
    /// - Parameter action: The action that fails for a replica of a later format, such as "open".
    static func check(_ database: Database, _ path: String, _ action: String) throws {
        guard let version = try version(database) else {
            throw ReplicaError(.notAReplica, "Cannot \(action) \"\(path)\": \(try OtherFile(database).words)")
        }
        try checkTexts(database, path, action)
        guard version > newest else { return }
        throw ReplicaError(
            .newerFormat,
            "Cannot \(action) the replica \"\(path)\": its format is \(version), this Roost reads up to \(newest). Update Roost."
        )
    }

    /// Checks that the file's texts are UTF-8, because they are compared and hashed by their bytes as SQLite stores them.
    static func checkTexts(_ database: Database, _ path: String, _ action: String) throws {
        guard let encoding = try database.query("PRAGMA encoding").first({ $0.text(0) }), encoding != "UTF-8" else {
            return
        }
        throw ReplicaError(
            .notAReplica,
            "Cannot \(action) the replica \"\(path)\": its texts are \(encoding), and Roost reads UTF-8. Make it again: sqlite3 \(ShellWord.quoted(path)) .dump | sqlite3 NEW.roost"
        )
    }

    /// Records the current format in a file that has it.
    static func write(_ database: Database) throws {
        let version = version(try identifiers(database))
        try StateStore(database: database).set(.format, .string("\(version)"))
        try database.executeOne("PRAGMA user_version = \(version)")
    }

    /// Migrates a file of an earlier format to the current one, in one transaction. Rows are compared with their facts
    /// afterwards, because the layout is not known to be verified (``LayoutVerification``).
    ///
    /// - Parameter path: The path of the file, next to which its token is stored.
    static func update(_ queue: DatabaseQueue, _ path: String) throws {
        guard try queue.read({ try isEarlier($0) || TokenMove.isDue($0) }) else { return }
        try queue.writeWithoutTransaction { database in
            // Tokens must not stay in pages that become free.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            defer { try? database.execute(sql: "PRAGMA secure_delete = FAST") }
            // The migration edits CHECK constraints in the schema table, as sqlite.org/lang_altertable.html describes.
            defer { try? database.execute(sql: "PRAGMA writable_schema = RESET") }
            try database.inTransaction(.immediate) {
                // Another process may have migrated the file first.
                if try isEarlier(database) { try steps(database) }
                try TokenMove.run(database, path)
                return .commit
            }
        }
    }

    private static func isEarlier(_ database: Database) throws -> Bool {
        try version(database).map { $0 < current } ?? false
    }

    private static func steps(_ database: Database) throws {
        let version = try version(database) ?? current
        if version < 6 { try tableSteps(database, from: version) }
        try write(database)
    }

    private static func tableSteps(_ database: Database, from version: Int) throws {
        if version < 2 { try database.execute(sql: TableSQL.secondFormat(.bytes)) }
        if version < 3 { try database.execute(sql: TableSQL.thirdFormat(.bytes)) }
        if version < 4 { try database.execute(sql: TableSQL.fourthFormat) }
        if version < 5 { try database.execute(sql: TableSQL.fifthFormat) }
        try TriggerSQL.dropAll(in: database)
        try database.execute(sql: TableSQL.sixthFormat(.bytes))
        // The schema is read inside the transaction, because another process may have migrated it.
        let layout = Layout(try Schema(json: try StateStore(database: database).text(.schema) ?? ""), .bytes)
        for table in layout.tables {
            try dropJSONChecks(of: table, database)
            try TriggerSQL.make(table, in: layout, database)
        }
    }

    /// Removes `json_valid()` from the CHECK constraints of a table. Formats up to 5 have it, and SQLite 3.40 does not treat it
    /// as innocuous. A program that does not trust the file's schema could read no such table.
    private static func dropJSONChecks(of table: EntityTable, _ database: Database) throws {
        for column in table.columns {
            guard case .attribute(let attribute) = column.kind, attribute.kind == .json else { continue }
            let check = " CHECK(\(column.quoted) IS NULL OR json_valid(\(column.quoted)))"
            try database.withWritableSchema {
                try database.execute(
                    sql: "UPDATE sqlite_schema SET sql = replace(sql, ?, '') WHERE type = 'table' AND lower(name) = ?",
                    arguments: [check, table.table])
            }
        }
    }

    private static func hasColumn(_ name: String, of table: String, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database, sql: "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?) WHERE name = ?)",
            arguments: [table, name]
        ) ?? false
    }
}
