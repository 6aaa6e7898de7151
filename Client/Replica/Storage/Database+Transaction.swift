internal import CSQLite
package import GRDB

extension Database {
    /// Runs `body` in one transaction and commits it, or rolls it back where `body` throws.
    ///
    /// GRDB prepares the statements that begin and end a transaction each time, which takes longer than many a query. This
    /// function uses cached statements.
    package func inOneTransaction<Result>(_ kind: TransactionKind, _ body: (Database) throws -> Result) throws -> Result
    {
        let begin =
            switch kind {
            case .deferred: "BEGIN"
            case .immediate: "BEGIN IMMEDIATE"
            case .exclusive: "BEGIN EXCLUSIVE"
            }
        try query(begin).run()
        connectionCache?.transactionBegan()
        do {
            let result = try resettingOnError { try body(self) }
            // A full disk may have made SQLite roll back the transaction without `body` noticing.
            guard isInsideTransaction else {
                throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the transaction was taken back")
            }
            connectionCache?.transactionCommits()
            try query("COMMIT").run()
            return result
        } catch {
            connectionCache?.transactionRollsBack()
            if isInsideTransaction { try? query("ROLLBACK").run() }
            throw error
        }
    }

    /// Runs `body`, and resets all unfinished statements where it throws. An unfinished statement keeps the connection on an old
    /// snapshot, from which it cannot write.
    package func resettingOnError<Result>(_ body: () throws -> Result) rethrows -> Result {
        do {
            return try body()
        } catch {
            var statement = sqlite3_next_stmt(sqliteConnection, nil)
            while let current = statement {
                if sqlite3_stmt_busy(current) != 0 { sqlite3_reset(current) }
                statement = sqlite3_next_stmt(sqliteConnection, current)
            }
            throw error
        }
    }
}
