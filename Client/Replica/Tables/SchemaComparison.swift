internal import RoostMerge
internal import RoostModel

/// The changes that turn a replica's tables into those of a later version of the schema.
struct SchemaComparison {
    /// The entities of both versions whose tables must be rebuilt.
    private(set) var changed: Set<EntityID> = []
    /// The entities whose records the later version does not know.
    private(set) var removed: Set<EntityID> = []
    /// The entities whose records may become visible or hidden, because a reference or its rule was added, removed or changed.
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
            // The references are shown as stored again, and visibility is then derived.
            if new[rule.entity] != nil, old[rule.entity] != nil { changed.insert(rule.entity) }
        }
        unsettled.formIntersection(new.tables.map(\.entity))
    }

    /// Checks that a schema may follow another one.
    ///
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` where it may not.
    static func check(from old: Schema, to new: Schema) throws {
        let action =
            "Cannot migrate from version \(old.version) of the schema \"\(old.name)\" to version \(new.version)"
        guard new.version > old.version else {
            throw ReplicaError(.cannotMigrate, "\(action): versions only ascend. Give the newer one a greater version.")
        }
        let problems = new.problems(asLaterVersionOf: old).filter { $0.severity == .error }
        guard let first = problems.first else { return }
        guard problems.count > 1 else {
            throw ReplicaError(.cannotMigrate, "\(action): \(first) Nothing was changed.")
        }
        let lines = problems.map(\.description).joined(separator: "\n")
        throw ReplicaError(
            .cannotMigrate, "\(action), for \(problems.count) reasons. Nothing was changed.\n\(lines)")
    }
}

extension ReferenceRules {
    var all: [Rule] { outgoing.values.flatMap { $0 } }
}

extension EntityTable {
    /// The columns as the tables declare them, without the names of the tables.
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
