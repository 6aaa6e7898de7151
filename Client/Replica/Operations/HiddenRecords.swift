package import GRDB
package import RoostModel

/// What the tables keep and do not show (decision 7), for the object layer: it shows what comes back before that is saved.
package struct HiddenRecords {
    let database: Database
    let layout: Layout

    /// The references of a record that read nil because what they name is not visible, as they are stored.
    package func maskedReferences(of record: RecordKey) throws -> [PropertyID: RecordID] {
        try RowStore(database, layout).maskedReferences(of: record)
    }

    /// Which of some records are deleted, with their content kept.
    package func deleted(among records: [RecordKey]) throws -> Set<RecordKey> {
        let rows = try RowStore(database, layout)
        return Set(try records.filter { try rows.place(of: $0) == .hidden(isDeleted: true) })
    }

    /// The columns of a deleted record in ascending order of properties, with its references as they are stored; `nil` where it is not
    /// deleted, or its content is not kept.
    package func content(ofDeleted record: RecordKey) throws -> [Value]? {
        guard let table = layout[record.entity] else { return nil }
        let query = try database.query(
            "SELECT \(table.columnList) FROM \(table.hidden) WHERE id = ? AND roost_deleted = 1")
        query.bind(1, record.id)
        guard var values = try query.first({ $0.values(from: 1, as: table.slots.map(\.kind)) }) else { return nil }
        for (property, target) in try maskedReferences(of: record) {
            guard let index = table.columns.firstIndex(where: { $0.property == property }) else { continue }
            values[index] = .bytes(target.bytes)
        }
        return values
    }

    /// Records that are hidden because of others, with their columns in ascending order of properties: those whose stored reference
    /// names one of `targets`.
    package func rows(
        _ entity: EntityID, naming targets: [RecordID], by relationship: PropertyID
    ) throws -> [(id: RecordID, values: [Value])] {
        guard let table = layout[entity], let column = table.column(of: relationship) else { return [] }
        var found: [(id: RecordID, values: [Value])] = []
        let kinds = table.slots.map(\.kind)
        try database.query(targets) { marks in
            """
            SELECT \(table.columnList) FROM \(table.hidden) WHERE \(column.quoted) IN (\(marks)) AND roost_deleted = 0 ORDER BY id
            """
        } read: { row in
            if let id = row.id(0) { found.append((id, row.values(from: 1, as: kinds))) }
        }
        return found
    }

    /// Records whose reference reads nil though it is stored as one of `targets`, which, and whether they are visible themselves.
    package func maskedHolders(
        _ entity: EntityID, naming targets: [RecordID], by relationship: PropertyID
    ) throws -> [(id: RecordID, target: RecordID, isVisible: Bool)] {
        guard let table = layout[entity] else { return [] }
        var found: [(id: RecordID, target: RecordID, isVisible: Bool)] = []
        let leading: [Value] = [.integer(Int64(entity.rawValue)), .integer(Int64(relationship.rawValue))]
        try database.query(targets, after: leading) { marks in
            """
            SELECT r.id, r.target, v.id FROM roost_raw AS r LEFT JOIN \(table.visible) AS v ON v.id = r.id
            WHERE r.entity = ? AND r.relationship = ? AND r.target IN (\(marks)) ORDER BY r.id
            """
        } read: { row in
            if let id = row.id(0), let target = row.id(1) { found.append((id, target, row.id(2) != nil)) }
        }
        return found
    }
}

extension Replica {
    /// What the tables keep and do not show, as a connection of the replica sees it.
    package func hiddenRecords(_ database: Database) -> HiddenRecords {
        HiddenRecords(database: database, layout: layout)
    }
}

extension MemoryReplica {
    /// What the tables keep and do not show, as the connection sees it.
    package func hiddenRecords(_ database: Database) -> HiddenRecords {
        HiddenRecords(database: database, layout: layout)
    }
}
