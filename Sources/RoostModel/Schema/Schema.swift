/// The model of a scope's data: its entities with their attributes, relationships and delete rules.
///
/// A schema is a JSON file (`Docs/schema.md`), stored with its scope on the server and fetched on joining. Read one with
/// ``init(json:)``, which refuses every schema that would not work.
public struct Schema: Hashable, Sendable {
    /// The name, for people and for generated code.
    public var name: String
    /// The version, from 1, which grows with every change of the schema within a scope.
    public var version: Int
    /// The oldest version that may still synchronise: a replica of an earlier version has to be migrated first. 1 if the
    /// file does not give it.
    public var minimumVersion: Int
    /// The entities, in the order of the file.
    public var entities: [Entity]
    /// The text from which the schema was read. Its keys that this version does not know are passed on.
    public private(set) var source: String

    package init(name: String, version: Int, minimumVersion: Int = 1, entities: [Entity], source: String = "") {
        self.name = name
        self.version = version
        self.minimumVersion = minimumVersion
        self.entities = entities
        self.source = source
    }

    /// Returns the entity with a name; `nil` if there is none.
    public func entity(named name: String) -> Entity? { entities.first { $0.name.isSameText(as: name) } }

    /// The entities that have records of their own: the declared ones, then one for each many-to-many relationship.
    package var recordEntities: [Entity] { entities + linkEntities }

    /// The link entities of the many-to-many relationships.
    ///
    /// The side with the smaller (entity id, relationship id) owns the link. A link record refers to both ends with a
    /// cascade reference: property 1 `source`, at the owner's side, and property 2 `target`. Its identifier is derived from
    /// the relationship and both ends, so that a link made twice is one record.
    package var linkEntities: [Entity] {
        entities.flatMap { owner in
            owner.relationships.compactMap { relationship in
                guard relationship.kind == .manyToMany, ownsLink(owner, relationship) else { return nil }
                return linkEntity(owner, relationship)
            }
        }
    }

    /// Whether this side of a many-to-many relationship owns the link records.
    package func ownsLink(_ owner: Entity, _ relationship: Relationship) -> Bool {
        guard let other = entity(named: relationship.destination),
            let inverse = other.relationship(named: relationship.inverse)
        else { return true }
        return (owner.id.rawValue, relationship.id.rawValue) <= (other.id.rawValue, inverse.id.rawValue)
    }

    private func linkEntity(_ owner: Entity, _ relationship: Relationship) -> Entity {
        Entity(
            id: EntityID(owner.id.rawValue << 16 | relationship.id.rawValue),
            name: "\(owner.name)_\(relationship.name)",
            relationships: [
                Relationship(
                    id: PropertyID(1), name: "source", kind: .toOne, destination: owner.name,
                    inverse: relationship.name, isOptional: false),
                Relationship(
                    id: PropertyID(2), name: "target", kind: .toOne, destination: relationship.destination,
                    inverse: relationship.inverse, isOptional: false),
            ])
    }

    /// Returns the identifier of the link record between two records.
    package static func linkID(of link: EntityID, source: RecordID, target: RecordID) -> RecordID {
        RecordID(derivedFrom: ["roost-link", link.description, source.description, target.description])
    }
}
