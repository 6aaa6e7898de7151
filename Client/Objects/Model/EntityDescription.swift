internal import RoostModel

/// An entity's columns in order, and its relationships as the tables store them.
///
/// It is a class, so that each object holds a single pointer to it.
final class EntityDescription: Sendable {
    let id: EntityID
    let name: String
    let entity: Entity
    /// The name of the visible table, quoted.
    let table: String
    /// Attributes and references in ascending order of property numbers, as in the table.
    let columns: [StoredProperty]
    /// The type by which each column's values are read.
    let kinds: [Attribute.Kind]
    let manyRelationships: [ManyRelationship]
    /// The references whose inverse is ordered, so that objects of this entity have a position in it.
    let orderedReferences: [OrderedReference]
    /// Whether the entity's records are the links of a many-to-many relationship.
    let isLink: Bool
    /// The values of a new object's columns.
    let defaults: [Value]
    private let columnsByName: [String: Int]
    /// The index of each property's column, by the property's number; -1 for a property without a column.
    private let columnsByProperty: [Int]

    init(_ entity: Entity, in schema: Schema, rules: ReferenceRules, isLink: Bool) {
        id = entity.id
        name = entity.name
        self.entity = entity
        self.isLink = isLink
        table = "\"\(entity.name.lowercased())\""
        let columns = Self.columns(of: entity, in: schema, rules)
        self.columns = columns
        kinds = columns.map(\.valueKind)
        manyRelationships = entity.relationships.compactMap { Self.many($0, of: entity, in: schema, rules) }
        orderedReferences = columns.compactMap { column in
            guard let inverse = column.reference?.inverse, let name = inverse.orderedBy,
                let position = columns.first(where: { $0.name == name })
            else { return nil }
            return OrderedReference(column: column, relationship: inverse.id, position: position.index)
        }
        defaults = columns.map { $0.attribute?.defaultValue ?? .null }
        columnsByName = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.index) })
        var places = [Int](repeating: -1, count: (columns.map { Int($0.id.rawValue) }.max() ?? 0) + 1)
        for column in columns { places[Int(column.id.rawValue)] = column.index }
        columnsByProperty = places
    }

    func column(named name: String) -> StoredProperty? { columnsByName[name].map { columns[$0] } }

    func column(_ property: PropertyID) -> StoredProperty? {
        let number = Int(property.rawValue)
        guard number < columnsByProperty.count, columnsByProperty[number] >= 0 else { return nil }
        return columns[columnsByProperty[number]]
    }

    func many(named name: String) -> ManyRelationship? { manyRelationships.first { $0.name == name } }
    func single(named name: String) -> ManyRelationship? { many(named: name).flatMap { $0.isSingle ? $0 : nil } }
    func many(_ property: PropertyID) -> ManyRelationship? { manyRelationships.first { $0.id == property } }

    /// Returns `id` and all columns of the table with the alias `alias`, as an SQL list.
    func columnList(_ alias: String) -> String {
        (["\(alias).id"] + columns.map { "\(alias).\($0.quoted)" }).joined(separator: ", ")
    }

    /// Returns the list of ``columnList(_:)``, with masked references as they are stored. An overlay masks a reference while an
    /// unsaved delete removes its target.
    ///
    /// - Parameter gone: The entities with records that unsaved deletes remove.
    func columnList(_ alias: String, unmasking gone: Set<EntityID>) -> String {
        guard !gone.isEmpty else { return columnList(alias) }
        let list = columns.map { column -> String in
            guard let reference = column.reference, reference.isMaskable, gone.contains(reference.destination) else {
                return "\(alias).\(column.quoted)"
            }
            let stored = "SELECT m.\(column.quoted) FROM main.\(table) AS m WHERE m.id = \(alias).id"
            return "coalesce(\(alias).\(column.quoted), (\(stored)))"
        }
        return (["\(alias).id"] + list).joined(separator: ", ")
    }

    /// The names of all properties, for messages.
    var knownNames: String {
        (columns.map(\.name) + manyRelationships.map(\.name)).map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func columns(
        of entity: Entity, in schema: Schema, _ rules: ReferenceRules
    ) -> [StoredProperty] {
        let attributes = entity.attributes.map { (id: $0.id, name: $0.name, kind: StoredProperty.Kind.attribute($0)) }
        let references = entity.references.compactMap { relationship in
            rules.rule(entity.id, relationship.id).map { rule in
                let inverse = schema.entity(named: relationship.destination)?.relationship(named: relationship.inverse)
                let reference = StoredProperty.Reference(relationship: relationship, rule: rule, inverse: inverse)
                return (id: relationship.id, name: relationship.name, kind: StoredProperty.Kind.reference(reference))
            }
        }
        return (attributes + references).sorted { $0.id < $1.id }.enumerated().map { index, property in
            StoredProperty(index: index, id: property.id, name: property.name, kind: property.kind)
        }
    }

    private static func many(
        _ relationship: Relationship, of entity: Entity, in schema: Schema, _ rules: ReferenceRules
    ) -> ManyRelationship? {
        guard let other = schema.entity(named: relationship.destination),
            let inverse = other.relationship(named: relationship.inverse)
        else { return nil }
        let form: ManyRelationship.Form
        switch relationship.kind {
        case .toOne: return nil
        case .toMany:
            guard let column = columns(of: other, in: schema, rules).first(where: { $0.id == inverse.id }) else {
                return nil
            }
            form = .inverse(column: column.index)
        case .manyToMany:
            let isOwner = schema.ownsLink(entity, relationship)
            let (owner, owned) = isOwner ? (entity, relationship) : (other, inverse)
            let name = "\(owner.name)_\(owned.name)"
            guard let link = schema.linkEntities.first(where: { $0.name == name }) else { return nil }
            form = .links(link: link.id, ownColumn: isOwner ? 0 : 1, otherColumn: isOwner ? 1 : 0)
        }
        return ManyRelationship(
            id: relationship.id, name: relationship.name, destination: other.id, form: form, relationship: relationship,
            position: relationship.orderedBy.flatMap { name in
                columns(of: other, in: schema, rules).first { $0.name == name }?.index
            })
    }
}
