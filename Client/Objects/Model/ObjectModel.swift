public import RoostModel

/// A schema with the classes of its objects.
///
/// `roost generate swift` writes the class of an entity. An entity without a class has objects of ``ManagedObject`` itself, whose
/// properties are accessed by name.
public final class ObjectModel: Sendable {
    /// The schema of the stores.
    public let schema: Schema
    let rules: ReferenceRules
    private let byID: [EntityID: EntityDescription]
    private let byName: [String: EntityDescription]
    private let classes: [EntityID: ManagedObject.Type]

    /// Combines a schema with classes. An entity without a class has objects of ``ManagedObject``; of several classes for one
    /// entity, the last one applies.
    ///
    /// - Parameters:
    ///   - schema: The schema of the stores.
    ///   - types: Classes of objects; each names its entity by ``ManagedObject/entityName``.
    /// - Throws: ``ObjectError`` with the code `unknown` where the schema has no entity for a class.
    public init(_ schema: Schema, classes types: [ManagedObject.Type] = []) throws {
        self.schema = schema
        let rules = ReferenceRules(schema)
        self.rules = rules
        let links = Set(schema.linkEntities.map(\.id))
        let descriptions = schema.recordEntities.map {
            EntityDescription($0, in: schema, rules: rules, isLink: links.contains($0.id))
        }
        byID = Dictionary(uniqueKeysWithValues: descriptions.map { ($0.id, $0) })
        byName = Dictionary(uniqueKeysWithValues: descriptions.map { ($0.name, $0) })
        var classes: [EntityID: ManagedObject.Type] = [:]
        for type in types {
            guard let entity = schema.entity(named: type.entityName) else {
                throw ObjectError(
                    .unknown,
                    "Cannot use the class \(type): the schema \"\(schema.name)\", version \(schema.version), has no entity \"\(type.entityName)\". Migrate the file to the version that has it, or correct the name in the class."
                )
            }
            classes[entity.id] = type
        }
        self.classes = classes
    }

    subscript(_ entity: EntityID) -> EntityDescription? { byID[entity] }

    /// Returns the entity of a name; link entities are excluded.
    ///
    /// - Throws: ``ObjectError`` with the code `unknown` where the schema has no such entity.
    func entity(named name: String) throws -> EntityDescription {
        if let entity = byName[name], !entity.isLink { return entity }
        let known = schema.entities.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw ObjectError(.unknown, "There is no entity \"\(name)\" in the schema \"\(schema.name)\". It has \(known).")
    }

    func type(of entity: EntityID) -> ManagedObject.Type { classes[entity] ?? ManagedObject.self }

    /// Whether any entity has a relationship to `destination` whose name is one of `names`.
    func relationships(among names: Set<String>, leadTo destination: EntityID) -> Bool {
        byID.values.contains { entity in
            entity.manyRelationships.contains { $0.destination == destination && names.contains($0.name) }
                || entity.columns.contains { $0.reference?.destination == destination && names.contains($0.name) }
        }
    }

    /// Returns the stored references that name objects of an entity, with the entity and column that hold them.
    func incoming(_ entity: EntityID) -> [(
        rule: ReferenceRules.Rule, holder: EntityDescription, column: StoredProperty
    )] {
        (rules.incoming[entity] ?? []).compactMap { rule in
            guard let holder = byID[rule.entity], let column = holder.column(rule.relationship) else { return nil }
            return (rule, holder, column)
        }
    }
}
