/// A kind of record: its attributes and relationships.
public struct Entity: Hashable, Sendable {
    public var id: EntityID
    public var name: String
    public var attributes: [Attribute]
    public var relationships: [Relationship]

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

    public func attribute(named name: String) -> Attribute? { attributes.first { $0.name == name } }
    public func relationship(named name: String) -> Relationship? { relationships.first { $0.name == name } }
}
