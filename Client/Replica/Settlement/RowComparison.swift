internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Compares the rows of a visible table with their facts, where triggers may not have seen what became of them.
///
/// A row that differs from its fact, or has none, becomes a local change. A missing row is a deletion only where the table and its
/// triggers prove it, and is otherwise written down (`roost_missing`), because a program that dropped or rebuilt a table did
/// not mean to delete its records on every device.
struct RowComparison {
    /// What is known of the time since rows and facts were last known to agree.
    enum Evidence: Hashable {
        /// The table and the triggers are those that were there.
        case intact
        /// Triggers were missing for a while, or the table was made again with its rows.
        case rebuilt
        /// The table was dropped, or is another one: none of its rows was deleted.
        case replaced
    }

    struct Result: Hashable {
        /// Rows that are local changes now.
        var changed = 0
        /// Records that count as deleted.
        var deleted = 0
        /// Records whose rows are missing.
        var missing = 0
        /// New records that had not been sent, and have no row any more.
        var vanished = 0

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
    /// Records whose rows are in a table beside: they are not gone.
    var setAside: Set<RecordKey> = []
    /// Records that had not been sent and have no row any more: what hangs off them is still to be derived.
    private var gone: [RecordKey] = []

    /// To be made inside a transaction that writes, when all marks are in the outbox.
    init(_ database: Database, _ layout: Layout) throws {
        self.database = database
        self.layout = layout
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try StateStore(database: database).replica)
        outbox = Outbox(database: database)
        kept = try RecordKeyTable.kept.all(database)
    }

    /// Takes as long as reading and hashing every row of the table. The changes are unsettled afterwards.
    ///
    /// - Parameter deletesMax: How many rows may have gone by what triggers have seen. Where more are missing, none of them counts as deleted.
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
        // Rows that were lost with a table are still to come while everything is pulled.
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
                // Nobody can bring back what the server never had, and nobody is to delete it.
                guard try isUnderWay || stamps.confirmed(key) != SlotStamps() else {
                    try outbox.forget(key)
                    gone.append(key)
                    if !setAside.contains(key) { result.vanished += 1 }
                    continue
                }
                try records.add(key)
                result.missing += 1
            }
        }
        try state.receive(clock.last)
        return result
    }

    /// How many rows of a table are missing of which nothing says that they were deleted.
    func countOfMissing(_ table: EntityTable) throws -> Int { try missing(of: table).count + vanished(of: table).count }

    /// Derives what follows from records that nobody has any more. To be called once, after all tables were compared.
    ///
    /// - Parameter moving: Called before rows are written, where any may have to be.
    func deriveGone(moving: () throws -> Void = {}) throws {
        guard !gone.isEmpty else { return }
        try Visibility(rows: rows, stamps: stamps).update(
            gone.map { ChangedRecord(key: $0, own: .absent) }, moving: moving)
    }

    // MARK: Rows that are there

    /// A reference that was written past the triggers takes the place of the one that was kept while it read nil.
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

    /// Records whose row is not what is confirmed of them, and that have no waiting change which says so.
    private func differing(_ table: EntityTable) throws -> [RecordKey] {
        let isTwice = "EXISTS (SELECT 1 FROM \(table.hidden) AS h WHERE h.\"id\" = r.\"id\")"
        let visible = try differing(table, "\(table.visible) AS r", isVisible: true, isTwice: isTwice)
        // A delete rule takes rows out of sight that nobody has seen come.
        let hidden = """
            (SELECT h."id" FROM \(table.hidden) AS h WHERE h.roost_deleted = 0
              AND NOT EXISTS (SELECT 1 FROM \(table.visible) AS v WHERE v."id" = h."id")) AS r
            """
        return try visible + differing(table, hidden, isVisible: false, isTwice: "0")
    }

    /// - Parameter isTwice: Whether a row `r` stands in both tables, in SQL.
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
            // Rows without a proper identifier are nobody's.
            if read.count < Self.recordsAtOnce || read.last?.id == nil { return found }
        }
    }

    private func isUnexplained(_ key: RecordKey, isVisible: Bool) throws -> Bool {
        guard try stamps.pending(key) == .init() else {
            // A row that was inserted again after its delete, and no trigger saw it.
            return try isVisible && stamps.own(key) != .put && !kept.contains(key)
        }
        let confirmed = try stamps.confirmed(key)
        guard let put = confirmed.put, confirmed.own == .put || kept.contains(key) else { return true }
        return try !rows.isIrregular(key) && rows.readablePut(of: key).map { ContentHash(of: $0) } != put.hash
    }

    // MARK: Rows that are missing

    /// Records that are to be visible or hidden, and have a row in neither table.
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

    /// New records that wait to be sent, and have no row any more.
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
