internal import CSQLite

extension Replica {
    /// Sets SQLite up for this process: it does not count the memory that it takes, which it otherwise does under one lock for
    /// all connections. To be called by a program, once, before anything uses SQLite; `sqlite3_memory_used()` says 0 then.
    ///
    /// - Returns: Whether SQLite took it: not once anything in the process has used it, and then nothing has changed.
    @discardableResult
    public static func prepareProcess() -> Bool { csqlite_count_no_memory() == SQLITE_OK }
}
