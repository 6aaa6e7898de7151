internal import GRDB
internal import Replica
internal import RoostModel

/// An overlay that shows a context's unsaved changes to SQL on one connection: a temporary view covers each changed table under
/// its name. A predicate therefore has one meaning for saved and unsaved objects.
struct PendingOverlay {
    let database: Database
    let model: ObjectModel
    let pending: PendingChanges

    /// Covers the tables with views while `body` runs.
    func over<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard !pending.isEmpty else { return try body(database) }
        let gone = pending.gone.filter { !$0.value.isEmpty }
        let rows = pending.rows.filter { !$0.value.isEmpty }
        let touched = touchedEntities(rows: Set(rows.keys), gone: Set(gone.keys))
        defer { try? remove(touched) }
        for entity in touched {
            try database.executeOne("CREATE TEMP TABLE \(goneTable(entity.id))(id PRIMARY KEY) WITHOUT ROWID")
            try database.executeOne(
                "CREATE TEMP TABLE \(rowTable(entity.id)) AS SELECT * FROM main.\(entity.table) LIMIT 0")
            try database.executeOne("CREATE UNIQUE INDEX temp.\(indexName(entity.id)) ON \(rowTable(entity.id))(id)")
            try fill(entity, rows[entity.id] ?? [:], gone[entity.id] ?? [])
        }
        for entity in touched { try database.executeOne(view(entity, gone: Set(gone.keys))) }
        return try body(database)
    }

    /// Returns the entities that have changes, and the entities whose references to deleted objects are masked.
    private func touchedEntities(rows: Set<EntityID>, gone: Set<EntityID>) -> [EntityDescription] {
        let holders = gone.flatMap { entity in
            model.incoming(entity).filter { $0.column.reference?.isMaskable == true }.map(\.holder.id)
        }
        return rows.union(gone).union(holders).sorted { $0.rawValue < $1.rawValue }.compactMap { model[$0] }
    }

    private func fill(_ entity: EntityDescription, _ rows: [RecordID: [Value]], _ gone: Set<RecordID>) throws {
        let marks = Array(repeating: "?", count: entity.columns.count + 1).joined(separator: ", ")
        let names = (["id"] + entity.columns.map(\.quoted)).joined(separator: ", ")
        let insert = try database.query("INSERT INTO temp.\(rowTable(entity.id))(\(names)) VALUES (\(marks))")
        for (id, values) in rows {
            insert.bind(1, id)
            for (index, value) in values.enumerated() { insert.bind(Int32(index + 2), value, as: entity.kinds[index]) }
            try insert.run()
        }
        let hide = try database.query("INSERT INTO temp.\(goneTable(entity.id)) VALUES (?)")
        for id in gone {
            hide.bind(1, id)
            try hide.run()
        }
    }

    private func view(_ entity: EntityDescription, gone: Set<EntityID>) -> String {
        let columns = entity.columns.map { column -> String in
            guard let reference = column.reference, reference.isMaskable,
                gone.contains(reference.destination)
            else {
                return column.quoted
            }
            let goneOnes = "SELECT id FROM temp.\(goneTable(reference.destination))"
            return "CASE WHEN \(column.quoted) IN (\(goneOnes)) THEN NULL ELSE \(column.quoted) END AS \(column.quoted)"
        }
        let list = (["id"] + columns).joined(separator: ", ")
        return """
            CREATE TEMP VIEW \(entity.table) AS
            SELECT \(list) FROM main.\(entity.table)
              WHERE id NOT IN (SELECT id FROM temp.\(goneTable(entity.id)))
                AND id NOT IN (SELECT id FROM temp.\(rowTable(entity.id)))
            UNION ALL SELECT \(list) FROM temp.\(rowTable(entity.id))
            """
    }

    private func remove(_ touched: [EntityDescription]) throws {
        for entity in touched {
            try database.executeEach(
                "DROP VIEW IF EXISTS temp.\(entity.table)", "DROP TABLE IF EXISTS temp.\(rowTable(entity.id))",
                "DROP TABLE IF EXISTS temp.\(goneTable(entity.id))")
        }
    }

    private func rowTable(_ entity: EntityID) -> String { "\"roost_pending_\(entity)\"" }
    private func goneTable(_ entity: EntityID) -> String { "\"roost_gone_\(entity)\"" }
    private func indexName(_ entity: EntityID) -> String { "\"roost_pending_id_\(entity)\"" }
}
