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
    private let new: Layout
    private let comparison: SchemaComparison
    /// The old version, with the tables that are made anew or go under other names.
    let aside: Layout
    private let now: Int64

    init(_ database: Database, from old: Layout, to new: Layout, now: Int64) throws {
        try SchemaComparison.check(from: old.schema, to: new.schema)
        self.database = database
        (self.old, self.new, self.now) = (old, new, now)
        comparison = SchemaComparison(old, new)
        aside = old.renaming(comparison.changed.union(comparison.removed)) { "roost_old_\($0)" }
    }

    /// Everything but the old tables is in its place afterwards; ``finish()`` takes those away.
    func run() throws {
        let state = StateStore(database: database)
        try Settlement(database: database, layout: old, replica: try state.replica).settle()
        try dropTriggers()
        let renamed = zip(old.tables, aside.tables).filter { $0.table != $1.table }.map(\.0.table)
        let own = try UsersOwn(takenFrom: Set(renamed), database)
        // Nothing that refers to a table is to follow it to its other name.
        try database.execute(sql: "PRAGMA legacy_alter_table = ON")
        for (was, table) in zip(old.tables, aside.tables) where was.table != table.table { try put(was, aside: table) }
        try database.execute(sql: "PRAGMA legacy_alter_table = OFF")
        let there = Set(old.tables.map(\.entity)).subtracting(comparison.changed)
        for table in new.tables where !there.contains(table.entity) {
            for statement in TableSQL.create(table) { try database.execute(sql: statement) }
        }
        var records = try RecordMigration(database, from: aside, to: new, comparison)
        try records.run()
        for table in new.tables {
            for statement in TriggerSQL.create(table, in: new) { try database.execute(sql: statement) }
        }
        let lost = own.makeAgain()
        try note(records, lost)
    }

    /// Takes the old tables away.
    func finish() throws {
        for (was, table) in zip(old.tables, aside.tables) where was.table != table.table {
            try database.execute(sql: "DROP TABLE \(table.visible); DROP TABLE \(table.hidden)")
        }
    }

    private func dropTriggers() throws {
        let names = try String.fetchAll(
            database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'roost\\_%' ESCAPE '\\'"
        )
        for name in names { try database.execute(sql: "DROP TRIGGER \"\(name)\"") }
    }

    private func put(_ was: EntityTable, aside table: EntityTable) throws {
        for column in was.references {
            let suffix = "\(was.entity)_\(column.property)"
            try database.execute(
                sql: "DROP INDEX IF EXISTS \"roost_by_\(suffix)\"; DROP INDEX IF EXISTS \"roost_hidden_by_\(suffix)\"")
        }
        try database.execute(
            sql: """
                ALTER TABLE \(was.visible) RENAME TO \(table.visible); ALTER TABLE \(was.hidden) RENAME TO \(table.hidden)
                """)
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
