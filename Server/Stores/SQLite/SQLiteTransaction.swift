internal import CSQLiteStore
internal import GRDB
internal import RoostModel
internal import RoostProtocol
internal import RoostSQLite
internal import RoostService

/// A transaction of one connection.
final class SQLiteTransaction {
    let database: Database
    /// The locations of records that this transaction has read or written.
    var places = RecordLocations()
    /// The entries of the log that this transaction has yet to write.
    var logEntries = LogEntries()
    private var keptStatements: RecordStatements?
    /// The value of ``spilledPages`` at the start of the transaction.
    private let spilledBefore: Int32

    init(_ database: Database) {
        self.database = database
        spilledBefore = Self.spilledPages(of: database)
    }

    /// Returns the number of changed pages that this connection has written before the end of their transaction, because
    /// its cache was full.
    private static func spilledPages(of database: Database) -> Int32 {
        var (count, highest) = (Int32(0), Int32(0))
        sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_CACHE_SPILL, &count, &highest, 0)
        return count
    }

    /// Runs `body` in one transaction and commits it, or rolls it back if `body` throws.
    ///
    /// The statements that begin and commit are cached like all others: preparing one takes longer than a query of a
    /// record.
    static func run<Result>(
        _ begin: String, on database: Database, _ body: (SQLiteTransaction) throws -> Result
    ) throws -> Result {
        let transaction = SQLiteTransaction(database)
        try transaction.run(begin) { _ in }
        do {
            let result = try body(transaction)
            try transaction.logEntries.write(with: transaction)
            try transaction.run("COMMIT") { _ in }
            return result
        } catch {
            // Some errors end the transaction themselves, so that there is nothing to roll back.
            if database.isInsideTransaction { try? transaction.execute("ROLLBACK") }
            throw error
        }
    }

    /// Returns a prepared statement, cached by the connection.
    func statement(_ sql: String) throws -> SQLiteStatement {
        SQLiteStatement(try StatementCache.statement(sql, on: database).statement.sqliteStatement)
    }

    /// Returns the statements of records, looked up at their first use.
    func recordStatements() throws -> RecordStatements {
        if let keptStatements { return keptStatements }
        let statements = try RecordStatements(of: self)
        keptStatements = statements
        return statements
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(database.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK else {
            throw StoreError(database.sqliteConnection)
        }
    }

    /// The key of the row that was inserted last.
    var lastInsertedRow: Int64 { database.lastInsertedRowID }

    /// Reads the first row of a query, if there is one.
    func first<Value>(
        _ sql: String, _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws -> Value
    ) throws -> Value? {
        let statement = try statement(sql)
        defer { statement.reset() }
        bind(statement)
        return try statement.step() ? try read(statement) : nil
    }

    /// Reads every row of a query.
    func all<Value>(
        _ sql: String, _ bind: (SQLiteStatement) -> Void, _ read: (SQLiteStatement) throws -> Value
    ) throws -> [Value] {
        let statement = try statement(sql)
        defer { statement.reset() }
        bind(statement)
        var values: [Value] = []
        while try statement.step() { values.append(try read(statement)) }
        return values
    }

    /// Runs a statement that returns no rows.
    func run(_ sql: String, _ bind: (SQLiteStatement) -> Void) throws {
        let statement = try statement(sql)
        bind(statement)
        try statement.run()
    }
}

extension SQLiteTransaction: StoreTransaction {
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try logEntries.write(with: self)
        try run("SAVEPOINT job") { _ in }
        do {
            let result = try body()
            try logEntries.write(with: self)
            try run("RELEASE job") { _ in }
            return result
        } catch {
            places.forget()
            logEntries.forget()
            // A disk error may have ended the whole transaction, including the savepoint.
            guard database.isInsideTransaction else { throw error }
            // SQLite 3.40 leaves a WAL that it cannot read back after a crash, if a savepoint is rolled back in a
            // transaction whose pages are already in the WAL (decision 133).
            guard Self.spilledPages(of: database) == spilledBefore else { throw StoreError.cannotUndo }
            try execute("ROLLBACK TO job; RELEASE job")
            throw error
        }
    }

    func setting(_ name: String) throws -> [UInt8]? {
        try first("SELECT value FROM setting WHERE name = ?", { $0.bind(1, name) }, { $0.bytes(0) })
    }

    func set(_ name: String, to value: [UInt8]) throws {
        try run("INSERT OR REPLACE INTO setting(name, value) VALUES(?, ?)") {
            $0.bind(1, name)
            $0.bind(2, value)
        }
    }

    func giveBackSpace() throws -> Bool {
        // A file from before ``SQLiteLayout/shrinking`` keeps its free pages.
        let free = try first("PRAGMA freelist_count", { _ in }, { $0.int64(0) }) ?? 0
        guard free > SQLiteLayout.freePagesMax else { return false }
        try execute("PRAGMA incremental_vacuum(\(SQLiteLayout.pagesGivenBack))")
        let left = try first("PRAGMA freelist_count", { _ in }, { $0.int64(0) }) ?? 0
        return left < free && left > SQLiteLayout.freePagesMax
    }
}
