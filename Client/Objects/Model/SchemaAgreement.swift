internal import RoostModel

/// The comparison of a store's schema with the schema that a program's classes were generated from.
///
/// Classes find entities by name and properties by number. A property that the store does not have would read as blank.
struct SchemaAgreement {
    /// The schema of the store.
    let stored: Schema
    /// The store, for messages.
    let store: String

    /// Checks that a store has all that classes access.
    ///
    /// - Parameter source: The schema of the classes that do not name theirs; `nil` where these are not checked.
    /// - Throws: ``ObjectError`` with the code `schemaMismatch`.
    func check(_ classes: [ManagedObject.Type], _ source: (any SchemaSource.Type)? = nil) throws {
        var entities: [(source: any SchemaSource.Type, names: [String])] = []
        for type in classes {
            guard let source = type.schemaSource ?? source else { continue }
            if let index = entities.firstIndex(where: { $0.source == source }) {
                entities[index].names.append(type.entityName)
            } else {
                entities.append((source, [type.entityName]))
            }
        }
        for (source, names) in entities { try check(source, names) }
    }

    private func check(_ source: any SchemaSource.Type, _ entities: [String]) throws {
        guard source.text != stored.source else { return }
        let own: Schema
        do {
            own = try source.schema()
        } catch {
            throw ObjectError(
                .schemaMismatch,
                "Cannot use the classes of \(source): its text is no schema. Generate it again. \(error)")
        }
        guard own.name == stored.name else {
            throw refusal(
                own, "that has the schema \"\(stored.name)\". Open another file, or use the classes of that schema.")
        }
        let missing = missing(of: own, entities)
        let lack = missing.isEmpty ? "" : ", without \(Self.list(missing))"
        if own.version > stored.version {
            throw refusal(
                own,
                "that has version \(stored.version)\(lack). Migrate it as you open it: by an ObjectContainer, or by a MigrationPlan(to:) the schema of the classes."
            )
        }
        guard !missing.isEmpty else { return }
        if own.version == stored.version {
            throw refusal(
                own,
                "that has another version \(stored.version)\(lack). Count the version up with each change of the schema file, generate the classes again, and migrate."
            )
        }
        throw refusal(
            own,
            "that has version \(stored.version) already\(lack). Update the program: generate the classes from that version."
        )
    }

    private func refusal(_ own: Schema, _ reason: String) -> ObjectError {
        ObjectError(
            .schemaMismatch,
            "Cannot use the classes of the schema \"\(own.name)\", version \(own.version), with \(store): \(reason)")
    }

    /// Returns the first parts, for a sentence.
    private static func list(_ parts: [String]) -> String {
        let most = 3
        guard parts.count > most else { return parts.joined(separator: ", ") }
        return "\(parts.prefix(most).joined(separator: ", ")) and \(parts.count - most) others"
    }

    /// Returns the entities and properties that the store does not have, or has otherwise.
    private func missing(of own: Schema, _ entities: [String]) -> [String] {
        entities.compactMap { own.entity(named: $0) }.flatMap { entity -> [String] in
            guard let there = stored.entities.first(where: { $0.id == entity.id }) else {
                return ["the entity \"\(entity.name)\""]
            }
            guard there.name == entity.name else {
                return ["the entity \"\(entity.name)\", whose name is \"\(there.name)\" there"]
            }
            return attributes(of: entity, there) + relationships(of: entity, there)
        }
    }

    private func attributes(of entity: Entity, _ there: Entity) -> [String] {
        entity.attributes.compactMap { attribute in
            let name = "the attribute \"\(attribute.name)\" of \"\(entity.name)\""
            guard let found = there.attributes.first(where: { $0.id == attribute.id }) else { return name }
            guard found.kind != attribute.kind else { return nil }
            return "\(name) as \(attribute.kind.rawValue) (its type is \(found.kind.rawValue) there)"
        }
    }

    private func relationships(of entity: Entity, _ there: Entity) -> [String] {
        entity.relationships.compactMap { relationship in
            let found = there.relationships.first { $0.id == relationship.id }
            guard found?.kind != relationship.kind || found?.isSingle != relationship.isSingle else { return nil }
            return "the relationship \"\(relationship.name)\" of \"\(entity.name)\""
        }
    }
}
