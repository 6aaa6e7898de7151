/// A named reference from the records of one entity to those of another.
public struct Relationship: Hashable, Sendable {
    /// How many records it leads to, and where that is stored.
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

    /// The stable number in its entity; a rename keeps it.
    public var id: PropertyID
    /// The name, unique among the properties of its entity.
    public var name: String
    /// How many records it leads to.
    public var kind: Kind
    /// The name of the entity at the other end.
    public var destination: String
    /// The name of the relationship that comes back from there.
    public var inverse: String
    /// What becomes of the records at the other end when a record of this entity is deleted.
    public var deleteRule: DeleteRule
    /// Whether a to-one relationship may be nil.
    public var isOptional: Bool
    /// Whether this to-one self-reference makes a hierarchy: cycles are cut, and the rule is always cascade.
    public var isTree: Bool
    /// Whether this to-many relationship is the side of a one-to-one that is not stored: where several records name one, it shows
    /// the one with the greatest identifier. Merging knows nothing of it.
    public var isSingle: Bool
    /// The string attribute of the destination whose texts put the records of this to-many relationship in order, those without one
    /// last; `nil` where it has none. Merging knows nothing of it.
    public var orderedBy: String?

    /// Makes a relationship. Schemas are read from files, which are checked; this is not.
    public init(
        id: PropertyID, name: String, kind: Kind, destination: String, inverse: String,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, isTree: Bool = false,
        isSingle: Bool = false, orderedBy: String? = nil
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.destination = destination
        self.inverse = inverse
        self.deleteRule = deleteRule
        self.isOptional = isOptional
        self.isTree = isTree
        self.isSingle = isSingle
        self.orderedBy = orderedBy
    }
}
