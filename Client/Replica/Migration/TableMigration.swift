internal import CSQLite
internal import GRDB
internal import RoostModel

/// Makes the tables of a replica those of a later version, with all records in them, inside one transaction.
///
/// A record's put names its properties by ids, so that it does not depend on a version: what a table of the old version gives as a put
/// is what the new one takes. What the new one does not know of it is kept beside the row, or instead of it, and what was kept so
/// before comes back where the new one knows it.
struct TableMigration {
    let database: Database
    private let old: Layout
    /// With the indexes that could be made again, once the tables are in their place.
    private(set) var new: Layout
    private let comparison: SchemaComparison
    /// The old version, with the tables that are made anew, or gone, under other names; for code also copies of the others.
    let aside: Layout
    /// Entities whose tables are copied, for code to read them as they were.
    private let copied: Set<EntityID>
    private let now: Int64

    /// - Parameter hasCode: Whether code is to read the records as they were.
    init(_ database: Database, from old: Layout, to new: Layout, hasCode: Bool, now: Int64) throws {
        try SchemaComparison.check(from: old.schema, to: new.schema)
        self.database = database
        (self.old, self.new, self.now) = (old, new, now)
        comparison = SchemaComparison(old, new)
        let moved = comparison.changed.union(comparison.removed)
        copied = hasCode ? Set(old.tables.map(\.entity)).subtracting(moved) : []
        aside = old.renaming(moved.union(copied)) { "roost_old_\($0)" }
    }

    /// Everything but the old tables is in its place afterwards; ``finish()`` takes those away.
    mutating func run() throws {
        try Settlement(database: database, layout: old).settle()
        try TriggerSQL.dropAll(in: database)
        let moved = zip(old.tables, aside.tables).filter { $0.table != $1.table && !copied.contains($0.entity) }
        let own = try UsersOwn(takenFrom: Set(moved.map(\.0.table)), database)
        let columns = try UserColumnMigration(database, from: old, aside: aside, to: new)
        for (was, table) in zip(old.tables, aside.tables) where copied.contains(was.entity) { try copy(was, to: table) }
        // Nothing that refers to a table is to follow it to its other name.
        try database.execute(sql: "PRAGMA legacy_alter_table = ON")
        for (was, table) in moved { try put(was, aside: table) }
        try database.execute(sql: "PRAGMA legacy_alter_table = OFF")
        let there = Set(old.tables.map(\.entity)).subtracting(comparison.changed)
        var lost: [String] = []
        for table in new.tables where !there.contains(table.entity) {
            try checkName(of: table)
            for statement in TableSQL.create(table) { try database.executeOne(statement) }
            lost += try columns.add(to: table)
        }
        var records = try RecordMigration(database, from: aside, to: new, comparison)
        try withoutTriggers {
            try records.move()
            for entity in comparison.changed { try columns.copy(entity) }
        }
        // Before anything is shown that they may have refused: each index is taken by what was there with it.
        lost += try own.makeAgain(.index)
        try withoutTriggers { try records.derive() }
        try seeIndexes()
        for table in new.tables { try TriggerSQL.make(table, in: new, database) }
        lost += try own.makeAgain(.trigger)
        lost += try UsersOwn.broken(database)
        try note(records, lost)
    }

    /// Takes note of the indexes that the new tables have: triggers for one that they do not take would name columns that are gone.
    private mutating func seeIndexes() throws {
        var additions: [EntityID: UserAdditions] = [:]
        for table in new.tables {
            additions[table.entity] = table.additions
            additions[table.entity]?.uniqueIndexes = try UserAdditions.read(of: table, database).uniqueIndexes
        }
        new = Layout(new.schema, additions: additions)
    }

    /// Other programs' triggers are not told of what Roost moves, as they are not of what it pulls; Roost's own are not there.
    private func withoutTriggers(_ body: () throws -> Void) throws {
        guard let handle = database.sqliteConnection else { return try body() }
        _ = csqlite_enable_triggers(handle, 0)
        defer { _ = csqlite_enable_triggers(handle, 1) }
        try body()
    }

    /// Takes the old tables away.
    func finish() throws {
        for (was, table) in zip(old.tables, aside.tables) where was.table != table.table {
            try database.executeEach("DROP TABLE \(table.visible)", "DROP TABLE IF EXISTS \(table.hidden)")
        }
    }

    private func copy(_ was: EntityTable, to table: EntityTable) throws {
        try database.executeEach(
            "CREATE TABLE \(table.visible) AS SELECT \(was.columnList) FROM \(was.visible)",
            "CREATE UNIQUE INDEX \"roost_by_id_\(was.entity)\" ON \(table.visible)(id)")
    }

    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` where somebody has made something of a new table's name.
    private func checkName(of table: EntityTable) throws {
        let found = try Row.fetchOne(
            database, sql: "SELECT type, name FROM sqlite_schema WHERE lower(name) = ? AND type <> 'trigger'",
            arguments: [table.table])
        guard let found else { return }
        let (type, name): (String, String) = (found["type"], found["name"])
        throw ReplicaError(
            .cannotMigrate,
            "Cannot migrate from version \(old.schema.version) of the schema \"\(old.schema.name)\" to version \(new.schema.version): \"\(table.name)\" needs a table, and the file has the \(type) \"\(name)\", which is not Roost's. Rename or drop that first. Nothing was changed."
        )
    }

    private func put(_ was: EntityTable, aside table: EntityTable) throws {
        for column in was.references {
            let suffix = "\(was.entity)_\(column.property)"
            try database.executeEach(
                "DROP INDEX IF EXISTS \"roost_by_\(suffix)\"", "DROP INDEX IF EXISTS \"roost_hidden_by_\(suffix)\"")
        }
        try database.executeEach(
            "ALTER TABLE \(was.visible) RENAME TO \(table.visible)",
            "ALTER TABLE \(was.hidden) RENAME TO \(table.hidden)")
    }

    private func note(_ records: RecordMigration, _ lost: [String]) throws {
        let state = StateStore(database: database)
        try state.set(.schema, new.schema.source)
        try state.set(.schemaVersion, .integer(Int64(new.schema.version)))
        if let next = try state.integer(.nextSchemaVersion), next <= new.schema.version {
            try state.set(.nextSchema, .null)
            try state.set(.nextSchemaVersion, .null)
        }
        let journal = Journal(database: database, now: now)
        try journal.event(
            "schema",
            "The schema was version \(old.schema.version) and is version \(new.schema.version) now. "
                + "\(records.shown) records that were kept aside are known now, \(records.setAside) are kept aside from now on."
        )
        for reason in lost { try journal.event("schema", reason) }
    }
}

extension Layout {
    /// The same with other names for the tables of some entities.
    func renaming(_ entities: Set<EntityID>, _ name: (EntityID) -> String) -> Layout {
        Layout(schema, tableNames: Dictionary(uniqueKeysWithValues: entities.map { ($0, name($0)) }))
    }
}
