public import RoostModel

/// A value in a predicate, before it is known what it will be compared with.
public indirect enum PredicateValue: Hashable, Sendable {
    /// Nil: equal to nil, and to nothing else.
    case null
    /// Also a day (`2026-07-14`), an instant, or an identifier, where it is compared with one.
    case text(String)
    /// A whole number; also the instant of so many milliseconds since 1970, where it is compared with one.
    case integer(Int64)
    /// A number that is not one counts as nil, as in SQL.
    case real(Double)
    /// A truth.
    case boolean(Bool)
    /// Data.
    case bytes([UInt8])
    /// An instant: milliseconds since 1970, UTC.
    case timestamp(Int64)
    /// A UUID, or the identifier of a record.
    case identifier(RecordID)
    /// What IN and BETWEEN take.
    case list([PredicateValue])

    /// What it is, for messages.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .text: "text"
        case .integer: "an integer"
        case .real: "a double"
        case .boolean: "a boolean"
        case .bytes: "data"
        case .timestamp: "a timestamp"
        case .identifier: "an identifier"
        case .list: "a list"
        }
    }
}
