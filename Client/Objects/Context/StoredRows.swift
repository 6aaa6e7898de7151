internal import GRDB
internal import Replica

/// Which of some new objects a store shows already: their identifiers were given, or somebody else made the same.
struct StoredRows {
    private var found: Set<ObjectID> = []

    init(_ objects: [ManagedObject], _ database: Database) throws {
        for ofEntity in Dictionary(grouping: objects, by: \.objectID.entity).values {
            guard let first = ofEntity.first else { continue }
            for chunk in ofEntity.chunks(of: SQLNumbers.idsAtOnce) {
                let query = try database.query(
                    "SELECT id FROM \(first.layout.table) WHERE id IN (\(SQLNumbers.marks(chunk.count)))")
                for (index, object) in chunk.enumerated() { query.bind(Int32(index + 1), object.objectID.record) }
                while try query.step() {
                    guard let record = query.id(0) else { continue }
                    found.insert(ObjectID(record: record, entity: first.objectID.entity, store: first.objectID.store))
                }
            }
        }
    }

    func contains(_ id: ObjectID) -> Bool { found.contains(id) }
}
