internal import GRDB
internal import RoostMerge
internal import RoostModel

/// A comparison of the rows of visible and hidden tables with their facts, for tables in which triggers may have missed writes.
///
/// A row that differs from its fact, or has none, becomes a local change. A missing row is a deletion only where the table and
/// its triggers prove it. Otherwise its record is added to `roost_missing`, because a program that dropped or rebuilt a table did
/// not mean to delete its records on every device.
struct RowComparison {
    /// The history of a table and its triggers since rows and facts last agreed.
    enum Evidence: Hashable {
        /// The table and its triggers are unchanged.
        case intact
        /// Triggers were missing for a while, or the table was rebuilt with its rows.
        case rebuilt
        /// The table was dropped or is another one, so none of its rows was deleted.
        case replaced
    }

    struct Result: Hashable {
        /// The number of rows that became local changes.
        var changed = 0
        /// The number of records that count as deleted.
        var deleted = 0
        /// The number of records whose rows are missing.
        var missing = 0
        /// New records that had not been sent and have no row any more.
        var vanished: [RecordKey] = []

        static func += (left: inout Result, right: Result) {
            left.changed += right.changed
            left.deleted += right.deleted
            left.missing += right.missing
            left.vanished += right.vanished
        }
    }

    private static let recordsAtOnce = 500

    private let database: Database
    private let layout: Layout
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private let outbox: Outbox
    private let kept: Set<RecordKey>
    /// Records whose rows are in a table that was set aside. They are not gone.
    var setAside: Set<RecordKey> = []
    /// Records that had not been sent and have no row any more. What depends on them is still to be derived.
    private var gone: [RecordKey] = []

