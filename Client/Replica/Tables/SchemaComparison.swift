internal import RoostMerge
internal import RoostModel

/// What has to be done to a replica's tables to make them those of a later version.
struct SchemaComparison {
    /// Entities that are in both versions, and whose tables are to be made anew.
    private(set) var changed: Set<EntityID> = []
    /// Entities whose records the later version does not know.
    private(set) var removed: Set<EntityID> = []
    /// Entities of which something may become visible or not: a reference with its rule came, went or changed.
    private(set) var unsettled: Set<EntityID> = []

    init(_ old: Layout, _ new: Layout) {
        for was in old.tables {
            guard let now = new[was.entity] else {
                removed.insert(was.entity)
                continue
            }
            if was.table != now.table || was.shape != now.shape { changed.insert(was.entity) }
        }
        let (before, after) = (Set(old.rules.all), Set(new.rules.all))
        for rule in before.symmetricDifference(after) {
            unsettled.formUnion([rule.entity, rule.destination])
            // Its references are shown as stored again, and then derived.
            if new[rule.entity] != nil, old[rule.entity] != nil { changed.insert(rule.entity) }
        }
        unsettled.formIntersection(new.tables.map(\.entity))
    }

    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` where the later version may not follow.
    static func check(from old: Schema, to new: Schema) throws {
        let action =
            "Cannot migrate from version \(old.version) of the schema \"\(old.name)\" to version \(new.version)"
        guard new.version > old.version else {
            throw ReplicaError(.cannotMigrate, "\(action): versions only ascend. Give the newer one a greater version.")
        }
        let problems = new.problems(asLaterVersionOf: old).filter { $0.severity == .error }
        guard problems.isEmpty else {
            throw ReplicaError(
                .cannotMigrate, "\(action): \(problems.map(\.description).joined(separator: " ")) Nothing was changed.")
        }
    }
}

extension ReferenceRules {
    var all: [Rule] { outgoing.values.flatMap { $0 } }
}

extension EntityTable {
    /// All that its tables are made of but their names.
    var shape: [Column.Shape] { columns.map(Column.Shape.init) }
}

extension EntityTable.Column {
    struct Shape: Hashable {
        let property: PropertyID
        let name: String
        let attribute: Attribute?
        let isRequiredReference: Bool

        init(_ column: EntityTable.Column) {
            property = column.property
            name = column.name
            switch column.kind {
            case .attribute(let attribute): (self.attribute, isRequiredReference) = (attribute, false)
            case .reference(let rule, let isOptional):
                (attribute, isRequiredReference) = (nil, !isOptional && !rule.isMaskable)
            }
        }
    }
}
