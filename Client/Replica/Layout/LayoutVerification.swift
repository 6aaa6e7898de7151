internal import GRDB
internal import RoostModel

/// The verification of the file's tables, columns, indexes and triggers against the schema. It makes what is missing, inside one
/// write transaction.
///
/// Other programs may rename, rebuild, replace or drop any of them, as many tools do. Their own additions stay.
struct LayoutVerification {
    private let database: Database
    private let schema: Schema
    private var items: [SchemaItem]
    /// Sentences for the log and the user.
    private(set) var notices: [String] = []
    /// Whether a table was dropped or replaced, so that its records have to come from the server.
    private(set) var isIncomplete = false

    /// Whether anything differs from the layout that was verified last. It takes one query of SQLite's schema table.
    static func isDue(_ database: Database, _ layout: Layout) throws -> Bool {
        let known = try StateStore(database: database).text(.layout)
        return try known != LayoutFingerprint(SchemaItem.all(database), layout).text
    }

    init(_ database: Database, _ schema: Schema) throws {
        self.database = database
        self.schema = schema
        items = try SchemaItem.all(database)
    }

    /// Verifies the file, and makes what is missing.
    ///
    /// - Parameter deriving: Runs its argument with the triggers of other programs, for the rows that settling derives.
    /// - Returns: The layout, with the additions of other programs.
    mutating func run(deriving: (Layout, () throws -> Void) throws -> Void = { try $1() }) throws -> Layout {
        let plain = Layout(schema, database.identifiers)
        if let name = missingVitalTable {
            notices.append(
                "The table \"\(name)\" of the replica is gone. Run \"roost repair\", or bring the file back from a backup."
            )
            return try Self.layout(schema, database)
        }
        let state = StateStore(database: database)
        let known = try state.text(.layout).flatMap { LayoutFingerprint($0) }
        let areMarksComplete = try restoreOwnTables()
        let now = LayoutFingerprint(items, plain)
        var evidence: [EntityID: RowComparison.Evidence] = [:]
        var fillings: [ColumnFilling] = []
        var setAside: Set<RecordKey> = []
        for table in plain.tables where known?.all[table.entity] != now.all[table.entity] || !areMarksComplete {
            let isTracked = known?.tracking[table.entity] == now.tracking[table.entity] && areMarksComplete
            var restoration = TableRestoration(database, table, items, isTracked ? .intact : .rebuilt)
            try restoration.run()
            notices += restoration.notices
            evidence[table.entity] = restoration.evidence
            fillings += restoration.fillings
            setAside.formUnion(restoration.setAside)
        }
        var layout = try restoreTriggers()
        if !fillings.isEmpty {
            try fill(fillings, layout, deriving)
            // A user index that the values violate is gone.
            layout = try restoreTriggers()
        }
        try compare(layout, evidence, setAside: setAside, deriving)
        try state.set(.layout, LayoutFingerprint(SchemaItem.all(database), layout).text)
        return layout
    }

    /// Returns the layout of a schema, with the additions of other programs to the file.
    static func layout(_ schema: Schema, _ database: Database) throws -> Layout {
        var additions: [EntityID: UserAdditions] = [:]
        let identifiers = database.identifiers
        for table in Layout(schema, identifiers).tables {
            additions[table.entity] = try UserAdditions.read(of: table, database)
        }
        return Layout(schema, identifiers, additions: additions)
    }

    // MARK: Roost's own tables

    private static func remakeable(_ identifiers: IdentifierForm) -> [String: String] {
        [
            "roost_mark": TableSQL.marks, "roost_rule": TableSQL.rule, "roost_missing": TableSQL.missing(identifiers),
        ]
    }

    /// Tables that only ``Replica/repair(at:)`` makes again, because it determines which records have to be pulled again.
    static let vital = [
        "roost_control", "roost_state", "roost_fact", "roost_outbox", "roost_push", "roost_raw", "roost_kept",
        "roost_dropped",
        "roost_extra", "roost_unfit", "roost_journal", "roost_event", "roost_history", "roost_device", "roost_pulled",
        "roost_lost", "roost_journal_day",
    ]