    /// Prepares a comparison inside a write transaction, after all marks were moved to the outbox.
    init(_ database: Database, _ layout: Layout) throws {
        self.database = database
        self.layout = layout
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try StateStore(database: database).replica)
        outbox = Outbox(database: database)
        kept = try RecordKeyTable.kept.all(database)
    }

    /// Compares one table. It reads and hashes every row. The changes are unsettled afterwards.
    ///
    /// - Parameter deletesMax: The number of rows that may be gone according to the triggers. Where more are missing, none of
    ///   them counts as deleted.
    mutating func run(_ table: EntityTable, _ evidence: Evidence, deletesMax: Int) throws -> Result {
        let state = StateStore(database: database)
        // After a repair, differing rows are corrupt, and the full resynchronisation restores them.
        guard try state.integer(.salvaged) == nil else { return Result() }
        try forgetMasks(table)
        var clock = try state.hybridClock
        let wall = try database.wallClock()
        var result = Result()
        for key in try differing(table) {
            try outbox.add(key, .put, time: clock.tick(wall: wall))
            result.changed += 1
        }
        if evidence != .intact {
            try outbox.unsettle(table.entity)
            if try outbox.isAnyUnderWay(table.entity) {
                // A sealed push may be older than its row. All rows are compared with the next complete page.
                try state.set(.scrubbed, .integer(0))
                try state.set(.scrubPlace, .null)
            }
        }
        let records = MissingRecords(database: database, layout: layout)
        try records.forgetFound(table)
        let missing = try missing(of: table) + vanished(of: table)
        // While a full resynchronisation runs, rows that were lost with a table are still to come.
        let isAwaited = try evidence == .replaced || state.pullingAnew != nil
        var isDelete = evidence == .intact && !isAwaited && missing.count <= deletesMax
        #if ROOST_SEEDED_BUGS
            if SeededBug.missingRowsAreDeletes.isOn { isDelete = true }
        #endif
        if isDelete {
            for key in missing {
                guard try stamps.confirmed(key) != SlotStamps() else {
                    try outbox.forget(key)
                    gone.append(key)
                    continue
                }
                try outbox.addDeleteOfLostRow(key, time: clock.tick(wall: wall), rows)
            }
            result.deleted = missing.count
        } else if isAwaited {
            result.missing = missing.count
        } else {
            let isUnderWay = try outbox.isAnyUnderWay(table.entity)
            for key in missing {
                // Content that the server never had cannot be restored, and needs no delete.
                guard try isUnderWay || stamps.confirmed(key) != SlotStamps() else {
                    if !setAside.contains(key) {
                        result.vanished.append(key)
                        if evidence == .rebuilt { try recordVanished(key, table, at: wall) }
                    }
                    try outbox.forget(key)
                    gone.append(key)
                    continue
                }
                try records.add(key)
                result.missing += 1
            }
        }
        try state.receive(clock.last)
        return result
    }

    /// Journals a new record whose row went while its table was not tracked. Its content is lost.
    ///
    /// - Parameter wall: Milliseconds since 1970.
    private func recordVanished(_ key: RecordKey, _ table: EntityTable, at wall: UInt64) throws {
        guard let stamp = try stamps.pending(key).put else { return }
        try Journal(database: database, now: Int64(clamping: wall)).record(
            .damaged, key, stamp: stamp, put: nil,
            reason:
                "This record had not been sent, and its row is gone: another program took it away, or made the table "
                + "\"\(table.table)\" again without it.")
    }

    /// Counts the missing rows of a table for which no delete is recorded.
    func countOfMissing(_ table: EntityTable) throws -> Int { try missing(of: table).count + vanished(of: table).count }

    /// Derives what follows from records that exist nowhere any more. Must be called once, after all tables were compared.
    ///
    /// - Parameter moving: Called before rows are written, if any may have to be.
    func deriveGone(moving: () throws -> Void = {}) throws {
        guard !gone.isEmpty else { return }
        try Visibility(rows: rows, stamps: stamps).update(
            gone.map { ChangedRecord(key: $0, own: .absent) }, moving: moving)
    }

    // MARK: Existing rows

    /// Discards each stored masked reference whose row has a reference again: a write past the triggers replaces it.
    private func forgetMasks(_ table: EntityTable) throws {
        for column in table.references where column.rule?.isMaskable == true {
            let read = [table.visible, table.hidden].map {
                "EXISTS (SELECT 1 FROM \($0) AS t WHERE t.\"id\" = roost_raw.id AND t.\(column.quoted) IS NOT NULL)"
            }
            try database.executeOne(
                """
                DELETE FROM roost_raw WHERE entity = \(table.entity) AND relationship = \(column.property)
                  AND (\(read.joined(separator: " OR ")))
                """)
        }
    }

    /// Returns the records whose row differs from the confirmed content without a pending change that explains it.
    private func differing(_ table: EntityTable) throws -> [RecordKey] {
        let isTwice = "EXISTS (SELECT 1 FROM \(table.hidden) AS h WHERE h.\"id\" = r.\"id\")"
        let visible = try differing(table, "\(table.visible) AS r", isVisible: true, isTwice: isTwice)
        // A delete rule also hides rows whose insertion no trigger has seen.
        let hidden = """
            (SELECT h."id" FROM \(table.hidden) AS h WHERE h.roost_deleted = 0
              AND NOT EXISTS (SELECT 1 FROM \(table.visible) AS v WHERE v."id" = h."id")) AS r
            """
        return try visible + differing(table, hidden, isVisible: false, isTwice: "0")
    }

    /// - Parameter isTwice: An SQL condition: row `r` is in both tables.
    private func differing(
        _ table: EntityTable, _ source: String, isVisible: Bool, isTwice: String
    ) throws -> [RecordKey] {
        var found: [RecordKey] = []
        var last: RecordID?
        while true {
            let condition = last == nil ? "" : " WHERE r.\"id\" > ?"
            let query = try database.query(
                "SELECT r.\"id\", \(isTwice) FROM \(source)\(condition) ORDER BY r.\"id\" LIMIT \(Self.recordsAtOnce)")
            if let last { query.bind(1, last) }
            let read = try query.all { (id: $0.id(0), isTwice: $0.integer(1) != 0) }
            for (id, isTwice) in read {
                guard let id else { continue }
                last = id
                let key = RecordKey(entity: table.entity, id: id)
                if try isTwice || isUnexplained(key, isVisible: isVisible) { found.append(key) }
            }
            // Rows without a valid identifier belong to no record.
            if read.count < Self.recordsAtOnce || read.last?.id == nil { return found }
        }
    }

    private func isUnexplained(_ key: RecordKey, isVisible: Bool) throws -> Bool {
        guard try stamps.pending(key) == .init() else {
            // The row was inserted again after its delete, and no trigger saw it.
            return try isVisible && stamps.own(key) != .put && !kept.contains(key)
        }
        let confirmed = try stamps.confirmed(key)
        guard let put = confirmed.put, confirmed.own == .put || kept.contains(key) else { return true }
        return try !rows.isIrregular(key) && rows.readablePut(of: key).map { ContentHash(of: $0) } != put.hash
    }

    // MARK: Missing rows

    /// Returns the records that should be visible or hidden, and have a row in neither table.
    private func missing(of table: EntityTable) throws -> [RecordKey] {
        func none(_ source: String, _ condition: String) -> String {
            "NOT EXISTS (SELECT 1 FROM \(source) AS x WHERE \(condition))"
        }
        let conditions =
            [table.visible, table.hidden].map { none($0, "x.\"id\" = f.id") }
            + ["roost_unfit", "roost_missing", "roost_pulled"].map { none($0, "x.entity = f.entity AND x.id = f.id") }
            + [none("roost_outbox", "x.entity = f.entity AND x.id = f.id AND x.del_stamp IS NOT NULL")]
        let query = try database.query(
            """
            SELECT f.id FROM roost_fact AS f WHERE f.entity = \(table.entity) AND f.put_stamp IS NOT NULL
              AND (f.del_stamp IS NULL OR f.put_stamp > f.del_stamp) AND \(conditions.joined(separator: " AND "))
            """)
        return try query.all { $0.id(0) }.compactMap { id in id.map { RecordKey(entity: table.entity, id: $0) } }
    }

    /// Returns the new records that are pending, and have no row any more.
    private func vanished(of table: EntityTable) throws -> [RecordKey] {
        let query = try database.query(
            """
            SELECT o.id FROM roost_outbox AS o WHERE o.entity = \(table.entity) AND o.del_stamp IS NULL
              AND NOT EXISTS (SELECT 1 FROM roost_fact AS f WHERE f.entity = o.entity AND f.id = o.id)
            """)
        return try query.all { $0.id(0) }.compactMap { id in id.map { RecordKey(entity: table.entity, id: $0) } }
            .filter { try rows.place(of: $0) == .nowhere && !rows.isUnfit($0) }
    }
}
