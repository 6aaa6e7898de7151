/// The behaviour of a schema's stored references while their targets are not visible. Merging needs nothing else of a
/// schema.
package struct ReferenceRules: Hashable, Sendable {
    /// One stored to-one relationship.
    package struct Rule: Hashable, Sendable {
        package let entity: EntityID
        package let relationship: PropertyID
        package let destination: EntityID
        /// The rule that the destination's side declares; cascade for a tree.
        package let deleteRule: Relationship.DeleteRule
        package let isTree: Bool
    }

    /// Every stored reference, by the entity that holds it, in ascending order of relationship.
    package let outgoing: [EntityID: [Rule]]
    /// Every stored reference, by the entity of its target.
    package let incoming: [EntityID: [Rule]]

    /// Whether any reference has the rule deny.
    package let usesDeny: Bool
    /// The entities that have a tree relationship.
    package let treeEntities: Set<EntityID>

    /// Whether every visible record has a put as its newest change and only visible cascade parents, because no deny rule
    /// or tree can show any other record. Then an edit that keeps a record's references does not change which records are
    /// visible.
    package var visibleIsPut: Bool { !usesDeny && treeEntities.isEmpty }

    package init(_ rules: [Rule]) {
        usesDeny = rules.contains { $0.deleteRule == .deny }
        treeEntities = Set(rules.filter(\.isTree).map(\.entity))
        outgoing = Dictionary(grouping: rules, by: \.entity).mapValues {
            $0.sorted { $0.relationship < $1.relationship }
        }
        incoming = Dictionary(grouping: rules, by: \.destination)
    }

    /// Reads the rules from a schema that has been validated.
    package init(_ schema: Schema) {
        var rules: [Rule] = []
        let ids = Dictionary(uniqueKeysWithValues: schema.entities.map { ($0.name, $0) })
        for entity in schema.entities {
            for relationship in entity.references {
                guard let destination = ids[relationship.destination] else { continue }
                let declared = destination.relationship(named: relationship.inverse)?.deleteRule ?? .nullify
                rules.append(
                    Rule(
                        entity: entity.id, relationship: relationship.id, destination: destination.id,
                        deleteRule: relationship.isTree ? .cascade : declared, isTree: relationship.isTree))
            }
        }
        for link in schema.linkEntities {
            for end in link.references {
                guard let destination = ids[end.destination] else { continue }
                // A link is deleted with either of its ends, unless that end declares that links hold it back.
                let declared = destination.relationship(named: end.inverse)?.deleteRule
                rules.append(
                    Rule(
                        entity: link.id, relationship: end.id, destination: destination.id,
                        deleteRule: declared == .deny ? .deny : .cascade, isTree: false))
            }
        }
        self.init(rules)
    }

    package func rule(_ entity: EntityID, _ relationship: PropertyID) -> Rule? {
        outgoing[entity]?.first { $0.relationship == relationship }
    }
}
