internal import CSQLite
package import Replica
package import RoostModel

/// A connection to an SQLite file without any of Roost's code. It stands for another program, or for a file without tracking.
package final class RawDatabase {
    private let handle: OpaquePointer

    /// Opens or creates the file, with a write-ahead log.
    ///
    /// - Parameters:
    ///   - pageBytes: The page size of a new file; SQLite's default otherwise.
    ///   - cacheMebibytes: The size of the page cache.
    package init(_ path: String, _ durability: Durability, pageBytes: Int = 4096, cacheMebibytes: Int = 16) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
            sqlite3_close(opened)
            throw BenchmarkError("Cannot open the database \"\(path)\".")
        }
        handle = opened
        sqlite3_busy_timeout(handle, 10_000)
        try execute("PRAGMA page_size = \(pageBytes); PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        try execute("PRAGMA cache_size = \(-1024 * cacheMebibytes); PRAGMA foreign_keys = OFF")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    package func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    package func prepare(_ sql: String) throws -> RawStatement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure(sql) }
        return RawStatement(statement, of: self)
    }

    /// Returns the first column of the first row.
    package func integer(_ sql: String) throws -> Int {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(0) : 0
    }

    package func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        try body()
        try execute("COMMIT")
    }

    fileprivate func failure(_ sql: String) -> BenchmarkError {
        BenchmarkError("SQLite refuses \"\(sql.prefix(60))\": \(String(cString: sqlite3_errmsg(handle)))")
    }
}

/// A prepared statement with manual binding.
package final class RawStatement {
    private let handle: OpaquePointer
    private let database: RawDatabase

    fileprivate init(_ handle: OpaquePointer, of database: RawDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit {
        sqlite3_finalize(handle)
    }

    package func bind(_ index: Int32, _ id: RecordID) {
        var words = (id.high.bigEndian, id.low.bigEndian)
        _ = withUnsafeBytes(of: &words) { sqlite3_bind_blob(handle, index, $0.baseAddress, 16, csqlite_transient()) }
    }

    package func bind(_ index: Int32, _ text: String) {
        sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), csqlite_transient())
    }

    package func bind(_ index: Int32, _ number: Int64) { sqlite3_bind_int64(handle, index, number) }

    package func bind(_ index: Int32, _ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes {
            sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), csqlite_transient())
        }
    }

    package func integer(_ index: Int32) -> Int { Int(sqlite3_column_int64(handle, index)) }

    package func bytes(_ index: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, index) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Reads a column and discards its value.
    package func touch(_ index: Int32) { _ = sqlite3_column_bytes(handle, index) }

    /// Steps to the next row. After the last one, the statement can be bound again.
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        default:
            sqlite3_reset(handle)
            throw database.failure(String(cString: sqlite3_sql(handle)))
        }
    }

    package func run() throws {
        while try step() {}
    }

    package func reset() { sqlite3_reset(handle) }
}
