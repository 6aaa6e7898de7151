extension Schema {
    /// Finds parts of the schema that work but will surprise users.
    ///
    /// Each finding has the severity `warning`, names its entity and property, and says what to do. A schema that
    /// `init(json:)` accepted can be used regardless of its warnings.
    public func warnings() -> [SchemaProblem] {
        let lint = SchemaLint(schema: self, rules: ReferenceRules(self))
        return lint.unknownKeys()
            + entities.flatMap { entity in
                lint.keyword(entity) + entity.relationships.flatMap { lint.relationship($0, of: entity) }
            }
    }
}

/// The checks of each relationship and name of a valid schema.
private struct SchemaLint {
    let schema: Schema
    let rules: ReferenceRules

    func relationship(_ relationship: Relationship, of entity: Entity) -> [SchemaProblem] {
        let findings: [Finding?]
        if relationship.kind == .toOne, let rule = rules.rule(entity.id, relationship.id) {
            findings = [
                ignoredRule(relationship), unstableReference(relationship, rule), treeRule(relationship, rule),
                cutlessCycle(relationship, rule, entity), undeletable(rule, entity), leavesDenied(rule, entity),
            ]
        } else {
            let order = SchemaEnds.lint(relationship, to: schema.entity(named: relationship.destination))
            findings = [ignoredOptional(relationship), order.map { Finding(reason: $0.reason, cure: $0.cure) }]
        }
        return findings.compactMap { $0 }.map { finding in
            SchemaProblem(
                finding.reason, cure: finding.cure, entity: entity.name, property: relationship.name,
                severity: .warning)
        }
    }

    private struct Finding {
        var reason: String
        var cure: String
    }

    // MARK: What is written but has no effect

    private func ignoredRule(_ relationship: Relationship) -> Finding? {
        guard relationship.deleteRule == .noAction else { return nil }
        return Finding(
            reason: "the rule \"noAction\" has no effect on the side that stores the reference",
            cure: "Declare it on \"\(relationship.destination).\(relationship.inverse)\", whose deletion it is about")
    }

    private func ignoredOptional(_ relationship: Relationship) -> Finding? {
        guard !relationship.isOptional else { return nil }
        return Finding(
            reason: "\"optional\" has no effect on a \(relationship.kind.rawValue) relationship",
            cure: "Remove it: a record may always have none")
    }

    private func treeRule(_ relationship: Relationship, _ rule: ReferenceRules.Rule) -> Finding? {
        guard rule.isTree, let inverse = inverse(of: relationship), inverse.deleteRule != .cascade else { return nil }
        return Finding(
            reason: "\"\(inverse.name)\" has the rule \"\(inverse.deleteRule.rawValue)\", but a tree always cascades",
            cure: "Write \"deleteRule\": \"cascade\" on \"\(inverse.name)\"")
    }

    // MARK: What reads otherwise than declared

    private func unstableReference(_ relationship: Relationship, _ rule: ReferenceRules.Rule) -> Finding? {
        guard !relationship.isOptional else { return nil }
        let why: String
        if rule.isTree {
            why = "it is cut where two devices make a cycle, and a root has none"
        } else if rule.deleteRule == .nullify || rule.deleteRule == .deny {
            why =
                "the rule \"\(rule.deleteRule.rawValue)\" shows nil while \"\(relationship.destination)\" is not visible"
        } else {
            return nil
        }
        return Finding(
            reason: "it is not optional but can read nil: \(why)",
            cure: "Write \"optional\": true, or let \"\(relationship.inverse)\" cascade")
    }

    private func cutlessCycle(
        _ relationship: Relationship, _ rule: ReferenceRules.Rule, _ entity: Entity
    ) -> Finding? {
        guard rule.destination == entity.id, rule.deleteRule == .cascade, !rules.treeEntities.contains(entity.id) else {
            return nil
        }
        return Finding(
            reason: "two devices can make a cycle of records that hang off each other and off nothing else",
            cure: "Write \"tree\": true, so that cycles are cut")
    }

    // MARK: Deny

    /// Warns of a deny reference from inside the target's own cascade closure.
    private func undeletable(_ rule: ReferenceRules.Rule, _ entity: Entity) -> Finding? {
        guard rule.deleteRule == .deny, parents(of: entity.id).contains(rule.destination) else { return nil }
        let target = name(rule.destination)
        return Finding(
            reason: "a record of \"\(target)\" cannot be deleted while it has such a record of \"\(entity.name)\", "
                + "which its own deletion would hide",
            cure: "Use \"cascade\" or \"nullify\" here, or take \"\(entity.name)\" out from under \"\(target)\"")
    }

    /// Warns of a deny reference whose target can be hidden with a parent that the referring record is no cascade
    /// descendant of.
    private func leavesDenied(_ rule: ReferenceRules.Rule, _ entity: Entity) -> Finding? {
        guard rule.deleteRule == .deny else { return nil }
        let own = parents(of: entity.id).union([entity.id])
        guard let root = parents(of: rule.destination).subtracting(own).min() else { return nil }
        return Finding(
            reason:
                "deleting a record of \"\(name(root))\" hides its \"\(name(rule.destination))\" in spite of the rule \"deny\", "
                + "because \"\(entity.name)\" does not hang off \"\(name(root))\"",
            cure: "Give \"\(entity.name)\" a cascade reference to \"\(name(root))\" too")
    }

    /// Returns every entity whose deletion can hide a record of `entity`, over any number of cascade references.
    private func parents(of entity: EntityID) -> Set<EntityID> {
        var found: Set<EntityID> = []
        var open = [entity]
        while let next = open.popLast() {
            for rule in rules.outgoing[next] ?? [] where rule.deleteRule == .cascade {
                if found.insert(rule.destination).inserted { open.append(rule.destination) }
            }
        }
        return found
    }

    // MARK: Names and keys

    func keyword(_ entity: Entity) -> [SchemaProblem] {
        let names =
            [(entity.name, nil)] + entity.attributes.map { ($0.name, $0.name) }
            + entity.references.map { ($0.name, $0.name) }
        return names.filter { SQLKeywords.reserved.contains($0.0.lowercased()) }.map { name, property in
            SchemaProblem(
                "the name \"\(name)\" is a word of SQL, and whoever writes SQL must quote it",
                cure: "Rename it, which keeps its id and its records, or tell them so",
                entity: entity.name, property: property, severity: .warning)
        }
    }

    func unknownKeys() -> [SchemaProblem] {
        guard let file = try? JSONParser.parse(schema.source) else { return [] }
        return SchemaKeys.unknown(in: file).map { unknown in
            SchemaProblem(
                "the key \"\(unknown.key)\" is not known and has no effect", cure: "Correct or remove it",
                entity: unknown.entity, property: unknown.property, severity: .warning)
        }
    }

    private func inverse(of relationship: Relationship) -> Relationship? {
        schema.entity(named: relationship.destination)?.relationship(named: relationship.inverse)
    }

    private func name(_ entity: EntityID) -> String {
        schema.recordEntities.first { $0.id == entity }?.name ?? "#\(entity)"
    }
}