    /// A missing table that nothing can replace; `nil` where all exist. Other programs can still write without it.
    private var missingVitalTable: String? {
        let there = Set(items.filter { $0.kind == .table }.map(\.key))
        return Self.vital.first { !there.contains($0) }
    }

    /// Makes missing tables of Roost's own again, where that is possible.
    ///
    /// - Returns: Whether all marks exist that triggers may have written.
    private mutating func restoreOwnTables() throws -> Bool {
        let there = Set(items.filter { $0.kind == .table }.map(\.key))
        let remakeable = Self.remakeable(database.identifiers)
        let gone = remakeable.keys.filter { !there.contains($0) }.sorted()
        for name in gone {
            if let statement = remakeable[name] { try database.executeOne(statement) }
            notices.append("The table \"\(name)\" was gone, and was made again.")
        }
        return !gone.contains("roost_mark")
    }

    // MARK: Triggers and rows

    /// Restores the triggers of all tables.
    ///
    /// - Returns: The layout afterwards.
    private mutating func restoreTriggers() throws -> Layout {
        items = try SchemaItem.all(database)
        let layout = try Self.layout(schema, database)
        for table in layout.tables { try restoreTriggers(table, layout) }
        return layout
    }

    /// Fills columns as a write of Roost's own, before the rows are compared: restored values are no changes.
    private mutating func fill(
        _ fillings: [ColumnFilling], _ layout: Layout, _ deriving: (Layout, () throws -> Void) throws -> Void
    ) throws {
        let state = StateStore(database: database)
        try state.setApplying(TriggerSQL.engineDepth)
        try deriving(layout) {
            for filling in fillings { notices.append(try filling.run(database)) }
        }
        try state.setApplying(0)
    }

    private mutating func restoreTriggers(_ table: EntityTable, _ layout: Layout) throws {
        let found = items.filter { $0.kind == .trigger && EntityTriggers.entity(ofTrigger: $0.name) == table.entity }
        let others = items.filter { $0.kind == .trigger && !$0.isRoosts && $0.tableKey == table.table }
        let wanted = EntityTriggers(table, in: layout).all
        let isSame =
            found.count == wanted.count
            && zip(found, wanted).allSatisfy { $0.name == $1.name && $0.sql == $1.sql && $0.tableKey == table.table }
        // SQLite runs the newest trigger first. A trigger of another program must not keep a delete rule from working.
        let areFirst = (others.map(\.number).max() ?? 0) < (found.map(\.number).min() ?? .max)
        guard !isSame || !areFirst else { return }
        try TriggerSQL.drop(table.entity, in: database)
        try TriggerSQL.make(table, in: layout, database)
    }

    private mutating func compare(
        _ layout: Layout, _ evidence: [EntityID: RowComparison.Evidence], setAside: Set<RecordKey>,
        _ deriving: (Layout, () throws -> Void) throws -> Void
    ) throws {
        guard !evidence.isEmpty else { return }
        for table in layout.tables where evidence[table.entity] == .replaced { try forgetLostInserts(table, layout) }
        // Marks are settled first, because they record deletes.
        try settle(layout, deriving)
        var comparison = try RowComparison(database, layout)
        comparison.setAside = setAside
        // One missing record of all intact tables together counts as deleted, not one of each table.
        let intact = layout.tables.filter { evidence[$0.entity] == .intact }
        let isOne = try intact.count == 1 || intact.reduce(0) { try $0 + comparison.countOfMissing($1) } <= 1
        for table in layout.tables {
            guard let evidence = evidence[table.entity] else { continue }
            let result = try comparison.run(table, evidence, deletesMax: isOne ? 1 : 0)
            if evidence == .replaced { isIncomplete = true }
            guard result != RowComparison.Result() else { continue }
            notices.append(notice(table, result, evidence))
        }
        try settle(layout, deriving)
        try MissingRecords(database: database, layout: layout).resyncIfKeptIsGone()
        let state = StateStore(database: database)
        try state.setApplying(TriggerSQL.engineDepth)
        try deriving(layout) {
            try comparison.deriveGone()
            let stamps = EffectiveStamps(database: database, replica: try state.replica)
            _ = try RefusedRowRetry(rows: RowStore(database, layout), stamps: stamps).run(changed: Set(evidence.keys))
        }
        try state.setApplying(0)
    }

