extension Schema {
    /// Finds the reasons why this schema may not follow `old` in a scope.
    ///
    /// An id never changes its meaning, and records written under either version must fit the other as far as possible,
    /// because devices migrate one by one. Problems of severity `error` forbid the step. Problems of severity `warning`
    /// describe the effects on devices that still have `old`.
    public func problems(asSuccessorOf old: Schema) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        if version != old.version + 1 {
            problems.append(
                SchemaProblem(
                    "the version is \(version), expected \(old.version + 1)",
                    cure: "Write \"version\": \(old.version + 1)"))
        }
        return problems + self.problems(asLaterVersionOf: old)
    }

    /// Finds problems like ``problems(asSuccessorOf:)``, for any number of versions between the two.
    package func problems(asLaterVersionOf old: Schema) -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        if name != old.name {
            problems.append(
                SchemaProblem(
                    "the schema is \"\(name)\", expected \"\(old.name)\"", cure: "Keep the name, or make a new scope"))
        }
        if minimumVersion < old.minimumVersion {
            problems.append(
                SchemaProblem(
                    "the minimum version was \(old.minimumVersion)",
                    cure: "Write \"minimumVersion\": \(old.minimumVersion)"))
        }
        return problems + SchemaSuccession(old: old, new: self).problems()
    }
}

/// The comparison of two versions of a schema, entity by entity and property by property, by their ids.
private struct SchemaSuccession {
    let old: Schema
    let new: Schema

    func problems() -> [SchemaProblem] {
        let removed = old.entities.filter { was in !new.entities.contains { $0.id == was.id } }.map { was in
            SchemaProblem(
                "the entity is gone; devices keep its records but do not show them",
                cure: "Never give its id \(was.id) to another entity", entity: was.name, severity: .warning)
        }
        return removed
            + new.entities.flatMap { now in
                old.entities.first { $0.id == now.id }.map { entity(was: $0, now: now) } ?? []
            }
    }

    private func entity(was: Entity, now: Entity) -> [SchemaProblem] {
        func problem(_ property: String, _ finding: Finding) -> SchemaProblem {
            SchemaProblem(
                finding.reason, cure: finding.cure, entity: now.name, property: property, severity: finding.severity)
        }
        var problems: [SchemaProblem] = []
        for attribute in now.attributes {
            problems += findings(was, attribute).map { problem(attribute.name, $0) }
        }
        for relationship in now.relationships {
            problems += findings(was, relationship).map { problem(relationship.name, $0) }
        }
        return problems + removals(was: was, now: now).map { problem($0.name, $0.finding) }
    }

    private struct Finding {
        var reason: String
        var cure: String
        var severity = SchemaProblem.Severity.error
    }

    // MARK: Attributes

    private func findings(_ entity: Entity, _ now: Attribute) -> [Finding] {
        if let other = entity.relationships.first(where: { $0.id == now.id }) {
            return [changed(now.id, from: "the relationship \"\(other.name)\"")]
        }
        guard let was = entity.attributes.first(where: { $0.id == now.id }) else {
            guard !now.isOptional, now.defaultValue == nil else { return [] }
            return [
                Finding(
                    reason: "it is new and not optional, and the records that are there have no value for it",
                    cure: "Give it a \"default\", or write \"optional\": true")
            ]
        }
        return kinds(was, now) + optionality(was, now) + defaults(was, now)
    }

    private func kinds(_ was: Attribute, _ now: Attribute) -> [Finding] {
        if was.kind == now.kind {
            guard was.widens != now.widens else { return [] }
            let cure = was.widens.map { "Write \"widens\": \"\($0.rawValue)\"" } ?? "Leave \"widens\" out"
            return [
                Finding(reason: "what it widens is not what it was; values would travel in another form", cure: cure)
            ]
        }
        guard isWider(was, now) else {
            guard was.widens == nil, now.widens == nil, Attribute.isWidening(was.kind, to: now.kind) else {
                return [changed(now.id, from: "the \(was.kind.rawValue) \"\(was.name)\"")]
            }
            return [
                Finding(
                    reason: "it was \(was.kind.rawValue) \"\(was.name)\", and does not say so",
                    cure: "Write \"widens\": \"\(was.kind.rawValue)\"")
            ]
        }
        return [
            Finding(
                reason:
                    "its type grows from \(was.kind.rawValue) to \(now.kind.rawValue); a device with version \(old.version) does not show records whose value is no \(was.kind.rawValue)",
                cure: "Let devices update soon after", severity: .warning)
        ]
    }

    /// Whether an attribute's type grows. An attribute widens once: after that it has values in a form that the next type
    /// would not accept. If several versions are skipped, the first step may have kept the form.
    private func isWider(_ was: Attribute, _ now: Attribute) -> Bool {
        if was.widens == now.widens { return Attribute.isOfSameForm(was.kind, in: now.kind) }
        guard was.widens == nil, let narrow = now.widens else { return false }
        return narrow == was.kind || Attribute.isOfSameForm(was.kind, in: narrow)
    }

    private func optionality(_ was: Attribute, _ now: Attribute) -> [Finding] {
        if was.isOptional, !now.isOptional, now.defaultValue == nil || was.defaultValue != nil {
            return [
                Finding(
                    reason: "it was optional, and records without a value would no longer fit",
                    cure: "Write \"optional\": true")
            ]
        }
        guard !was.isOptional, now.isOptional else { return [] }
        return [
            Finding(
                reason:
                    "it becomes optional; a device with version \(old.version) does not show records without a value",
                cure: "Let devices update before you leave it out", severity: .warning)
        ]
    }

