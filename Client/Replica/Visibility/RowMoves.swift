internal import CSQLite
internal import GRDB
internal import RoostModel

/// Moves rows between the visible tables and the hidden ones: many of one entity at once, by one statement for all.
///
/// Most large moves are of the records that hang off one other, all of them and nothing else: those are named by their reference. Any
/// other set is written down first.
struct RowMoves {
    let database: Database
    let layout: Layout

    /// From how many rows on a set of them is moved as one.
    static let bulkMin = 64
    /// From how many rows on triggers and checks are worth switching off.
    private static let asEngineMin = 2000

    private var hiding: [EntityID: [(id: RecordID, isDeleted: Bool)]] = [:]
    private var showing: [EntityID: [RecordID]] = [:]
    private var shownAtOnce: [RecordKey] = []
    /// Sets that move as a whole.
    private var families: [RowFamily] = []
    /// Records that come back if they are hidden.
    private var returning: [RecordKey] = []
    private let refusals: Refusals?

    /// - Parameter refusals: Takes the rows that a visible table does not take; they lie where they lay.
    init(database: Database, layout: Layout, refusals: Refusals? = nil) {
        self.database = database
        self.layout = layout
        self.refusals = refusals
    }

    /// Takes a visible record out of sight, when ``finish()`` is called.
    mutating func hide(_ key: RecordKey, isDeleted: Bool) throws {
        hiding[key.entity, default: []].append((key.id, isDeleted))
    }

    /// Brings a hidden record back, when ``finish()`` is called.
    mutating func show(_ key: RecordKey) throws {
        showing[key.entity, default: []].append(key.id)
    }

    /// Says that all rows of a set are among those that are to be moved, unless the mark of a hidden one says that its own delete is the
    /// reason.
    mutating func add(_ family: RowFamily) { families.append(family) }

    /// Brings a record back if it is hidden, when ``finish()`` is called. A row of the same identifier that is visible already is the newer one.
    mutating func showIfHidden(_ key: RecordKey) { returning.append(key) }

    /// Every record that was to be moved.
    var moved: Set<RecordKey> {
        var moved = Set(shownAtOnce)
        for (entity, items) in hiding { moved.formUnion(items.map { RecordKey(entity: entity, id: $0.id) }) }
        for (entity, ids) in showing { moved.formUnion(ids.map { RecordKey(entity: entity, id: $0) }) }
        return moved
    }

    /// Says of a hidden record whether its own delete is the reason.
    func mark(_ key: RecordKey, isDeleted: Bool) throws {
        guard let sql = layout[key.entity]?.sql else { return }
        try run(sql.markHidden, key.id, isDeleted)
    }

    /// Moves what was asked for.
    mutating func finish() throws {
        for (entity, items) in hiding {
            guard let table = layout[entity] else { continue }
            guard try moveFamilies(.visible, table, of: items.count) < items.count else { continue }
            // In the order of identifiers, which is that of the tables.
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
        // After those that give way: an index of the user's may take only one of them.
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
    /// - Returns: How many rows that were; what is left of all moves one by one, and finds these gone.
    private func moveFamilies(_ place: RowFamily.Place, _ table: EntityTable, of count: Int) throws -> Int {
        let families = families.filter { $0.place == place && $0.entity == table.entity }
        var moved = 0
        // A trigger of another program that fails is to be bypassed for one row, and not for all.
        guard !families.isEmpty, !table.additions.hasTriggers else { return moved }
        try asEngine(count) { for family in families { moved += try move(family, table) } }
        return moved
    }

    /// - Returns: Whether all of them were shown. Otherwise some may be; what else is done with each is then no harm.
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
        // A damaged row without a proper identifier is nobody's, and stays where it is.
        let place = isVisible ? table.visible : table.hidden
        let members =
            "WHERE \(place).\(column.quoted) = ?1 AND length(\(place).\"id\") = 16"
            + (isVisible ? "" : " AND \(place).roost_deleted = 0")
        let copy =
            isVisible ? "\(table.sql.hide) \(members)" : "\(table.sql.show) \(members)" + EntityStatements.unlessThere
        try run(copy, family.target.id, isVisible ? false : nil)
        let moved = database.changesCount
        try run("DELETE FROM \(place) \(members)", family.target.id)
        return moved
    }

    /// Triggers stand still while rows are moved, but each is asked, and a row that comes back has passed its table's checks before. For a
    /// large move on a connection of the user's, both are switched off, which makes SQLite prepare its statements anew.
    private func asEngine(_ count: Int, _ move: () throws -> Void) throws {
        guard count >= Self.asEngineMin, let handle = database.sqliteConnection, csqlite_has_triggers(handle) != 0
        else { return try move() }
        _ = csqlite_enable_triggers(handle, 0)
        defer { _ = csqlite_enable_triggers(handle, 1) }
        try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
        // The user's own writes are checked from here on, whatever has become of the move: also where it ended the transaction.
        defer { sqlite3_exec(handle, "PRAGMA ignore_check_constraints = OFF", nil, nil, nil) }
        try move()
    }

    /// Writes the set down for the statements in `move`.
    private func bulk(_ items: [(id: RecordID, isDeleted: Bool)], _ move: () throws -> Void) throws {
        try database.query(
            """
            CREATE TEMP TABLE IF NOT EXISTS roost_moving(id BLOB PRIMARY KEY NOT NULL, deleted INTEGER NOT NULL)
              WITHOUT ROWID
            """
        ).run()
        // Of a set that could not be moved at once.
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

    /// - Returns: Whether the row is in the visible table now, and not in the hidden one.
    @discardableResult
    private func showOne(_ id: RecordID, _ table: EntityTable) throws -> Bool {
        do {
            // A trigger of another program that runs before an insert may delete the row that is there.
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

    /// Copies a hidden row to the visible table, also where a trigger of another program ignores it.
    private func copyToVisible(_ id: RecordID, _ table: EntityTable) throws {
        try run(table.sql.copyToVisible, id, table) { $0 == EntityStatements.visible || $0 == nil }
    }

    /// Deletes a visible row, also where a trigger of another program ignores it.
    private func removeVisible(_ id: RecordID, _ table: EntityTable) throws {
        try run(table.sql.removeVisible, id, table) { $0 != EntityStatements.visible }
    }

    /// Runs a statement until the row is stored where it should be; without triggers where they prevent that.
    ///
    /// - Parameter isDone: Judges the row's location, as ``EntityStatements/place`` returns it.
    private func run(_ sql: String, _ id: RecordID, _ table: EntityTable, isDone: (Int64?) -> Bool) throws {
        guard layout.hasUserTriggers else { return try run(sql, id) }
        _ = try UserTriggers.guarding(database, isDone: { $0 }) {
            try run(sql, id)
            return isDone(try place(of: id, table))
        }
    }

    /// As ``EntityStatements/place`` returns it.
    private func place(of id: RecordID, _ table: EntityTable) throws -> Int64? {
        let look = try database.query(table.sql.place)
        look.bind(1, id)
        return try look.first { $0.optionalInteger(0) } ?? nil
    }
}
