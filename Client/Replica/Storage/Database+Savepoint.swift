internal import CSQLite
internal import GRDB

/// Savepoints that can be rolled back. SQLite 3.40 leaves a log that it cannot read back after a crash where it had written one
/// page twice into it since a savepoint, for want of room, and that savepoint is rolled back (decisions 133 and 217). Neither function
/// allows that.
extension Database {
    /// Runs `body` inside a transaction; its writes are rolled back where it throws, and earlier writes stay.
    ///
    /// For what writes little, and often: it costs nothing while there is room in SQLite's cache.
    ///
    /// - Returns: `nil` where it threw.
    /// - Throws: What it threw, where that has ended the transaction, or where the cache has become too small meanwhile: all of the
    ///   transaction has to be rolled back then.
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

    /// Runs `body` with all that it changes in memory until its end, however much that is: a savepoint that it sets can be rolled back.
    ///
    /// For what triggers of other programs write, which may be more than the cache holds. Setting it costs two short statements.
    func keepingChangesInMemory<Result>(_ body: () throws -> Result) throws -> Result {
        // A number counts at once; ON and OFF do not within a transaction. 1 is the default: as many pages as the cache is for.
        try executeOne("PRAGMA cache_spill = \(Int32.max)")
        defer { try? executeOne("PRAGMA cache_spill = 1") }
        return try body()
    }

    /// How many changed pages this connection has written before the end of their transaction, for want of room.
    private var spilledPages: Int32 {
        var (count, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(sqliteConnection, SQLITE_DBSTATUS_CACHE_SPILL, &count, &highest, 0)
        return count
    }
}
