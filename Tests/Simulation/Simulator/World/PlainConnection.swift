internal import CSQLite
internal import RoostModel

/// A connection without Roost's code, like that of the `sqlite3` shell or of a report tool.
final class PlainConnection {
    struct Failure: Error, Hashable {
        var code: Int32
        var message: String
    }

    private var handle: OpaquePointer?

    init(_ path: String) throws {
        let result = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
        guard result == SQLITE_OK else { throw Failure(code: result, message: "open") }
        sqlite3_busy_timeout(handle, 1000)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private var statements: [String: OpaquePointer] = [:]

    /// Returns the rows of a query, which is prepared once; each value in the form of its SQL storage class.
    func select(_ sql: String, _ argument: Int64? = nil) throws -> [[Value]] {
        let statement = try prepared(sql)
        defer { sqlite3_reset(statement) }
        if let argument { sqlite3_bind_int64(statement, 1, argument) }
        var rows: [[Value]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
            case SQLITE_DONE: return rows
            case let code: throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
            }
        }
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
        guard result == SQLITE_OK, let statement else {
            throw Failure(code: result, message: String(cString: sqlite3_errmsg(handle)))
        }
        statements[sql] = statement
        return statement
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> Value {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: .double(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .string(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
        case SQLITE_BLOB:
            .data(
                Array(
                    UnsafeRawBufferPointer(
                        start: sqlite3_column_blob(statement, column),
                        count: Int(sqlite3_column_bytes(statement, column)))))
        default: .null
        }
    }

    /// Runs the statements in one transaction, which is rolled back if one fails.
    ///
    /// - Returns: The number of rows that each statement changed.
    func transaction(_ statements: [String]) throws -> [Int] {
        do {
            try execute("BEGIN IMMEDIATE")
            let changes = try statements.map { statement in
                try execute(statement)
                return Int(sqlite3_changes(handle))
            }
            try execute("COMMIT")
            return changes
        } catch {
            if let handle, sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    /// Returns the fault that SQLite finds in the file; `nil` for none.
    func integrityFault(withChecks: Bool = true) throws -> String? {
        if !withChecks { try execute("PRAGMA ignore_check_constraints = ON") }
        defer { if !withChecks { try? execute("PRAGMA ignore_check_constraints = OFF") } }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        let result = sqlite3_prepare_v2(handle, "PRAGMA integrity_check", -1, &statement, nil)
        guard result == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { throw Failure(code: sqlite3_errcode(handle), message: String(cString: sqlite3_errmsg(handle))) }
        let found = String(cString: text)
        return found == "ok" ? nil : found
    }

    private func execute(_ sql: String) throws {
        let result = sqlite3_exec(handle, sql, nil, nil, nil)
        guard result == SQLITE_OK else {
            throw Failure(code: result, message: String(cString: sqlite3_errmsg(handle)))
        }
    }
}