    private func defaults(_ was: Attribute, _ now: Attribute) -> [Finding] {
        switch (was.defaultValue, now.defaultValue) {
        case (nil, nil): return []
        case (nil, _?):
            guard was.isOptional else { return [] }
            return [
                Finding(
                    reason: "it gets a default, which records whose value is nil will show from now on",
                    cure: "Leave the default out if that nil has a meaning", severity: .warning)
            ]
        case (_?, nil):
            guard now.isOptional else {
                // Already reported by `optionality`, if the attribute was optional.
                return was.isOptional
                    ? []
                    : [
                        Finding(
                            reason: "its default is gone, and records that say nothing of it would no longer fit",
                            cure: "Keep the default, or write \"optional\": true")
                    ]
            }
            return [
                Finding(
                    reason:
                        "its default is gone; records that say nothing of it, and showed the default, will show nil",
                    cure: "Keep the default if that matters", severity: .warning)
            ]
        case (let before?, let after?):
            guard now.widened(before) != after else { return [] }
            return [
                Finding(
                    reason:
                        "its default changes; records that say nothing of it, as those that are older than it, will show the new one",
                    cure: "Keep the default if that matters", severity: .warning)
            ]
        }
    }

    // MARK: Relationships

    private func findings(_ entity: Entity, _ now: Relationship) -> [Finding] {
        if let other = entity.attributes.first(where: { $0.id == now.id }) {
            return [changed(now.id, from: "the attribute \"\(other.name)\"")]
        }
        guard let was = entity.relationships.first(where: { $0.id == now.id }) else {
            return isRequired(now) ? [required("it is new and not optional")] : []
        }
        guard was.kind == now.kind, ends(was, in: old) == ends(now, in: new) else {
            return [
                changed(now.id, from: "the \(was.kind.rawValue) relationship to \"\(was.destination).\(was.inverse)\"")
            ]
        }
        let becomesRequired = (was.isOptional && isRequired(now)) || (mayLack(was, in: old) && !mayLack(now, in: new))
        let ends = SchemaEnds.warnings(was: was, in: old, now: now, in: new).map {
            Finding(reason: $0.reason, cure: $0.cure, severity: .warning)
        }
        guard was.deleteRule != now.deleteRule || was.isTree != now.isTree else {
            return (becomesRequired ? [becomesRequiredFinding(was)] : []) + ends
        }
        let rule = Finding(
            reason:
                "its delete rule changes, and with it what is visible; a device with version \(old.version) follows the old one",
            cure: "Let devices update soon after", severity: .warning)
        return (becomesRequired ? [becomesRequiredFinding(was), rule] : [rule]) + ends
    }

    /// Returns the destination and the inverse by their ids, which a rename keeps.
    private func ends(_ relationship: Relationship, in schema: Schema) -> [UInt32?] {
        let destination = schema.entity(named: relationship.destination)
        return [destination?.id.rawValue, inverse(of: relationship, in: schema)?.id.rawValue]
    }

    private func isRequired(_ relationship: Relationship) -> Bool {
        relationship.kind == .toOne && !relationship.isOptional
    }

    /// Whether the reference may be nil: by `optional`, or by a rule that can mask it.
    private func mayLack(_ relationship: Relationship, in schema: Schema) -> Bool {
        relationship.kind != .toOne || relationship.isOptional || relationship.isTree
            || [.nullify, .deny].contains(inverse(of: relationship, in: schema)?.deleteRule)
    }

    private func inverse(of relationship: Relationship, in schema: Schema) -> Relationship? {
        schema.entity(named: relationship.destination)?.relationship(named: relationship.inverse)
    }

    private func becomesRequiredFinding(_ was: Relationship) -> Finding {
        required(
            was.isOptional
                ? "it was optional and is no longer"
                : "with the rule that it had it could be nil all the same, and with the new one it cannot")
    }

    private func required(_ what: String) -> Finding {
        Finding(
            reason: "\(what), and records that are there may name none",
            cure: "Write \"optional\": true")
    }

    // MARK: Both

    private func changed(_ id: PropertyID, from was: String) -> Finding {
        Finding(
            reason: "its id \(id) was that of \(was)",
            cure: "Give it an id that was never used, and leave \(id) to what it was")
    }

    private func removals(was: Entity, now: Entity) -> [(name: String, finding: Finding)] {
        let kept = Set(now.attributes.map(\.id) + now.relationships.map(\.id))
        let attributes = was.attributes.map { ($0.id, $0.name, "") }
        let relationships = was.relationships.map { relationship in
            (
                relationship.id, relationship.name,
                cascades(relationship) ? ", and what a cascade by it hid is shown again" : ""
            )
        }
        return (attributes + relationships).filter { !kept.contains($0.0) }.map { id, name, effect in
            (
                name,
                Finding(
                    reason: "it is gone; what records have in it is kept but not shown\(effect)",
                    cure: "Never give its id \(id) to another property", severity: .warning)
            )
        }
    }

    /// Whether a delete at either end hides the other.
    private func cascades(_ relationship: Relationship) -> Bool {
        [relationship, inverse(of: relationship, in: old)].contains { $0?.deleteRule == .cascade || $0?.isTree == true }
    }
}
