internal import CSQLite
internal import GRDB

/// Savepoints that are safe to roll back.
///
/// SQLite 3.40 can leave a log that it cannot read after a crash. This happens where a full cache has made it write one page
/// twice into the log since a savepoint, and that savepoint is rolled back (decisions 133 and 217). Neither function allows that.
extension Database {
    /// Runs `body` inside a transaction. Where it throws, its writes are rolled back and earlier writes stay.
    ///
    /// Meant for small, frequent writes: it costs nothing while SQLite's cache has room.
    ///
    /// - Returns: `nil` where `body` threw.
    /// - Throws: The error of `body`, where it has ended the transaction or SQLite has spilled pages meanwhile. The whole
    ///   transaction must be rolled back then.
    func unlessItFails<Result>(_ body: () throws -> Result) throws -> Result? {
        let spilled = spilledPages
        try query("SAVEPOINT roost").run()
        do {
            let result = try resettingOnError(body)
            try query("RELEASE roost").run()
            return result
        } catch {
            guard isInsideTransaction, spilledPages == spilled else { throw error }
            connectionCache?.writesRollBack()
            try query("ROLLBACK TO roost").run()
            try query("RELEASE roost").run()
            return nil
        }
    }

    /// Runs `body` with all its changes in memory until it returns, however many they are. A savepoint that it sets can be rolled
    /// back.
    ///
    /// Meant for writes of other programs' triggers, which may exceed the cache. The setting costs two short statements.
    func keepingChangesInMemory<Result>(_ body: () throws -> Result) throws -> Result {
        // A number takes effect at once; ON and OFF do not within a transaction. 1 is the default: SQLite spills once the cache
        // exceeds its configured size.
        try executeOne("PRAGMA cache_spill = \(Int32.max)")
        defer { try? executeOne("PRAGMA cache_spill = 1") }
        return try body()
    }

    /// The number of changed pages that this connection has written before the end of their transaction, because the cache was
    /// full.
    private var spilledPages: Int32 {
        var (count, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_SPILL, &count, &highest, 0)
        return count
    }
}
