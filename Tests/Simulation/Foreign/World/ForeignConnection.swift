internal import CSQLite

/// A connection of another program, with its own PRAGMAs and without any of Roost's code.
final class ForeignConnection {
    /// An error reported by SQLite.
    struct Failure: Error, Hashable {
        /// The extended result code.
        var extended: Int32
        var message: String

        var code: Int32 { extended & 0xFF }
        var isConstraint: Bool { code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH }
        /// Whether SQLite cannot prepare or run the statement because of the schema.
        var isOfSchema: Bool { code == SQLITE_ERROR }
    }

    private var handle: OpaquePointer?

    /// A function that only the foreign programs define, and that their triggers call.
    static let function = "of_another_program"

    /// - Parameter creates: Whether to create the file if it does not exist.
    init(_ path: String, creates: Bool = false) throws {
        let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
        let result = sqlite3_open_v2(path, &handle, flags, nil)
        guard result == SQLITE_OK else { throw Failure(extended: result, message: "open: \(result)") }
        sqlite3_busy_timeout(handle, 1000)
        sqlite3_create_function_v2(
            handle, Self.function, 1, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_int(context, 1) }, nil, nil,
            nil)
    }

    deinit { sqlite3_close_v2(handle) }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Runs one or several statements, each to its end.
    func execute(_ sql: String) throws { _ = try rows(sql) }

    /// Runs one or several statements.
    ///
    /// - Returns: The rows of all of them.
    func rows(_ sql: String) throws -> [[ForeignValue]] { try table(sql).rows }

    /// Runs one or several statements.
    ///
    /// - Returns: The names of the last statement's columns, and the rows of all.
    func table(_ sql: String) throws -> (columns: [String], rows: [[ForeignValue]]) {
        var columns: [String] = []
        var rows: [[ForeignValue]] = []
        try sql.withCString { start in
            var rest: UnsafePointer<CChar>? = start
            while let next = rest, next.pointee != 0 {
                var statement: OpaquePointer?
                guard sqlite3_prepare_v2(handle, next, -1, &statement, &rest) == SQLITE_OK else { throw failure() }
                guard let statement else { continue }
                defer { sqlite3_finalize(statement) }
                columns = (0..<sqlite3_column_count(statement)).map { column in
                    sqlite3_column_name(statement, column).map { String(cString: $0) } ?? ""
                }
                try step(statement, &rows)
            }
        }
        return (columns, rows)
    }

    private func step(_ statement: OpaquePointer, _ rows: inout [[ForeignValue]]) throws {
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
            case SQLITE_DONE: return
            default: throw failure()
            }
        }
    }

    /// Overwrites a part of a value in place, as Python's `blobopen` does. No trigger runs.
    func writeBlob(_ table: String, _ column: String, rowid: Int64, _ bytes: [UInt8], at offset: Int32) throws {
        var blob: OpaquePointer?
        guard sqlite3_blob_open(handle, "main", table, column, rowid, 1, &blob) == SQLITE_OK else { throw failure() }
        let result = bytes.withUnsafeBytes { sqlite3_blob_write(blob, $0.baseAddress, Int32($0.count), offset) }
        let closed = sqlite3_blob_close(blob)
        guard result == SQLITE_OK, closed == SQLITE_OK else { throw failure() }
    }

    private func failure() -> Failure {
        Failure(extended: sqlite3_extended_errcode(handle), message: String(cString: sqlite3_errmsg(handle)))
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> ForeignValue {
        func bytes(_ start: UnsafeRawPointer?) -> [UInt8] {
            Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }
        return switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: .text(bytes(UnsafeRawPointer(sqlite3_column_text(statement, column))))
        case SQLITE_BLOB: .blob(bytes(sqlite3_column_blob(statement, column)))
        default: .null
        }
    }
}
