internal import CSQLite
package import GRDB

extension Database {
    /// Runs `body` in one transaction and commits it; takes it back where `body` throws.
    ///
    /// GRDB prepares the statements that begin and end a transaction anew each time, which takes longer than many a look.
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
            // A full disk may have ended the transaction by itself, with `body` none the wiser.
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

    /// Runs `body`, and gives up the rows that it has not read where it throws: a statement that stands on a row keeps the connection in the
    /// past, and nothing can be written from there.
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
