internal import RoostModel

/// The tables of a schema, with the additions of other programs. Every part of the replica looks up tables and rules in it.
final class Layout: Sendable {
    let schema: Schema
    let rules: ReferenceRules
    /// The tables in the order of the schema, links last.
    let tables: [EntityTable]
    /// The query of a ``TableOccupancy``.
    let occupancyProbe: String
    /// The form of the identifiers in the file.
    let identifiers: IdentifierForm
    private let byEntity: [EntityID: EntityTable]

    /// The entities, each after the entities whose records are its cascade children. A hierarchy or a cycle of entities has no
    /// such order.
    let referrersFirst: [EntityID]

    /// Whether a trigger of another program runs with writes of any visible table.
    let hasUserTriggers: Bool

    /// - Parameters:
    ///   - tableNames: The names of tables that differ from those of their entities.
    ///   - additions: The additions of other programs to visible tables.
    init(
        _ schema: Schema, _ identifiers: IdentifierForm, tableNames: [EntityID: String] = [:],
        additions: [EntityID: UserAdditions] = [:]
    ) {
        self.schema = schema
        self.identifiers = identifiers
        let rules = ReferenceRules(schema)
        self.rules = rules
        tables = schema.recordEntities.map { entity in
            EntityTable(
                entity, rules: rules, identifiers, table: tableNames[entity.id],
                additions: additions[entity.id] ?? UserAdditions())
        }
        hasUserTriggers = tables.contains(where: \.additions.hasTriggers)
        occupancyProbe = TableOccupancy.probe(of: tables)
        referrersFirst = Self.referrersFirst(tables.map(\.entity), rules)
        byEntity = Dictionary(uniqueKeysWithValues: tables.map { ($0.entity, $0) })
    }

    private static func referrersFirst(_ entities: [EntityID], _ rules: ReferenceRules) -> [EntityID] {
        var order: [EntityID] = []
        var seen: Set<EntityID> = []
        func visit(_ entity: EntityID) {
            guard seen.insert(entity).inserted else { return }
            for rule in rules.incoming[entity] ?? [] where rule.deleteRule == .cascade { visit(rule.entity) }
            order.append(entity)
        }
        for entity in entities { visit(entity) }
        return order
    }

    subscript(_ entity: EntityID) -> EntityTable? { byEntity[entity] }

    /// Returns the stored references to records of `entity`, with the table and column that store them.
    func incoming(_ entity: EntityID) -> [(rule: ReferenceRules.Rule, table: EntityTable, column: EntityTable.Column)] {
        (rules.incoming[entity] ?? []).compactMap { rule in
            guard let table = byEntity[rule.entity], let column = table.column(of: rule.relationship) else {
                return nil
            }
            return (rule, table, column)
        }
    }
}
