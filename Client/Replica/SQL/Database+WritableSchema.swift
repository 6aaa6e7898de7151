internal import CSQLite
internal import GRDB

extension Database {
    /// Runs statements with `writable_schema` on. `sqlite_schema` then accepts writes. `ALTER TABLE` skips views and triggers
    /// that SQLite cannot parse, and leaves their text as it is.
    ///
    /// Must not be used to rename a table: the triggers on it would still contain the old name.
    func withWritableSchema(_ body: () throws -> Void) throws {
        let handle = sqliteConnection
        if let handle { _ = csqlite_set_defensive(handle, 0) }
        defer { if let handle { _ = csqlite_set_defensive(handle, 1) } }
        try execute(sql: "PRAGMA writable_schema = ON")
        defer { try? execute(sql: "PRAGMA writable_schema = OFF") }
        try body()
    }
}
