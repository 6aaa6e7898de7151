internal import RoostModel

/// A value exactly as SQLite stores it: a text as its bytes, so that NFC and NFD differ, and a double as its bits.
enum ForeignValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(bits: UInt64)
    case text([UInt8])
    case blob([UInt8])

    static func real(_ number: Double) -> ForeignValue { .real(bits: number.bitPattern) }

    static func text(_ text: String) -> ForeignValue { .text(Array(text.utf8)) }

    /// The value as an SQL expression.
    var literal: String {
        switch self {
        case .null: return "NULL"
        case .integer(.min): return "(-9223372036854775807 - 1)"
        case .integer(let number): return "\(number)"
        case .real(let bits):
            let number = Double(bitPattern: bits)
            if number.isNaN { return "NULL" }
            return number.isInfinite ? (number < 0 ? "-9e999" : "9e999") : "\(number)"
        case .text(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                return "CAST(x'\(Hex.encode(bytes))' AS TEXT)"
            }
            return "'\(text.replacing("'", with: "''"))'"
        case .blob(let bytes): return "x'\(Hex.encode(bytes))'"
        }
    }

    /// Whether a client may refuse to send the value.
    var isUnusual: Bool {
        switch self {
        case .text(let bytes): bytes.count > 300 || String(validating: bytes, as: UTF8.self) == nil
        case .blob(let bytes): bytes.count > 300
        case .real(let bits): !Double(bitPattern: bits).isFinite
        case .null, .integer: false
        }
    }

    /// An abbreviation of the value, for a trace.
    var short: String {
        switch self {
        case .blob(let bytes): "x'\(Hex.encode(bytes.suffix(4)))'"
        case .text(let bytes): "'\(String(decoding: bytes.prefix(12), as: UTF8.self))'"
        default: literal
        }
    }
}

extension RecordID {
    /// The identifier as an SQL literal.
    var literal: String { "x'\(Hex.encode(bytes))'" }
}
