/// The rules of a schema beyond the form of its file.
enum SchemaValidator {
    /// Finds the errors in what could be read of a schema.
    ///
    /// - Parameter unread: The other parts, about which nothing is said.
    static func errors(in schema: Schema, without unread: UnreadParts) -> [SchemaProblem] {
        var problems = schemaName(schema.name)
        problems += duplicates(schema.entities.map { ($0.name, $0.id.rawValue) }, entity: nil, of: "entity")
        if schema.entities.isEmpty, !unread.hasOpenFile {
            problems.append(SchemaProblem("there is no entity", cure: "Declare at least one in \"entities\""))
        }
        for entity in schema.entities {
            problems += nameProblems(entity.name, entity: entity.name, property: nil)
            let properties =
                entity.attributes.map { ($0.name, $0.id.rawValue) }
                + entity.relationships.map { ($0.name, $0.id.rawValue) }
            problems += duplicates(properties, entity: entity.name, of: "property")
            for (name, _) in properties { problems += nameProblems(name, entity: entity.name, property: name) }
            let relationships = entity.relationships.filter { !unread.concern($0, of: entity, in: schema) }
            problems += relationships.flatMap { relationship($0, of: entity, in: schema) }
            problems += trees(relationships, of: entity)
        }
        return problems + links(of: schema) + SchemaEnds.sharedPositions(in: schema)
    }

    /// Checks the schema's name. A scope's name is unrestricted; a schema's name is part of file names and of generated
    /// code.
    private static func schemaName(_ name: String) -> [SchemaProblem] {
        guard !(1...64).contains(name.utf8.count) || !isWord(name, allowing: UInt8(ascii: "-")) else { return [] }
        return [
            SchemaProblem(
                "the schema's name \"\(name)\" cannot be used",
                cure: "Use 1 to 64 of a-z, A-Z, 0-9, _ and -, starting with a letter")
        ]
    }

