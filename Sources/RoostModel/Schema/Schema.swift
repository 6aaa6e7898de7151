/// The model of a scope's data: its entities with their attributes, relationships and delete rules.
///
/// A schema is a JSON file (`Docs/schema.md`), stored with its scope on the server and fetched on joining. Read one with
/// ``init(json:)``, which refuses whatever would not work.
public struct Schema: Hashable, Sendable {
    /// The name, for people and for generated code.
    public var name: String
    /// Grows with every change of the schema within a scope, from 1.
    public var version: Int
    /// The oldest version that may still synchronise: a replica of an earlier one has to be migrated first. 1 where the file does
    /// not say.
    public var minimumVersion: Int
    /// The entities, in the order of the file.
    public var entities: [Entity]
    /// The text the schema was read from; kept, so that what this version does not know is passed on.
    public private(set) var source: String

    package init(name: String, version: Int, minimumVersion: Int = 1, entities: [Entity], source: String = "") {
        self.name = name
        self.version = version
        self.minimumVersion = minimumVersion
        self.entities = entities
        self.source = source
    }

    /// The entity of a name; `nil` where there is none.
    public func entity(named name: String) -> Entity? { entities.first { $0.name.isSameText(as: name) } }

    /// The entities that have records of their own: the declared ones, then one for each many-to-many relationship.
    package var recordEntities: [Entity] { entities + linkEntities }

    /// The link entities of the many-to-many relationships.
    ///
    /// The side with the smaller (entity id, relationship id) owns the link. A link record names both ends with a
    /// cascade reference: property 1 `source`, at the owner's side, and property 2 `target`. Its identifier is derived
    /// from the relationship and both ends, so that the same link made twice is one record.
    package var linkEntities: [Entity] {
        entities.flatMap { owner in
            owner.relationships.compactMap { relationship in
                guard relationship.kind == .manyToMany, ownsLink(owner, relationship) else { return nil }
                return linkEntity(owner, relationship)
            }
        }
    }

    /// Whether the link records of a many-to-many relationship are named after this side.
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

    /// The identifier of the link record between two records.
    package static func linkID(of link: EntityID, source: RecordID, target: RecordID) -> RecordID {
        RecordID(derivedFrom: ["roost-link", link.description, source.description, target.description])
    }
}
