internal import CSQLite
internal import GRDB

extension Database {
    /// Runs statements with `writable_schema` on: `sqlite_schema` takes writes, and `ALTER TABLE` passes over views and triggers that
    /// SQLite cannot read, and leaves their text as it is. Not for the name of a table: the triggers on it would go on naming the old one.
    func withWritableSchema(_ body: () throws -> Void) throws {
        let handle = sqliteConnection
        if let handle { _ = csqlite_set_defensive(handle, 0) }
        defer { if let handle { _ = csqlite_set_defensive(handle, 1) } }
        try execute(sql: "PRAGMA writable_schema = ON")
        defer { try? execute(sql: "PRAGMA writable_schema = OFF") }
        try body()
    }
}
