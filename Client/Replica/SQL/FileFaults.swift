internal import GRDB
internal import RoostModel

/// Faults that SQLite reports of a file or a table. Values of another program's generated columns are left out, because no page
/// of the file stores them and they need not have the type of their column.
enum FileFaults {
    /// The number of faults requested beyond those that are wanted, because values of generated columns count among them.
    private static let more = 1000

    /// Checks the whole file with all its indexes.
    ///
    /// - Returns: At most `count` faults.
    static func ofFile(atMost count: Int, _ database: Database) throws -> [String] {
        do {
            return Array(try lines("integrity_check(\(count + more))", database).prefix(count))
        } catch let error as DatabaseError where isOfAnotherProgram(error) {
            // SQLite stops at the first table that needs another program's function or collation. The tables are then checked one
            // by one, and such tables are skipped without a report.
            let tables = try database.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all { $0.text(0) }
            let faults = try (["sqlite_schema"] + tables).flatMap { table in
                do {
                    return try lines("integrity_check(\(SQLName.quoted(table)))", database)
                } catch let error as DatabaseError where isOfAnotherProgram(error) {
                    return []
                }
            }
            return Array(faults.prefix(count))
        }
    }

    /// Whether a table cannot be checked because one of its columns or indexes needs a function or collation that only the
    /// program which made it provides.
    static func isOfAnotherProgram(_ error: DatabaseError) -> Bool {
        let message = error.message ?? ""
        return error.resultCode == .SQLITE_ERROR
            && ["unknown function", "no such function", "no such collation sequence"].contains {
                message.begins(with: $0)
            }
    }

    /// Checks a table and its indexes.
    ///
    /// - Returns: The first fault; `nil` where there is none.
    static func first(in table: String, _ database: Database) throws -> String? {
        try lines("quick_check(\(SQLName.quoted(table)))", database).first
    }

    private static func lines(_ check: String, _ database: Database) throws -> [String] {
        let lines = try database.query("PRAGMA \(check)").all { $0.text(0) }
        if lines == ["ok"] { return [] }
        guard !lines.isEmpty else { return ["nothing could be read"] }
        let values = (try? generatedColumns(database))?.map { " value in \($0)" } ?? []
        return lines.filter { line in !values.contains { line.ends(with: $0) } }
    }

    private static func generatedColumns(_ database: Database) throws -> [String] {
        try database.query(
            """
            SELECT t.name || '.' || c.name FROM sqlite_schema AS t JOIN pragma_table_xinfo(t.name) AS c
            WHERE t.type = 'table' AND c.hidden IN (2, 3)
            """
        ).all { $0.text(0) }
    }
}
