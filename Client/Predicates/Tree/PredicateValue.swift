public import RoostModel

/// A value in a predicate, before binding gives it the type of the other operand.
public indirect enum PredicateValue: Sendable {
    /// Nil: equal to nil, and to nothing else.
    case null
    /// A text; also a day (`2026-07-14`), an instant, or an identifier, if it is compared with one.
    case string(String)
    /// An integer; also an instant in milliseconds since 1970, if it is compared with one.
    case integer(Int64)
    /// A double. NaN counts as nil, as in SQL.
    case double(Double)
    /// A boolean.
    case boolean(Bool)
    /// Data.
    case data([UInt8])
    /// An instant: milliseconds since 1970, UTC.
    case timestamp(Int64)
    /// A UUID, or the identifier of a record.
    case identifier(RecordID)
    /// The operand of IN and BETWEEN.
    case list([PredicateValue])

    /// The kind of value, for messages.
    var kindName: String {
        switch self {
        case .null: "nil"
        case .string: "text"
        case .integer: "an integer"
        case .double: "a double"
        case .boolean: "a boolean"
        case .data: "data"
        case .timestamp: "a timestamp"
        case .identifier: "an identifier"
        case .list: "a list"
        }
    }
}

extension PredicateValue: Hashable {
    /// Compares texts by bytes and doubles by bits, like ``Value``.
    public static func == (left: PredicateValue, right: PredicateValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let left), .string(let right)): left.isSameText(as: right)
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.boolean(let left), .boolean(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.identifier(let left), .identifier(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .string(let text): text.hashBytes(into: &hasher)
        case .integer(let number), .timestamp(let number): hasher.combine(number)
        case .double(let number): hasher.combine(number.bitPattern)
        case .boolean(let flag): hasher.combine(flag)
        case .data(let bytes): hasher.combine(bytes)
        case .identifier(let id): hasher.combine(id)
        case .list(let values): hasher.combine(values)
        }
    }
}
