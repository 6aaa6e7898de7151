internal import CSQLiteStore
internal import RoostModel
internal import RoostService

/// A prepared statement with direct binding and reading: on hot paths no layer is between a value and SQLite.
struct SQLiteStatement {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) {
        self.statement = statement
    }

    // MARK: Binding, columns from 1

    func bind(_ index: Int32, _ number: Int64) { bound(sqlite3_bind_int64(statement, index, number)) }
    func bind(_ index: Int32, _ number: Int) { bound(sqlite3_bind_int64(statement, index, Int64(number))) }
    /// Binds all 64 bits. Numbers from 2⁶³ read back unchanged, but sort as negative ones.
    func bind(_ index: Int32, _ number: UInt64) {
        bound(sqlite3_bind_int64(statement, index, Int64(bitPattern: number)))
    }
    func bind(_ index: Int32, _ number: UInt64?) {
        if let number { bind(index, number) } else { bound(sqlite3_bind_null(statement, index)) }
    }
    func bind(_ index: Int32, _ scope: ScopeKey) { bind(index, scope.rawValue) }
    func bind(_ index: Int32, _ replica: ReplicaID) { bind(index, replica.rawValue) }

    func bind(_ index: Int32, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bound(csqlitestore_bind_blob(statement, index, $0.baseAddress, Int32($0.count))) }
    }

    func bind(_ index: Int32, _ id: RecordID) {
        var halves = (id.high.bigEndian, id.low.bigEndian)
        withUnsafeBytes(of: &halves) { bound(csqlitestore_bind_blob(statement, index, $0.baseAddress, 16)) }
    }

    func bind(_ index: Int32, _ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                bound(csqlitestore_bind_text(statement, index, $0.baseAddress, Int32($0.count)))
            }
        }
    }

    /// Traps in debug builds if a parameter could not be bound: its index is wrong, or the statement has not been reset.
    private func bound(_ code: Int32) {
        assert(code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG, "cannot bind (\(code))")
    }

    /// Traps in debug builds if there is no row, or the row has no column with this index.
    private func checked(_ column: Int32) -> Int32 {
        assert(column >= 0 && column < sqlite3_data_count(statement), "no column \(column)")
        return column
    }

    // MARK: Running

    /// Moves to the next row; `false` at the end.
    func step() throws -> Bool {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw StoreError(sqlite3_db_handle(statement))
        }
    }

    /// Runs a statement that returns no rows.
    func run() throws {
        defer { reset() }
        _ = try step()
    }

    /// Releases the statement's row and bindings, so that it can be used again.
    func reset() {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
    }

    // MARK: Reading, columns from 0

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, checked(column)) == SQLITE_NULL }
    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, checked(column)) }
    func int(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, checked(column))) }
    func uint64(_ column: Int32) -> UInt64 { UInt64(bitPattern: sqlite3_column_int64(statement, checked(column))) }
    /// Reads a replica; `nil` if the column is 0, as in rows of earlier formats.
    func known(_ column: Int32) -> ReplicaID? {
        let id = replica(column)
        return id == .unregistered ? nil : id
    }

    func replica(_ column: Int32) -> ReplicaID { ReplicaID(rawValue: uint64(column)) }
    func bytes(_ column: Int32) -> [UInt8] { Array(raw(column)) }

    func text(_ column: Int32) -> String { String(decoding: raw(column), as: UTF8.self) }

    /// Returns the bytes of a column, valid until the next step.
    func raw(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, checked(column))
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}

extension StoreError {
    /// Makes the error for a connection's most recent failure.
    init(_ connection: OpaquePointer?) {
        let reason = connection.map { String(cString: sqlite3_errmsg($0)) } ?? "no connection"
        self.init(code: connection.map { sqlite3_errcode($0) } ?? SQLITE_ERROR, reason: reason)
    }

    init(code: Int32, reason: String) {
        // The WAL index cannot grow, which SQLite does not report as a full disk.
        guard code != Self.indexCannotGrow else {
            self = .full
            return
        }
        switch code & 0xFF {
        case SQLITE_FULL: self = .full
        case SQLITE_BUSY: self = .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .damaged(reason)
        default: self = .failing(reason)
        }
    }

    /// The code `SQLITE_IOERR_SHMSIZE`, which C defines by a macro that Swift does not import.
    private static let indexCannotGrow: Int32 = SQLITE_IOERR | 19 << 8
}
