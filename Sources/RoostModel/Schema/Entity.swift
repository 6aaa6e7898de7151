/// A kind of record: its attributes and relationships.
public struct Entity: Hashable, Sendable {
    /// The stable number in its schema; a rename keeps it.
    public var id: EntityID
    /// The name, from which the name of the table is made.
    public var name: String
    /// The attributes, in the order of the file.
    public var attributes: [Attribute]
    /// The relationships, in the order of the file: the stored and the others.
    public var relationships: [Relationship]

    /// Makes an entity. Schemas are read from files, which are checked; this is not.
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

    /// The attribute of a name; `nil` where there is none.
    public func attribute(named name: String) -> Attribute? { attributes.first { $0.name.isSameText(as: name) } }
    /// The relationship of a name; `nil` where there is none.
    public func relationship(named name: String) -> Relationship? {
        relationships.first { $0.name.isSameText(as: name) }
    }
}