    /// Forgets inserts that were marked last and whose rows went with their table. No user deleted a row that such an insert
    /// replaced, or a row whose delete only its absence would prove. A notice names the new rows that nothing else holds.
    private mutating func forgetLostInserts(_ table: EntityTable, _ layout: Layout) throws {
        try Marks(database: database).foldNamed()
        try database.query("DELETE FROM roost_mark AS m WHERE m.entity = \(table.entity)").run()
        let rows = try RowStore(database, layout)
        let outbox = Outbox(database: database)
        let inserted = try database.query(
            """
            SELECT o.entity, o.id FROM roost_outbox AS o WHERE o.entity = \(table.entity) AND o.unsettled = 2
              AND (o.del_stamp IS NULL OR o.put_stamp > o.del_stamp)
            """
        ).all { $0.key(0) }.compactMap(\.self)
        let stamps = try EffectiveStamps(readingMarks: database, replica: StateStore(database: database).replica)
        var lost: [RecordKey] = []
        for key in inserted where try !rows.isUnfit(key) {
            switch try rows.place(of: key) {
            case .visible, .hidden(isDeleted: false): continue
            case .hidden(isDeleted: true): try rows.erase(key)
            case .nowhere: if try stamps.confirmed(key) == SlotStamps() { lost.append(key) }
            }
            try outbox.forget(key)
        }
        guard !lost.isEmpty else { return }
        notices.append(
            "\(lost.count) new rows of \"\(table.table)\" were gone with the table before Roost had read them. What they held is lost: \(names(of: lost))."
        )
    }

    /// The maximum number of records that a notice names.
    private static let namedMax = 5

    /// Returns the identifiers of the first records as SQL literals.
    private func names(of keys: [RecordKey]) -> String {
        let names = keys.prefix(Self.namedMax).map { database.identifiers.literal($0.id) }
        return (names + (keys.count > Self.namedMax ? ["…"] : [])).joined(separator: ", ")
    }

    /// Settles as a write of Roost's own: derived rows are not pending changes, even on a connection that runs triggers.
    private func settle(_ layout: Layout, _ deriving: (Layout, () throws -> Void) throws -> Void) throws {
        let state = StateStore(database: database)
        try state.setApplying(TriggerSQL.engineDepth)
        try deriving(layout) { try Settlement(database: database, layout: layout).settle() }
        try state.setApplying(0)
    }

    private func notice(
        _ table: EntityTable, _ result: RowComparison.Result, _ evidence: RowComparison.Evidence
    ) -> String {
        var parts: [String] = []
        if result.changed > 0 {
            parts.append("\(result.changed) rows differ from what was tracked and are local changes now")
        }
        if result.deleted > 0 { parts.append("\(result.deleted) rows are gone and count as deleted") }
        if result.missing > 0 {
            parts.append(
                evidence == .replaced
                    ? "\(result.missing) records lost their rows with it; they come back from the server"
                    : "\(result.missing) records have no row and no delete; run \"roost repair --accept-deletes\" to delete them, or \"roost repair --restore\" to bring them back"
            )
        }
        if !result.vanished.isEmpty {
            parts.append(
                "\(result.vanished.count) new rows that had not been sent are gone, and what they held is lost: \(names(of: result.vanished))"
            )
        }
        return
            "Another program changed the table \"\(table.table)\" without being tracked: \(parts.joined(separator: ", "))."
    }
}
