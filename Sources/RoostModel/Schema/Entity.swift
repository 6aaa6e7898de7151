/// A kind of record: its attributes and relationships.
public struct Entity: Hashable, Sendable {
    /// The stable number in its schema; a rename keeps it.
    public var id: EntityID
    /// The name, from which the table's name is derived.
    public var name: String
    /// The attributes, in the order of the file.
    public var attributes: [Attribute]
    /// The relationships, stored or not, in the order of the file.
    public var relationships: [Relationship]

    /// Makes an entity, without checking it. Schemas are read from files, which are checked.
    public init(id: EntityID, name: String, attributes: [Attribute] = [], relationships: [Relationship] = []) {
        self.id = id
        self.name = name
        self.attributes = attributes
        self.relationships = relationships
    }

    /// The relationships that a record of this entity stores: the to-one ones, by ascending id.
    package var references: [Relationship] {
        relationships.filter { $0.kind == .toOne }.sorted { $0.id < $1.id }
    }

    /// Returns the attribute with a name; `nil` if there is none.
    public func attribute(named name: String) -> Attribute? { attributes.first { $0.name.isSameText(as: name) } }
    /// Returns the relationship with a name; `nil` if there is none.
    public func relationship(named name: String) -> Relationship? {
        relationships.first { $0.name.isSameText(as: name) }
    }
}
