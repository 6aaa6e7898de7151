internal import GRDB
internal import Replica
internal import RoostModel

/// The records, of a given set, that a store shows.
struct StoredRows {
    private(set) var found: Set<ObjectID> = []

    init(_ objects: [ManagedObject], _ database: Database) throws {
        for ofEntity in Dictionary(grouping: objects, by: \.objectID.entity).values {
            guard let first = ofEntity.first else { continue }
            try look(for: ofEntity.map(\.objectID.record), first.layout, first.objectID.store, database)
        }
    }

    init(_ records: [RecordID], of layout: EntityDescription, in store: StoreID, _ database: Database) throws {
        try look(for: records, layout, store, database)
    }

    private mutating func look(
        for records: [RecordID], _ layout: EntityDescription, _ store: StoreID, _ database: Database
    ) throws {
        try database.query(records) { marks in
            "SELECT id FROM \(layout.table) WHERE id IN (\(marks))"
        } read: { row in
            if let record = row.id(0) { found.insert(ObjectID(record: record, entity: layout.id, store: store)) }
        }
    }

    func contains(_ id: ObjectID) -> Bool { found.contains(id) }
}
