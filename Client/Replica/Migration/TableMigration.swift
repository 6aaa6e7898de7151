internal import CSQLite
internal import GRDB
internal import RoostModel

/// Migrates the tables of a replica and all records in them to a later version, inside one transaction.
///
/// A record's put names its properties by ids and so does not depend on a version: the new table takes the put that the old
/// table gives. Fields that the new version does not have are stored next to the row, or the whole put is set aside. Fields
/// stored that way before return to the row if the new version has them.
struct TableMigration {
    let database: Database
    private let old: Layout
    /// The layout of the later version. ``run()`` adds the user indexes that could be created again.
    private(set) var new: Layout
    private let comparison: SchemaComparison
    /// The layout of the old version, with other names for the tables that are rebuilt or removed. If a stage has code, also
    /// with copies of the other tables.
    let aside: Layout
    /// Entities whose tables are copied, so that a stage's code can read the records before the migration.
    private let copied: Set<EntityID>
    private let now: Int64

    /// - Parameter hasCode: Whether a stage's code reads the records before the migration.
    init(_ database: Database, from old: Layout, to new: Layout, hasCode: Bool, now: Int64) throws {
        try SchemaComparison.check(from: old.schema, to: new.schema)
        self.database = database
        (self.old, self.new, self.now) = (old, new, now)
        comparison = SchemaComparison(old, new)
        let moved = comparison.changed.union(comparison.removed)
        copied = hasCode ? Set(old.tables.map(\.entity)).subtracting(moved) : []
        aside = old.renaming(moved.union(copied)) { "roost_old_\($0)" }
    }

    /// Moves everything to the new tables. The old tables remain until ``finish()`` drops them.
    mutating func run() throws {
        try Settlement(database: database, layout: old).settle()
        try TriggerSQL.dropAll(in: database)
        let moved = zip(old.tables, aside.tables).filter { $0.table != $1.table && !copied.contains($0.entity) }
        let own = try UserSchemaObjects(takenFrom: Set(moved.map(\.0.table)), database)
        let columns = try UserColumnMigration(database, from: old, aside: aside, to: new)
        for (was, table) in zip(old.tables, aside.tables) where copied.contains(was.entity) { try copy(was, to: table) }
        // SQL that refers to a table must not follow the table to its other name.
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
        // User indexes are created before set-aside records are shown, which they may refuse. Each index accepts the rows
        // that were stored with it before.
        lost += try own.makeAgain(.index)
        try withoutTriggers { try records.derive() }
        try seeIndexes()
        for table in new.tables { try TriggerSQL.make(table, in: new, database) }
        lost += try own.makeAgain(.trigger)
        lost += try UserSchemaObjects.broken(database)
        try note(records, lost)
    }

    /// Reads the unique indexes of the new tables. A trigger for an index that the new tables do not accept would name
    /// columns that are gone.
    private mutating func seeIndexes() throws {
        var additions: [EntityID: UserAdditions] = [:]
        for table in new.tables {
            additions[table.entity] = table.additions
            additions[table.entity]?.uniqueIndexes = try UserAdditions.read(of: table, database).uniqueIndexes
        }
        new = Layout(new.schema, new.identifiers, additions: additions)
    }

    /// Runs `body` with all triggers disabled: user triggers do not fire for rows that a migration moves. Roost's own
    /// triggers are dropped at this point.
    private func withoutTriggers(_ body: () throws -> Void) throws {
        guard let handle = database.sqliteConnection else { return try body() }
        _ = csqlite_enable_triggers(handle, 0)
        defer { _ = csqlite_enable_triggers(handle, 1) }
        try body()
    }

    /// Drops the old tables.
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

    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` if another program has created an item with a new table's
    ///   name.
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
    /// Returns a copy with other names for the tables of some entities.
    func renaming(_ entities: Set<EntityID>, _ name: (EntityID) -> String) -> Layout {
        Layout(schema, identifiers, tableNames: Dictionary(uniqueKeysWithValues: entities.map { ($0, name($0)) }))
    }
}
