internal import GRDB
internal import Replica

/// Which of some new objects a store shows already: their identifiers were given, or somebody else made the same.
struct StoredRows {
    private var found: Set<ObjectID> = []

    init(_ objects: [ManagedObject], _ database: Database) throws {
        for ofEntity in Dictionary(grouping: objects, by: \.objectID.entity).values {
            guard let first = ofEntity.first else { continue }
            try database.query(ofEntity.map(\.objectID.record)) { marks in
                "SELECT id FROM \(first.layout.table) WHERE id IN (\(marks))"
            } read: { row in
                guard let record = row.id(0) else { return }
                found.insert(ObjectID(record: record, entity: first.objectID.entity, store: first.objectID.store))
            }
        }
    }

    func contains(_ id: ObjectID) -> Bool { found.contains(id) }
}
