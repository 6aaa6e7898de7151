internal import CSQLite
package import GRDB
package import RoostModel
internal import RoostSQLite

/// A prepared statement that is bound and read through SQLite's C interface. The bulk paths run a few queries for each record.
///
/// GRDB prepares the statement, and ``StatementCache`` caches it. Queries with equal text share one statement, so each must be
/// finished before the next one with that text is made.
package struct Query {
    /// The only property with a reference count, because a query is passed on several times for each record.
    fileprivate let statement: Statement
    private let handle: OpaquePointer
    /// The form in which the file stores identifiers.
    let identifiers: IdentifierForm

    init(_ database: Database, _ sql: String) throws {
        (statement, identifiers) = try StatementCache.statement(sql, on: database)
        handle = statement.sqliteStatement
        sqlite3_reset(handle)
    }

    // MARK: Binding (indexes start at 1)

    /// Binds an identifier in the form of the file.
    package func bind(_ index: Int32, _ id: RecordID) {
        switch identifiers {
        case .bytes: bind(index, high: id.high, low: id.low)
        case .text: bind(index, id.digits)
        }
    }

    func bind(_ index: Int32, _ stamp: HybridTimestamp) { bind(index, high: stamp.time, low: stamp.replica.rawValue) }

    /// Binds an identifier, a stamp or a hash without copying it, or null.
    func bind(_ index: Int32, _ word: BlobScratch.Word?) {
        guard let word else { return bindNull(index) }
        if word.isText {
            let start = word.start.assumingMemoryBound(to: CChar.self)
            bound(sqlite3_bind_text(handle, index, start, Int32(RecordID.digitCount), nil))
        } else {
            bound(sqlite3_bind_blob(handle, index, word.start, 16, nil))
        }
    }

    /// Calls `body` with an identifier bound without copying it. The parameter must be bound again before the statement runs
    /// again.
    func with<Result>(_ index: Int32, _ id: RecordID, _ body: () throws -> Result) throws -> Result {
        try BlobScratch.withRoom(for: 1, identifiers) { words in
            bind(index, words.add(id))
            return try body()
        }
    }

    /// Binds what a column for identifiers holds, as ``bytes(_:)`` read it, also where a damaged file holds something else.
    func bind(_ index: Int32, identifierBytes bytes: [UInt8]) {
        guard identifiers == .text else { return bind(index, bytes) }
        bytes.withUnsafeBytes {
            let start = $0.baseAddress?.assumingMemoryBound(to: CChar.self)
            bound(sqlite3_bind_text(handle, index, start ?? Self.noText, Int32($0.count), csqlite_transient()))
        }
    }

    /// The address of a text without characters, because SQLite binds null for no address.
    private static var noText: UnsafePointer<CChar> { ("" as StaticString).cString }

    /// Binds a number of at most 64 bits.
    package func bind(_ index: Int32, _ number: some BinaryInteger) {
        bound(sqlite3_bind_int64(handle, index, Int64(number)))
    }

    /// Binds a pointer for one of Roost's SQL functions, which checks its kind. SQL reads it as null (sqlite.org/bindptr.html).
    func bind(_ index: Int32, _ address: UnsafeMutableRawPointer, kind: StaticString) {
        bound(sqlite3_bind_pointer(handle, index, address, kind.cString, nil))
    }

    func bindNull(_ index: Int32) { bound(sqlite3_bind_null(handle, index)) }
    /// Binds null to all parameters.
    func clearBindings() { sqlite3_clear_bindings(handle) }

    func bind(_ index: Int32, _ text: String) {
        // The length is given, so that a NUL inside the text does not end it.
        bound(sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), csqlite_transient()))
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) {
        if bytes.isEmpty {
            bound(sqlite3_bind_zeroblob(handle, index, 0))
        } else {
            bytes.withUnsafeBytes {
                bound(sqlite3_bind_blob(handle, index, $0.baseAddress, Int32($0.count), csqlite_transient()))
            }
        }
    }

    /// Binds a value in the form of its storage class.
    package func bind(_ index: Int32, _ value: Value) {
        switch value {
        case .null: bindNull(index)
        case .string(let text): bind(index, text)
        case .integer(let number): bind(index, number)
        case .double(let number): bound(sqlite3_bind_double(handle, index, number))
        case .boolean(let flag): bind(index, flag ? 1 : 0)
        case .data(let bytes): bind(index, bytes)
        }
    }

    /// Binds a value of an attribute, or a reference as a `uuid`, in the form in which the file stores it.
    package func bind(_ index: Int32, _ value: Value, as kind: Attribute.Kind) {
        bind(index, kind == .uuid ? identifiers.stored(value) : value)
    }

    /// Binds a value without copying it. The statement must run before the value's bytes are freed, and the parameter must be
    /// bound again before it runs again.
    func bind(_ index: Int32, inPlace value: ContentReader.RawValue) {
        switch value {
        case .null: bindNull(index)
        case .text(let text):
            // An empty buffer may have no address, and SQLite would bind null for it.
            let start = text.baseAddress.map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
            if text.isEmpty {
                bind(index, "")
            } else {
                bound(sqlite3_bind_text(handle, index, start, Int32(text.count), nil))
            }
        // A column stores only text that every reader accepts: U+FFFD replaces bytes that are not UTF-8.
        case .malformedText: bind(index, value.value)
        case .integer(let number): bind(index, number)
        case .real(let number): bound(sqlite3_bind_double(handle, index, number))
        case .boolean(let flag): bind(index, flag ? 1 : 0)
        case .bytes(let bytes):
            if bytes.isEmpty {
                bound(sqlite3_bind_zeroblob(handle, index, 0))
            } else {
                bound(sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count), nil))
            }
        case .identifier(let id): bind(index, id)
        }
    }

    /// Binds the value in a column of another query's row, unchanged. That row may be of another file.
    func bind(_ index: Int32, columnOf other: Query, _ column: Int32) {
        bound(sqlite3_bind_value(handle, index, sqlite3_column_value(other.handle, other.checked(column))))
    }

    /// Binds a copy of an `sqlite3_value`, or null for `nil`.
    func bind(_ index: Int32, _ value: OpaquePointer?) {
        if let value { bound(sqlite3_bind_value(handle, index, value)) } else { bindNull(index) }
    }

    func bind<Item>(_ index: Int32, _ item: Item?, _ some: (Int32, Item) -> Void) {
        if let item { some(index, item) } else { bindNull(index) }
    }

    private func bind(_ index: Int32, high: UInt64, low: UInt64) {
        var words = (high.bigEndian, low.bigEndian)
        withUnsafeBytes(of: &words) {
            bound(sqlite3_bind_blob(handle, index, $0.baseAddress, 16, csqlite_transient()))
        }
    }

    /// Traps in debug builds if a parameter could not be bound: its index is wrong, or the statement has not been reset.
    private func bound(_ code: Int32) {
        assert(
            code == SQLITE_OK || code == SQLITE_NOMEM || code == SQLITE_TOOBIG,
            "cannot bind (\(code)): \(statement.sql)")
    }

    /// Traps in debug builds if there is no row, or the row has no column with this index.
    private func checked(_ index: Int32) -> Int32 {
        assert(index >= 0 && index < sqlite3_data_count(handle), "no column \(index): \(statement.sql)")
        return index
    }

    // MARK: Running

    /// Steps to the next row.
    ///
    /// - Returns: Whether there is one. After the last row, the statement is reset and can be bound again.
    package func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            sqlite3_reset(handle)
            return false
        case let code:
            let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
            sqlite3_reset(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
        }
    }

    /// Resets the statement and discards the unread rows.
    func reset() { sqlite3_reset(handle) }

    /// Runs the statement to its end and ignores its rows.
    package func run() throws {
        while try step() {}
    }

    /// The number of rows that the connection's last statement has written. It equals GRDB's `changesCount`, which checks the
    /// current queue each time.
    var rowsWritten: Int { Int(sqlite3_changes64(sqlite3_db_handle(handle))) }

    /// The number (rowid) of the row that the connection inserted last.
    var insertedRow: Int64 { sqlite3_last_insert_rowid(sqlite3_db_handle(handle)) }

    /// Resets ``hasInserted``, which then reports later inserts only.
    func forgetInserted() { sqlite3_set_last_insert_rowid(sqlite3_db_handle(handle), 0) }

    /// Whether the connection has inserted a row since ``forgetInserted()``. An upsert of existing rows only updates them. SQLite
    /// numbers rows from 1, so 0 means none.
    var hasInserted: Bool { sqlite3_last_insert_rowid(sqlite3_db_handle(handle)) != 0 }

    /// Returns the number of rows visited by full table scans since the last call (sqlite.org/c3ref/c_stmtstatus_counter.html).
    func rowsPassed() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1)) }

    /// Reads the first row, if there is one.
    package func first<Result>(_ read: (Query) throws -> Result) throws -> Result? {
        guard try step() else { return nil }
        defer { sqlite3_reset(handle) }
        return try read(self)
    }

    /// Reads all rows.
    package func all<Result>(_ read: (Query) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        while try step() { results.append(try read(self)) }
        return results
    }

    // MARK: Reading (indexes start at 0)

    /// Whether a column of the row is null.
    package func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, checked(index)) == SQLITE_NULL }
    /// Reads a column as an integer; 0 where it is none.
    package func integer(_ index: Int32) -> Int64 { sqlite3_column_int64(handle, checked(index)) }
    func optionalInteger(_ index: Int32) -> Int64? { isNull(index) ? nil : integer(index) }

    /// Reads a column as text; empty where it is none.
    package func text(_ index: Int32) -> String {
        guard let start = sqlite3_column_text(handle, checked(index)) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func optionalText(_ index: Int32) -> String? { isNull(index) ? nil : text(index) }

    func bytes(_ index: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, checked(index)) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Returns the bytes of a column as an SQL blob literal.
    func blobLiteral(_ index: Int32) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return
            "X'\(String(decoding: bytes(index).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self))'"
    }

    func optionalBytes(_ index: Int32) -> [UInt8]? { isNull(index) ? nil : bytes(index) }
    /// Reads a column as an identifier; `nil` where it is none in the form of the file.
    package func id(_ index: Int32) -> RecordID? {
        switch identifiers {
        case .bytes: wide(index).map { RecordID(loading: $0) }
        case .text: digits(index)
        }
    }

    private func digits(_ index: Int32) -> RecordID? {
        guard sqlite3_column_type(handle, checked(index)) == SQLITE_TEXT,
            let start = sqlite3_column_text(handle, index)
        else { return nil }
        return RecordID(
            digits: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index))))
    }

    /// Reads a record key from two columns, entity and identifier. It is `nil` where they are not a valid key, as in a corrupt
    /// file.
    func key(_ index: Int32) -> RecordKey? {
        guard let entity = UInt32(exactly: integer(index)), let id = id(index + 1) else { return nil }
        return RecordKey(entity: EntityID(entity), id: id)
    }

    func stamp(_ index: Int32) -> HybridTimestamp? { wide(index).map { HybridTimestamp(loading: $0) } }
    func hash(_ index: Int32) -> ContentHash? { wide(index).map { ContentHash(loading: $0) } }

    /// Reads a column in the form of its own storage class. `kind` tells a Boolean from an integer, and a UUID or reference
    /// from a text.
    package func value(_ index: Int32, as kind: Attribute.Kind) -> Value { rawValue(index, as: kind).value }

    /// Reads a column like ``value(_:as:)``, but without copying: the value is valid until the next step. Text may not be UTF-8.
    func rawValue(_ index: Int32, as kind: Attribute.Kind) -> ContentReader.RawValue {
        func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index)))
        }
        return switch sqlite3_column_type(handle, checked(index)) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: kind == .boolean ? .boolean(integer(index) != 0) : .integer(integer(index))
        case SQLITE_FLOAT: .real(sqlite3_column_double(handle, checked(index)))
        case SQLITE_TEXT where kind == .uuid && identifiers == .text:
            digits(index).map { .identifier($0) } ?? .text(bytes(sqlite3_column_text(handle, checked(index))))
        case SQLITE_TEXT: .text(bytes(sqlite3_column_text(handle, checked(index))))
        default: .bytes(bytes(sqlite3_column_blob(handle, checked(index))))
        }
    }

    /// Reads one column for each kind, each in the form of its own storage class.
    package func values(from first: Int32, as kinds: [Attribute.Kind]) -> [Value] {
        [Value](unsafeUninitializedCapacity: kinds.count) { buffer, count in
            for kind in kinds {
                (buffer.baseAddress.unsafelyUnwrapped + count).initialize(to: value(first + Int32(count), as: kind))
                count += 1
            }
        }
    }

    private func wide(_ index: Int32) -> UnsafeRawPointer? {
        guard let start = sqlite3_column_blob(handle, checked(index)), sqlite3_column_bytes(handle, index) == 16 else {
            return nil
        }
        return UnsafeRawPointer(start)
    }
}

extension StaticString {
    /// The address of the characters, which a zero byte follows.
    var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

extension Database {
    /// Makes a query that is ready to be bound.
    package func query(_ sql: String) throws -> Query { try Query(self, sql) }

    /// Whether a table has no rows.
    func isEmpty(_ table: String) throws -> Bool {
        try query("SELECT 1 FROM \(table) LIMIT 1").first { _ in true } == nil
    }

    /// Whether a table has more rows than `count`.
    func hasMore(than count: Int, in table: String) throws -> Bool {
        let query = try query("SELECT 1 FROM \(table) LIMIT 1 OFFSET ?")
        query.bind(1, count)
        return try query.first { _ in true } ?? false
    }
}

extension Query {
    /// The values of all columns of the row, each in the form of its storage class.
    var row: [Value] {
        (0..<sqlite3_column_count(handle)).map { value($0, as: .data) }
    }
}
