extension Schema {
    /// Compares a schema file with an earlier version of it, for its author.
    ///
    /// Finds the problems of ``problems(asSuccessorOf:)`` for any number of versions between the two, and warns of each rename: an entity
    /// or property that was meant as a new one and got an id that is taken is a rename, too.
    package func problems(after old: Schema) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        if version <= old.version {
            problems.append(
                SchemaProblem(
                    "the version is \(version), expected \(old.version + 1)",
                    cure: "Write \"version\": \(old.version + 1)"))
        }
        return problems + self.problems(asLaterVersionOf: old) + renames(since: old)
    }

    private func renames(since old: Schema) -> [SchemaProblem] {
        entities.flatMap { now -> [SchemaProblem] in
            guard let was = old.entities.first(where: { $0.id == now.id }) else { return [] }
            let entity = was.name.isSameText(as: now.name) ? [] : [Self.rename(of: was, to: now)]
            return entity + Self.renamedProperties(of: was, to: now)
        }
    }

    private static func renamedProperties(of was: Entity, to now: Entity) -> [SchemaProblem] {
        let before = properties(was)
        return properties(now).compactMap { property in
            guard let old = before.first(where: { $0.id == property.id }), !old.name.isSameText(as: property.name)
            else { return nil }
            return SchemaProblem(
                "it was \"\(old.name)\" and is renamed: records keep what they have in it",
                cure: "If it is another property, give it an id that was never used", entity: now.name,
                property: property.name, severity: .warning)
        }
    }

    private static func rename(of was: Entity, to now: Entity) -> SchemaProblem {
        let names = Set(properties(was).map { ExactText($0.name) })
        let isShared = names.isEmpty || properties(now).contains { names.contains(ExactText($0.name)) }
        return SchemaProblem(
            "it was \"\(was.name)\" and is renamed: records of \"\(was.name)\" become records of \"\(now.name)\""
                + (isShared ? "" : ", though the two have no property in common"),
            cure: "If it is another entity, give it an id that was never used", entity: now.name, severity: .warning)
    }

    private static func properties(_ entity: Entity) -> [(id: PropertyID, name: String)] {
        entity.attributes.map { ($0.id, $0.name) } + entity.relationships.map { ($0.id, $0.name) }
    }
}
