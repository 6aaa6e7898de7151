internal import CSQLite
package import GRDB

extension Database {
    /// Runs `body` in one transaction and commits it; takes it back where `body` throws.
    package func inOneTransaction<Result>(_ kind: TransactionKind, _ body: (Database) throws -> Result) throws -> Result
    {
        var result: Result?
        try inTransaction(kind) {
            result = try resettingOnError { try body(self) }
            return .commit
        }
        // Set where nothing was thrown.
        return result!
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
