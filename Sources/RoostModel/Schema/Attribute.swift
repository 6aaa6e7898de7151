/// A named, typed value that every record of an entity has.
public struct Attribute: Hashable, Sendable {
    /// The type of an attribute, and with it the form of its ``Value``.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case string
        case integer
        case double
        case boolean
        /// A day without a time zone, `YYYY-MM-DD`.
        case date
        /// An instant: milliseconds since 1970, UTC.
        case timestamp
        case uuid
        case data
        /// JSON text.
        case json
    }

    public var id: PropertyID
    public var name: String
    public var kind: Kind
    /// Whether the attribute may be nil.
    public var isOptional: Bool
    /// What a record gets that does not say.
    public var defaultValue: Value?

    public init(id: PropertyID, name: String, kind: Kind, isOptional: Bool = false, defaultValue: Value? = nil) {
        self.id = id
        self.name = name
        self.kind = kind
        self.isOptional = isOptional
        self.defaultValue = defaultValue
    }
}
