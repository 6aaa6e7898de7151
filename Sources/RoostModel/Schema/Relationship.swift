/// A named reference from the records of one entity to those of another.
public struct Relationship: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Stored: the record names at most one other.
        case toOne
        /// Not stored: the records whose inverse names this one.
        case toMany
        /// Stored as link records of their own, one for each pair.
        case manyToMany
    }

    /// What becomes of the records that name a record when that one is deleted. Declared on the side that is deleted.
    public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
        /// Their reference reads nil.
        case nullify
        /// They are hidden with it.
        case cascade
        /// The delete is refused while a visible one exists.
        case deny
        /// Nothing: their reference reads as written.
        case noAction
    }

    public var id: PropertyID
    public var name: String
    public var kind: Kind
    /// The name of the entity at the other end.
    public var destination: String
    /// The name of the relationship that comes back from there.
    public var inverse: String
    public var deleteRule: DeleteRule
    /// Whether a to-one relationship may be nil.
    public var isOptional: Bool
    /// Whether this to-one self-reference makes a hierarchy: cycles are cut, and the rule is always cascade.
    public var isTree: Bool

    public init(
        id: PropertyID, name: String, kind: Kind, destination: String, inverse: String,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, isTree: Bool = false
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.destination = destination
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.isOptional = isOptional
        self.isTree = isTree
    }
}
