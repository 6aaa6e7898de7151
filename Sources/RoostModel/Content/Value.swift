/// The value of one attribute, in the form in which it is stored and sent.
///
/// Which case an attribute uses is said by its type: see ``Attribute/Kind``.
public enum Value: Hashable, Sendable {
    /// An explicit nil, for attributes that have a default to tell it from.
    case null
    /// `string`, `date` (`YYYY-MM-DD`) and `json` (its text).
    case text(String)
    /// `integer`, and `timestamp` (milliseconds since 1970, UTC).
    case integer(Int64)
    /// `double`.
    case real(Double)
    /// `boolean`.
    case boolean(Bool)
    /// `uuid` (16 bytes) and `data`.
    case bytes([UInt8])
}
