internal import GRDB
internal import Replica
internal import RoostModel

/// What the tables of a replica keep and do not show (decision 7: hidden tables and masked references).
extension TableBackend {
    func maskedReferences(of record: RecordKey) throws -> [PropertyID: RecordID] {
        try read("read what a record names") { database in
            let query = try database.query("SELECT relationship, target FROM roost_raw WHERE entity = ? AND id = ?")
            query.bind(1, record.entity.rawValue)
            query.bind(2, record.id)
            var references: [PropertyID: RecordID] = [:]
            while try query.step() { references[PropertyID(UInt32(clamping: query.integer(0)))] = query.id(1) }
            return references
        }
    }

    func deletedRecords(among records: [RecordKey]) throws -> Set<RecordKey> {
        try read("look for deleted records") { database in
            var found: Set<RecordKey> = []
            for record in records {
                guard let entity = schema.recordEntities.first(where: { $0.id == record.entity }) else { continue }
                let query = try database.query(
                    "SELECT 1 FROM \(hiddenTable(entity.name)) WHERE id = ? AND roost_deleted = 1")
                query.bind(1, record.id)
                if try query.first({ _ in true }) != nil { found.insert(record) }
            }
            return found
        }
    }

    func hiddenRows(
        _ holder: EntityDescription, _ column: StoredProperty, naming targets: [RecordID]
    ) throws -> [(RecordID, [Value])] {
        try read("look for hidden records") { database in
            var found: [(RecordID, [Value])] = []
            for chunk in targets.chunks(of: SQLNumbers.idsAtOnce) {
                let query = try database.query(
                    """
                    SELECT \(holder.columnList("t0")) FROM \(hiddenTable(holder.name)) AS t0
                    WHERE t0.\(column.quoted) IN (\(SQLNumbers.marks(chunk.count))) AND t0.roost_deleted = 0 ORDER BY t0.id
                    """)
                for (index, id) in chunk.enumerated() { query.bind(Int32(index + 1), id) }
                while try query.step() {
                    guard let id = query.id(0) else { continue }
                    found.append((id, query.values(from: 1, as: holder.kinds)))
                }
            }
            return found
        }
    }

    func maskedHolders(
        _ holder: EntityDescription, _ column: StoredProperty, naming targets: [RecordID]
    ) throws -> [(RecordID, RecordID)] {
        try read("look for references that read nil") { database in
            var found: [(RecordID, RecordID)] = []
            for chunk in targets.chunks(of: SQLNumbers.idsAtOnce) {
                let query = try database.query(
                    """
                    SELECT r.id, r.target FROM roost_raw AS r JOIN \(holder.table) AS t0 ON t0.id = r.id
                    WHERE r.entity = ? AND r.relationship = ? AND r.target IN (\(SQLNumbers.marks(chunk.count))) ORDER BY r.id
                    """)
                query.bind(1, holder.id.rawValue)
                query.bind(2, column.id.rawValue)
                for (index, id) in chunk.enumerated() { query.bind(Int32(index + 3), id) }
                while try query.step() {
                    if let id = query.id(0), let target = query.id(1) { found.append((id, target)) }
                }
            }
            return found
        }
    }

    private func hiddenTable(_ entity: String) -> String { "\"roost_hidden_\(entity.lowercased())\"" }
}
