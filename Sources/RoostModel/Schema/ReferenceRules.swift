/// How the stored references of a schema behave when what they name is not visible: all that merging needs to know of a
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
    /// Every stored reference, by the entity it names.
    package let incoming: [EntityID: [Rule]]

    /// Whether any reference has the rule deny.
    package let usesDeny: Bool
    /// The entities that have a tree.
    package let treeEntities: Set<EntityID>

    /// Whether a record that is visible has a put as its newest change, and all that it hangs off is visible: nothing else can
    /// keep it in sight. Then an edit that leaves its references as they are changes nothing of what is visible.
    package var visibleIsPut: Bool { !usesDeny && treeEntities.isEmpty }

    package init(_ rules: [Rule]) {
        usesDeny = rules.contains { $0.deleteRule == .deny }
        treeEntities = Set(rules.filter(\.isTree).map(\.entity))
        outgoing = Dictionary(grouping: rules, by: \.entity).mapValues {
            $0.sorted { $0.relationship < $1.relationship }
        }
        incoming = Dictionary(grouping: rules, by: \.destination)
    }

    /// Reads the rules off a schema that has been validated.
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
                // A link goes with either of its ends, unless that end says that links hold it back.
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
