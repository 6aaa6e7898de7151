package import GRDB

extension Database {
    /// Runs `body` in one transaction and commits it; takes it back where `body` throws.
    package func inOneTransaction<Result>(_ kind: TransactionKind, _ body: (Database) throws -> Result) throws -> Result
    {
        var result: Result?
        try inTransaction(kind) {
            result = try body(self)
            return .commit
        }
        // Set where nothing was thrown.
        return result!
    }
}
