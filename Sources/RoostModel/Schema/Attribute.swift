/// A named, typed value that every record of an entity has.
public struct Attribute: Hashable, Sendable {
    /// The type of an attribute, and with it the form of its ``Value``.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Text.
        case string
        /// A whole number of 64 bits.
        case integer
        /// A floating-point number of 64 bits.
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
    /// The name, which is the column's too; see `Docs/schema.md` for what it may be.
    public var name: String
    /// The type of its values.
    public var kind: Kind
    /// Whether the attribute may be nil.
    public var isOptional: Bool
    /// What a record gets that does not say.
    public var defaultValue: Value?
    /// The type that the attribute had in an earlier version of the schema; `nil` where it has always had this one.
    public var widens: Kind?

    /// Makes an attribute. Schemas are read from files, which are checked; this is not.
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
