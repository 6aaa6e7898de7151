extension Schema {
    /// The maximum number of attributes and references of one entity: a server refuses records with more (protocol.md §10).
    private static let propertiesMax = 128
    /// The maximum number of entities and many-to-many relationships. Each has tables and triggers of its own, which every
    /// device creates when it joins.
    private static let tablesMax = 500
    /// The maximum number of bytes of a schema file: a server accepts no larger one (protocol.md §10).
    private static let bytesMax = 256 * 1024

    /// Finds the limits of replicas and servers that a new schema exceeds.
    ///
    /// A schema with such problems can still be read, because scopes of earlier versions may have one.
    package func limitProblems() -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        let tables = recordEntities.count
        if tables > Self.tablesMax {
            problems.append(
                SchemaProblem(
                    "there are \(tables) entities and many-to-many relationships, the limit is \(Self.tablesMax)",
                    cure: "Make one entity of those that are alike, or split the schema"))
        }
        if source.utf8.count > Self.bytesMax {
            problems.append(
                SchemaProblem(
                    "the file has \(source.utf8.count) bytes, a server takes \(Self.bytesMax)",
                    cure: "Shorten names, or split the schema"))
        }
        return problems + entities.flatMap(Self.limitProblems)
    }

    private static func limitProblems(of entity: Entity) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        let count = entity.attributes.count + entity.relationships.count { $0.kind == .toOne }
        if count > propertiesMax {
            problems.append(
                SchemaProblem(
                    "there are \(count) attributes and references, a server refuses records with more than "
                        + "\(propertiesMax)",
                    cure: "Move some to an entity of their own", entity: entity.name))
        }
        for attribute in entity.attributes {
            guard case .string(let text)? = attribute.defaultValue, text.utf8.contains(0) else { continue }
            problems.append(
                SchemaProblem(
                    "the default contains U+0000, which no SQL statement can say", cure: "Leave the character out",
                    entity: entity.name, property: attribute.name))
        }
        return problems
    }
}
