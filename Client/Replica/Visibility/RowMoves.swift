internal import CSQLite
internal import GRDB
internal import RoostModel

/// The moves of rows between the visible and the hidden tables. One statement moves many rows of one entity.
///
/// Most large moves contain all cascade children of one record and nothing else, so that their reference selects them. Any other
/// set is first written to a temporary table.
///
/// Plain path: each row is moved by itself, as in moves of fewer than ``bulkMin`` rows. `FamilyMovesTests` compares the rows with
/// `VisibleState`.
struct RowMoves {
    let database: Database
    let layout: Layout

    /// The smallest number of rows that move by one statement.
    static let bulkMin = 64
    /// The smallest number of rows for which disabling triggers and checks pays off.
    private static let asEngineMin = 2000

    private var hiding: [EntityID: [(id: RecordID, isDeleted: Bool)]] = [:]
    private var showing: [EntityID: [RecordID]] = [:]
    private var shownAtOnce: [RecordKey] = []
    /// The sets that move as a whole.
    private var families: [RowFamily] = []
    /// The records to show if they are hidden.
    private var returning: [RecordKey] = []
    private let refusals: Refusals?

    /// - Parameter refusals: Collects the rows that a visible table refuses. They stay in their location.
    init(database: Database, layout: Layout, refusals: Refusals? = nil) {
        self.database = database
        self.layout = layout
        self.refusals = refusals
    }

    /// Schedules a visible record to be hidden by ``finish()``.
    mutating func hide(_ key: RecordKey, isDeleted: Bool) throws {
        hiding[key.entity, default: []].append((key.id, isDeleted))
    }

    /// Schedules a hidden record to be shown by ``finish()``.
    mutating func show(_ key: RecordKey) throws {
        showing[key.entity, default: []].append(key.id)
    }

    /// Declares that all rows of a set are scheduled to move, except hidden rows whose mark says that their own delete is the
    /// reason.
    mutating func add(_ family: RowFamily) { families.append(family) }

    /// Schedules a record to be shown by ``finish()`` if it is hidden. A visible row with its identifier is the newer one.
    mutating func showIfHidden(_ key: RecordKey) { returning.append(key) }

    /// The records that were scheduled to move.
    var moved: Set<RecordKey> {
        var moved = Set(shownAtOnce)
        for (entity, items) in hiding { moved.formUnion(items.map { RecordKey(entity: entity, id: $0.id) }) }
        for (entity, ids) in showing { moved.formUnion(ids.map { RecordKey(entity: entity, id: $0) }) }
        return moved
    }

    /// Marks whether a hidden record's own delete is the reason why it is hidden.
    func mark(_ key: RecordKey, isDeleted: Bool) throws {
        guard let sql = layout[key.entity]?.sql else { return }
        try run(sql.markHidden, key.id, isDeleted)
    }

    /// Makes the scheduled moves.
    mutating func finish() throws {
        for (entity, items) in hiding {
            guard let table = layout[entity] else { continue }
            guard try moveFamilies(.visible, table, of: items.count) < items.count else { continue }
            // The tables are in the order of identifiers.
            let items = items.sorted { $0.id < $1.id }
            if items.count >= Self.bulkMin, !table.additions.hasTriggers {
                try bulk(items) { try asEngine(items.count) { try hideAll(table) } }
            } else {
                for item in items {
                    try run(table.sql.copyToHidden, item.id, item.isDeleted)
                    try removeVisible(item.id, table)
                }
            }
        }
        // Rows are shown after others are hidden: a user's index may accept only one of them.
        for key in returning {
            guard let table = layout[key.entity] else { continue }
            if try showOne(key.id, table), database.changesCount > 0 { shownAtOnce.append(key) }
        }
        for (entity, ids) in showing {
            guard let table = layout[entity] else { continue }
            let ids = ids.sorted()
            guard try !showAtOnce(ids, table) else { continue }
            for id in ids { try showOne(id, table) }
        }
    }

    // MARK: Many at once

    /// Moves whole sets.
    ///
    /// - Returns: The number of rows moved. If some remain, the caller moves all rows one by one, and finds these gone.
    private func moveFamilies(_ place: RowFamily.Place, _ table: EntityTable, of count: Int) throws -> Int {
        let families = families.filter { $0.place == place && $0.entity == table.entity }
        var moved = 0
        // A user trigger that fails is to be bypassed for one row, and not for all.
        guard !families.isEmpty, !table.additions.hasTriggers else { return moved }
        try asEngine(count) { for family in families { moved += try move(family, table) } }
        return moved
    }

    /// Shows many records at once, if the visible table accepts all of them.
    ///
    /// - Returns: Whether all were shown. Otherwise some may be, and showing each of them again does no harm.
    private func showAtOnce(_ ids: [RecordID], _ table: EntityTable) throws -> Bool {
        do {
            if try moveFamilies(.hidden, table, of: ids.count) >= ids.count { return true }
            guard ids.count >= Self.bulkMin, !table.additions.hasTriggers else { return false }
            try bulk(ids.map { ($0, false) }) { try asEngine(ids.count) { try showAll(table) } }
            return true
        } catch let error as DatabaseError where RowStore.isRefusal(error) && refusals != nil {
            return false
        }
    }

