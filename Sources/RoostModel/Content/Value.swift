/// The value of one attribute, in the form in which it is stored and sent.
///
/// The type of an attribute determines the case of its values: see ``Attribute/Kind``.
///
///     let name = Value.string("Zoé")
///     name == .string("Zoe\u{301}")       // false: the bytes differ
///     Value.double(0) == .double(-0.0)    // false: the bits differ
///
/// Two values are equal if their encoded bytes are equal. Texts are not compared by canonical equivalence, and doubles are
/// compared by their bit pattern: every NaN equals itself.
public enum Value: Sendable {
    /// An explicit nil, for attributes that have a default.
    case null
    /// The value of a `string`, a `date` (`YYYY-MM-DD`) or a `json` (its text).
    case string(String)
    /// The value of an `integer`, or a `timestamp` (milliseconds since 1970, UTC).
    case integer(Int64)
    /// The value of a `double`.
    case double(Double)
    /// The value of a `boolean`.
    case boolean(Bool)
    /// The value of a `uuid` (16 bytes) or a `data`.
    case data([UInt8])
}

extension Value: Hashable {
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let left), .string(let right)): left.isSameText(as: right)
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.boolean(let left), .boolean(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .string(let text):
            hasher.combine(1)
            text.hashBytes(into: &hasher)
        case .integer(let number):
            hasher.combine(2)
            hasher.combine(number)
        case .double(let number):
            hasher.combine(3)
            hasher.combine(number.bitPattern)
        case .boolean(let flag):
            hasher.combine(4)
            hasher.combine(flag)
        case .data(let bytes):
            hasher.combine(5)
            hasher.combine(bytes)
        }
    }
}
