internal import CSQLite
internal import GRDB
internal import RoostModel
internal import RoostSQLite

/// The form of identifiers in SQL.
extension IdentifierForm {
    /// The type of a column that holds identifiers.
    var columnType: String {
        switch self {
        case .bytes: "BLOB"
        case .text: "TEXT"
        }
    }

    /// The SQL expression that makes a new identifier, in functions of SQLite 3.40: a UUID of version 4 as bytes, and one of
    /// version 7, which begins with the time, as text. Some of their random bits are fixed, which saves calls.
    var newIdentifier: String {
        switch self {
        case .bytes: "(CAST(randomblob(6) || x'47' || randomblob(1) || x'9c' || randomblob(7) AS BLOB))"
        case .text:
            "(lower(printf('%012x7', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)) || substr(hex(randomblob(2)), 2) || '9' || substr(hex(randomblob(8)), 2)))"
        }
    }

    /// Returns the condition of a column whose type is ``columnType``: it holds an identifier, or null.
    func check(_ column: String) -> String {
        switch self {
        case .bytes: "length(\(column)) = 16"
        case .text: "length(\(column)) = 32 AND \(column) NOT GLOB '*[^0-9a-f]*'"
        }
    }

    /// Returns the condition that a value of any type is an identifier.
    func isIdentifier(_ value: String) -> String { "\(hasType(value)) AND \(check(value))" }

    /// Returns the condition that a value has the storage class of an identifier.
    func hasType(_ value: String) -> String {
        switch self {
        case .bytes: "typeof(\(value)) = 'blob'"
        case .text: "typeof(\(value)) = 'text'"
        }
    }

    /// Returns the condition that a value of any type is no identifier.
    func isNoIdentifier(_ value: String) -> String { "(\(isIdentifier(value))) IS NOT 1" }

    /// Reads the bytes that a column for identifiers holds; `nil` where they are no identifier.
    func identifier(stored bytes: [UInt8]) -> RecordID? {
        switch self {
        case .bytes: RecordID(bytes: bytes)
        case .text: bytes.withUnsafeBytes { RecordID(digits: $0) }
        }
    }

    /// Reads an argument of an SQL function as an identifier of either form; `nil` where it is none.
    static func identifier(_ value: OpaquePointer?) -> RecordID? {
        guard let start = sqlite3_value_blob(value) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
        guard sqlite3_value_type(value) == SQLITE_TEXT else {
            return bytes.count == 16 ? RecordID(loading: start) : nil
        }
        return RecordID(digits: bytes)
    }
}

extension Database {
    /// The form of the identifiers in the file.
    var identifiers: IdentifierForm { StatementCache.identifiers(on: self) }
}

/// A text of SQL for each form of identifiers, made once.
struct IdentifierSQL: Sendable {
    private let bytes: String
    private let text: String

    init(_ sql: (IdentifierForm) -> String) {
        bytes = sql(.bytes)
        text = sql(.text)
    }

    subscript(_ identifiers: IdentifierForm) -> String { identifiers == .bytes ? bytes : text }
}