    private func move(_ family: RowFamily, _ table: EntityTable) throws -> Int {
        guard let column = table.column(of: family.relationship) else { return 0 }
        let isVisible = family.place == .visible
        // A corrupt row without a valid identifier belongs to no record, and stays.
        let place = isVisible ? table.visible : table.hidden
        let members =
            "WHERE \(place).\(column.quoted) = ?1 AND \(table.identifiers.check("\(place).\"id\""))"
            + (isVisible ? "" : " AND \(place).roost_deleted = 0")
        let copy =
            isVisible ? "\(table.sql.hide) \(members)" : "\(table.sql.show) \(members)" + EntityStatements.unlessThere
        try run(copy, family.target.id, isVisible ? false : nil)
        let moved = database.changesCount
        try run("DELETE FROM \(place) \(members)", family.target.id)
        return moved
    }

    /// Runs a large move on a connection of the user's with triggers and checks disabled.
    ///
    /// Triggers do nothing while rows move, but SQLite runs each one. A row that is shown again has passed its table's checks
    /// before. Disabling both makes SQLite prepare its statements again, so a small move runs without it.
    private func asEngine(_ count: Int, _ move: () throws -> Void) throws {
        guard count >= Self.asEngineMin, let handle = database.sqliteConnection, csqlite_has_triggers(handle) != 0
        else { return try move() }
        _ = csqlite_enable_triggers(handle, 0)
        defer { _ = csqlite_enable_triggers(handle, 1) }
        try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
        // The user's own writes are checked from here on, also where the move failed or ended the transaction.
        defer { sqlite3_exec(handle, "PRAGMA ignore_check_constraints = OFF", nil, nil, nil) }
        try move()
    }

    /// Writes a set of records to the temporary table that the statements in `move` read.
    private func bulk(_ items: [(id: RecordID, isDeleted: Bool)], _ move: () throws -> Void) throws {
        try database.query(
            """
            CREATE TEMP TABLE IF NOT EXISTS roost_moving(id \(database.identifiers.columnType) PRIMARY KEY NOT NULL, deleted INTEGER NOT NULL)
              WITHOUT ROWID
            """
        ).run()
        // The table may hold a set that could not be moved at once.
        try database.query("DELETE FROM temp.roost_moving").run()
        let insert = try database.query("INSERT INTO temp.roost_moving(id, deleted) VALUES (?1, ?2)")
        for item in items {
            insert.bind(1, item.id)
            insert.bind(2, item.isDeleted ? 1 : 0)
            try insert.run()
        }
        try move()
        try database.query("DELETE FROM temp.roost_moving").run()
    }

    private func hideAll(_ table: EntityTable) throws {
        try database.query(
            """
            INSERT OR REPLACE INTO \(table.hidden)(\(table.keptList), roost_deleted)
            SELECT \(table.keptList(of: "v")), m.deleted
            FROM temp.roost_moving AS m CROSS JOIN \(table.visible) AS v ON v."id" = m.id
            """
        ).run()
        try removeAll(table.visible)
    }

    private func showAll(_ table: EntityTable) throws {
        try database.query(
            """
            INSERT OR FAIL INTO \(table.visible)(\(table.keptList))
            SELECT \(table.keptList(of: "h"))
            FROM temp.roost_moving AS m CROSS JOIN \(table.hidden) AS h ON h."id" = m.id WHERE true \(EntityStatements.unlessThere)
            """
        ).run()
        try removeAll(table.hidden)
    }

    private func removeAll(_ place: String) throws {
        try database.query("DELETE FROM \(place) WHERE \(place).\"id\" IN (SELECT m.id FROM temp.roost_moving AS m)")
            .run()
    }

    // MARK: One

    /// Shows one record, or records its refusal.
    ///
    /// - Returns: Whether the row is in the visible table now, and not in the hidden one.
    @discardableResult
    private func showOne(_ id: RecordID, _ table: EntityTable) throws -> Bool {
        do {
            // A user trigger that runs before an insert may delete the existing row, so a visible row is not inserted again.
            if try !table.additions.hasTriggers || place(of: id, table) != EntityStatements.visible {
                try copyToVisible(id, table)
            }
        } catch let error as DatabaseError where RowStore.isRefusal(error) {
            guard let refusals else { throw error }
            try refusals.note(RecordKey(entity: table.entity, id: id), error)
            return false
        }
        try run(table.sql.removeHidden, id)
        return true
    }

    private func run(_ sql: String, _ id: RecordID, _ isDeleted: Bool? = nil) throws {
        func run() throws {
            let query = try database.query(sql)
            query.bind(1, id)
            if let isDeleted { query.bind(2, isDeleted ? 1 : 0) }
            try query.run()
        }
        guard layout.hasUserTriggers else { return try run() }
        try UserTriggers.guarding(database, run)
    }

    /// Copies a hidden row to the visible table, also where a user trigger ignores it.
    private func copyToVisible(_ id: RecordID, _ table: EntityTable) throws {
        try run(table.sql.copyToVisible, id, table) { $0 == EntityStatements.visible || $0 == nil }
    }

    /// Deletes a visible row, also where a user trigger ignores it.
    private func removeVisible(_ id: RecordID, _ table: EntityTable) throws {
        try run(table.sql.removeVisible, id, table) { $0 != EntityStatements.visible }
    }

    /// Runs a statement after which a row is stored where it should be, and bypasses triggers that prevent that.
    ///
    /// - Parameter isDone: Judges the row's location, as ``EntityStatements/place`` returns it.
    private func run(_ sql: String, _ id: RecordID, _ table: EntityTable, isDone: (Int64?) -> Bool) throws {
        guard layout.hasUserTriggers else { return try run(sql, id) }
        _ = try UserTriggers.guarding(database, isDone: { $0 }) {
            try run(sql, id)
            return isDone(try place(of: id, table))
        }
    }

    /// Returns the location of a row as ``EntityStatements/place`` encodes it.
    private func place(of id: RecordID, _ table: EntityTable) throws -> Int64? {
        let look = try database.query(table.sql.place)
        look.bind(1, id)
        return try look.first { $0.optionalInteger(0) } ?? nil
    }
}
