package import GRDB
package import RoostModel

/// The records that the tables store but do not show (decision 7), for the object layer. It shows records that a change
/// brings back before that change is saved.
package struct HiddenRecords {
    let database: Database
    let layout: Layout

    /// Returns the stored targets of a record's masked references: they read nil because their target is not visible.
    package func maskedReferences(of record: RecordKey) throws -> [PropertyID: RecordID] {
        try RowStore(database, layout).maskedReferences(of: record)
    }

    /// Returns the deleted ones among some records, if their content is kept.
    package func deleted(among records: [RecordKey]) throws -> Set<RecordKey> {
        let rows = try RowStore(database, layout)
        return Set(try records.filter { try rows.place(of: $0) == .hidden(isDeleted: true) })
    }

    /// Returns the columns of a deleted record in ascending order of properties, with its references as stored; `nil` if the
    /// record is not deleted or its content is not kept.
    package func content(ofDeleted record: RecordKey) throws -> [Value]? {
        guard let table = layout[record.entity] else { return nil }
        let query = try database.query(
            "SELECT \(table.columnList) FROM \(table.hidden) WHERE id = ? AND roost_deleted = 1")
        query.bind(1, record.id)
        guard var values = try query.first({ $0.values(from: 1, as: table.slots.map(\.kind)) }) else { return nil }
        for (property, target) in try maskedReferences(of: record) {
            guard let index = table.columns.firstIndex(where: { $0.property == property }) else { continue }
            values[index] = .data(target.bytes)
        }
        return values
    }

    /// Returns the hidden, not deleted records whose stored reference names one of `targets`, with their columns in
    /// ascending order of properties.
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

    /// Returns the records whose masked reference names one of `targets`, with the target and with their own visibility.
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
    /// Returns the hidden records as a connection of the replica sees them.
    package func hiddenRecords(_ database: Database) -> HiddenRecords {
        HiddenRecords(database: database, layout: layout)
    }
}

extension MemoryReplica {
    /// Returns the hidden records as the connection sees them.
    package func hiddenRecords(_ database: Database) -> HiddenRecords {
        HiddenRecords(database: database, layout: layout)
    }
}
