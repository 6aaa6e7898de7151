/// A named, typed value that every record of an entity has.
public struct Attribute: Hashable, Sendable {
    /// The type of an attribute, and with it the form of its ``Value``.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Text.
        case string
        /// A 64-bit integer.
        case integer
        /// A 64-bit floating-point number.
        case double
        /// True or false.
        case boolean
        /// A day without a time zone, `YYYY-MM-DD`.
        case date
        /// An instant: milliseconds since 1970, UTC.
        case timestamp
        /// A UUID, as its 16 bytes.
        case uuid
        /// Bytes.
        case data
        /// JSON text.
        case json
    }

    /// The stable number in its entity; a rename keeps it.
    public var id: PropertyID
    /// The name, which is also the column's name. `Docs/schema.md` has the rules.
    public var name: String
    /// The type of its values.
    public var kind: Kind
    /// Whether the attribute may be nil.
    public var isOptional: Bool
    /// The value of a record that does not give one.
    public var defaultValue: Value?
    /// The type of the attribute in an earlier version of the schema; `nil` if it has not changed.
    public var widens: Kind?

    /// Makes an attribute, without checking it. Schemas are read from files, which are checked.
    public init(
        id: PropertyID, name: String, kind: Kind, isOptional: Bool = false, defaultValue: Value? = nil,
        widens: Kind? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.widens = widens
    }
}
