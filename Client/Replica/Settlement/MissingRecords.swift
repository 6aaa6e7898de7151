internal import GRDB
internal import RoostModel

/// Records whose row is missing from its table without evidence that a user deleted them: the table `roost_missing`.
///
/// A program that dropped, rebuilt or reloaded a table may have omitted them without intending to delete them on every device.
struct MissingRecords {
    let database: Database
    let layout: Layout

    /// Returns the recorded records that exist and still have no row. A record that another device has deleted, that
    /// the server has purged, or whose first put the server has refused does not exist any more.
    func keys() throws -> [RecordKey] {
        let query = try database.query("SELECT m.entity, m.id FROM roost_missing AS m ORDER BY m.entity, m.id")
        let keys = try query.all { $0.key(0) }.compactMap(\.self)
        guard !keys.isEmpty else { return [] }
        let stamps = EffectiveStamps(database: database, replica: try StateStore(database: database).replica)
        return try keys.filter { try stamps.own($0) == .put && !hasRow($0) }
    }

    func contains(_ key: RecordKey) throws -> Bool {
        let query = try database.query("SELECT 1 FROM roost_missing AS m WHERE m.entity = ? AND m.id = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        return try query.first { _ in true } ?? false
    }

    func add(_ key: RecordKey) throws {
        let query = try database.query("INSERT INTO roost_missing(entity, id) VALUES (?, ?) ON CONFLICT DO NOTHING")
        query.bind(1, key.entity.rawValue)
        query.bind(2, key.id)
        try query.run()
    }

    /// Adds the records without a row of which a push in flight may contain the content, such as new records of a table that was
    /// dropped. The reply restores them; until then nothing else tells that they were not deleted.
    func addUnderWay() throws {
        guard try !database.isEmpty("roost_push") else { return }
        for table in layout.tables {
            let hasNoRow = [table.visible, table.hidden].map {
                "NOT EXISTS (SELECT 1 FROM \($0) AS x WHERE x.\"id\" = o.id)"
            }
            try database.query(
                """
                INSERT INTO roost_missing(entity, id)
                  SELECT o.entity, o.id FROM roost_outbox AS o CROSS JOIN roost_control AS c
                  WHERE o.entity = \(table.entity) AND o.put_stamp IS NOT NULL AND o.first < c.sealed
                    AND NOT EXISTS (SELECT 1 FROM roost_unfit AS x WHERE x.entity = o.entity AND x.id = o.id)
                    AND \(hasNoRow.joined(separator: " AND "))
                  ON CONFLICT DO NOTHING
                """
            ).run()
        }
    }

    /// Removes the entity's records that have a row again.
    func forgetFound(_ table: EntityTable) throws {
        for place in [table.visible, table.hidden] {
            try database.query(
                """
                DELETE FROM roost_missing AS m WHERE m.entity = \(table.entity)
                  AND EXISTS (SELECT 1 FROM \(place) AS x WHERE x."id" = m.id)
                """
            ).run()
        }
    }

    /// Journals as beaten each record whose missing row a page has restored, and removes it from `roost_missing`: the page would
    /// have beaten a tracked delete, too.
    ///
    /// - Parameter asked: The records without a row before the page.
    func recordRestored(_ asked: [RecordKey], _ journal: Journal) throws {
        guard !asked.isEmpty else { return }
        let stamps = EffectiveStamps(database: database, replica: .unregistered)
        let forget = try database.query("DELETE FROM roost_missing WHERE entity = ? AND id = ?")
        for key in asked where try hasRow(key) {
            try journal.record(
                .beaten, key, stamp: HybridTimestamp(time: UInt64(clamping: journal.now) << 16, replica: .unregistered),
                put: nil, by: stamps.confirmed(key).put?.stamp,
                reason:
                    "Its row was missing here, and you were asked whether it was deleted. Another device has edited it meanwhile, and the row "
                    + "is restored. Delete it again if that was meant.")
            forget.bind(1, key.entity.rawValue)
            forget.bind(2, key.id)
            try forget.run()
        }
    }

    /// Starts a full resynchronisation if a deleted record that deny rules keep visible has no row: only the server has its
    /// content.
    func resyncIfKeptIsGone() throws {
        guard layout.rules.usesDeny else { return }
        let rows = try RowStore(database, layout)
        let isGone = try RecordKeyTable.kept.all(database).contains { try !hasRow($0) && !rows.isUnfit($0) }
        if isGone, try StateStore(database: database).pullingAnew == nil {
            try ServerCopy(database: database).start(.damaged)
        }
    }

    func forgetAll() throws { try database.query("DELETE FROM roost_missing").run() }

    private func hasRow(_ key: RecordKey) throws -> Bool {
        guard let table = layout[key.entity] else { return false }
        let query = try database.query(table.sql.place)
        query.bind(1, key.id)
        return try query.first { $0.optionalInteger(0) != nil } ?? false
    }
}
