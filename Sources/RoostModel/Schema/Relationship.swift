/// A named reference from the records of one entity to those of another.
public struct Relationship: Hashable, Sendable {
    /// The number of related records, and where the relationship is stored.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Stored: the record refers to at most one other.
        case toOne
        /// Not stored: the records whose inverse refers to this one.
        case toMany
        /// Stored as link records of their own, one for each pair.
        case manyToMany
    }

    /// The effect of deleting a record on the records that refer to it. Declared on the side of the deleted record.
    public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
        /// Their reference is masked.
        case nullify
        /// They are hidden too.
        case cascade
        /// The delete is refused while a visible referrer exists.
        case deny
        /// None: their reference stays as written.
        case noAction
    }

    /// The stable number in its entity; a rename keeps it.
    public var id: PropertyID
    /// The name, unique among the properties of its entity.
    public var name: String
    /// The number of related records.
    public var kind: Kind
    /// The name of the entity at the other end.
    public var destination: String
    /// The name of the inverse relationship, declared on the destination.
    public var inverse: String
    /// The effect on the records at the other end when a record of this entity is deleted.
    public var deleteRule: DeleteRule
    /// Whether a to-one relationship may be nil.
    public var isOptional: Bool
    /// Whether this to-one self-reference makes a hierarchy: cycles are cut, and the rule is always cascade.
    public var isTree: Bool
    /// Whether this to-many relationship is the side of a one-to-one that is not stored. If several records refer to one,
    /// the relationship shows the one with the greatest identifier. Merging ignores it.
    public var isSingle: Bool
    /// The string attribute of the destination that orders the records of this to-many relationship, those without a value
    /// last; `nil` for no order. Merging ignores it.
    public var orderedBy: String?

    /// Makes a relationship, without checking it. Schemas are read from files, which are checked.
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
