internal import CSQLite

extension Replica {
    /// Configures SQLite for this process: it does not account for memory, which it otherwise does under one lock for all
    /// connections. `sqlite3_memory_used()` then returns 0. Called by a program, once, before anything uses SQLite.
    ///
    /// - Returns: Whether SQLite accepted the setting. It refuses, without effect, once anything in the process has used it.
    @discardableResult
    public static func prepareProcess() -> Bool { csqlite_count_no_memory() == SQLITE_OK }
}