    /// Checks the tables of many-to-many relationships, which are named `entity_relationship`.
    private static func links(of schema: Schema) -> [SchemaProblem] {
        var takers = Dictionary(schema.entities.map { ($0.name.lowercased(), "the entity \"\($0.name)\"") }) { one, _ in
            one
        }
        return schema.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> SchemaProblem? in
                guard relationship.kind == .manyToMany, schema.ownsLink(entity, relationship) else { return nil }
                let link = "\(entity.name)_\(relationship.name)"
                guard
                    let taker = takers.updateValue(
                        "the links of \"\(entity.name).\(relationship.name)\"", forKey: link.lowercased())
                else { return nil }
                return SchemaProblem(
                    "its links need the table \"\(link.lowercased())\", taken by \(taker)",
                    cure: "Rename one of the two",
                    entity: entity.name, property: relationship.name)
            }
        }
    }

    /// Whether a name consists of letters, digits, underscores and one more character, and starts with a letter.
    private static func isWord(_ name: String, allowing other: UInt8 = UInt8(ascii: "_")) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        let isWord = name.utf8.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
                || byte == other
        }
        return isWord && name.utf8.first.map(isLetter) ?? false
    }

    private static func nameProblems(_ name: String, entity: String, property: String?) -> [SchemaProblem] {
        if !isWord(name) || name.utf8.count > 64 {
            return [
                SchemaProblem(
                    "the name \"\(name)\" cannot be used",
                    cure: "Use 1 to 64 of a-z, A-Z, 0-9 and _, starting with a letter", entity: entity,
                    property: property)
            ]
        }
        let lower = name.lowercased()
        let isReserved =
            property == nil
            ? lower.begins(with: "roost") || lower.begins(with: "sqlite")
            : ["id", "rowid", "oid", "_rowid_"].contains(lower) || lower.begins(with: "roost")
        guard isReserved else { return [] }
        return [
            SchemaProblem(
                "the name \"\(name)\" is taken by the replica itself", cure: "Choose another name", entity: entity,
                property: property)
        ]
    }

    /// Finds duplicate names, which are compared as in SQL, ignoring case, and duplicate ids.
    private static func duplicates(_ items: [(String, UInt32)], entity: String?, of kind: String) -> [SchemaProblem] {
        var names: Set<String> = []
        var numbers: [UInt32: String] = [:]
        var problems: [SchemaProblem] = []
        for (name, number) in items {
            if !names.insert(name.lowercased()).inserted {
                problems.append(
                    SchemaProblem(
                        "the name \"\(name)\" is there twice", cure: "Give each \(kind) a name of its own",
                        entity: entity ?? name, property: entity == nil ? nil : name))
            }
            if let other = numbers.updateValue(name, forKey: number) {
                problems.append(
                    SchemaProblem(
                        "the id \(number) is that of \"\(other)\" too", cure: "Give each \(kind) an id of its own",
                        entity: entity ?? name, property: entity == nil ? nil : name))
            }
        }
        return problems
    }

    private static func relationship(
        _ relationship: Relationship, of entity: Entity, in schema: Schema
    ) -> [SchemaProblem] {
        func problem(_ reason: String, _ cure: String) -> [SchemaProblem] {
            [SchemaProblem(reason, cure: cure, entity: entity.name, property: relationship.name)]
        }
        guard let destination = schema.entity(named: relationship.destination) else {
            return problem(
                "the destination \"\(relationship.destination)\" is not an entity", "Declare it, or correct the name")
        }
        guard let inverse = destination.relationship(named: relationship.inverse) else {
            return problem(
                "the inverse \"\(relationship.inverse)\" is not a relationship of \"\(destination.name)\"",
                "Declare it on \"\(destination.name)\"")
        }
        if inverse.inverse != relationship.name || inverse.destination != entity.name {
            return problem(
                "the inverse \"\(destination.name).\(inverse.name)\" does not lead back",
                "Let it name \"\(relationship.name)\" of \"\(entity.name)\" as its inverse")
        }
        return kinds(relationship, inverse, destination, problem) + rules(relationship, entity, problem)
            + SchemaEnds.errors(of: relationship, to: destination).flatMap { problem($0.reason, $0.cure) }
    }

    private static func kinds(
        _ relationship: Relationship, _ inverse: Relationship, _ destination: Entity,
        _ problem: (String, String) -> [SchemaProblem]
    ) -> [SchemaProblem] {
        switch (relationship.kind, inverse.kind) {
        case (.toOne, .toMany), (.toMany, .toOne), (.manyToMany, .manyToMany): []
        case (.toOne, .toOne):
            problem(
                "both sides are toOne, and two devices apart could each set one",
                "Make the side that is not stored toMany, with \"single\": true")
        case (.toMany, .toMany): problem("both sides are toMany", "Make both manyToMany, or one of them toOne")
        default:
            problem(
                "a \(relationship.kind.rawValue) relationship cannot have the \(inverse.kind.rawValue) inverse "
                    + "\"\(destination.name).\(inverse.name)\"", "Make both manyToMany, or one toOne and one toMany")
        }
    }

    private static func rules(
        _ relationship: Relationship, _ entity: Entity, _ problem: (String, String) -> [SchemaProblem]
    ) -> [SchemaProblem] {
        if relationship.isTree, relationship.kind != .toOne || relationship.destination != entity.name {
            return problem("only a toOne relationship of an entity to itself can be a tree", "Remove \"tree\"")
        }
        switch relationship.kind {
        case .toOne where relationship.deleteRule != .nullify && relationship.deleteRule != .noAction:
            return problem(
                "the rule \"\(relationship.deleteRule.rawValue)\" is on the side that stores the reference",
                "Declare it on \"\(relationship.destination).\(relationship.inverse)\", whose deletion it is about")
        case .manyToMany where relationship.deleteRule == .cascade || relationship.deleteRule == .noAction:
            return problem(
                "a manyToMany relationship cannot have the rule \"\(relationship.deleteRule.rawValue)\"",
                "Use \"nullify\" (links go with either end) or \"deny\" (links hold this end back)")
        default: return []
        }
    }

    private static func trees(_ relationships: [Relationship], of entity: Entity) -> [SchemaProblem] {
        let trees = relationships.filter(\.isTree)
        guard trees.count > 1 else { return [] }
        return [
            SchemaProblem(
                "a second tree, beside \"\(trees[0].name)\"", cure: "Keep at most one tree in an entity",
                entity: entity.name, property: trees[1].name)
        ]
    }
}
