internal import GRDB
internal import RoostModel

/// Migrates the columns that other programs have added to visible tables, and the row numbers (rowids), by which full-text
/// indexes identify rows.
struct UserColumnMigration {
    private let database: Database
    private let aside: Layout
    private let new: Layout
    private let declarations: [EntityID: [String]]
    private let generated: [EntityID: GeneratedColumns]

    /// Reads the columns. Create this before tables are set aside.
    ///
    /// - Parameter aside: The old layout, with the names that its tables will have.
    init(_ database: Database, from old: Layout, aside: Layout, to new: Layout) throws {
        self.database = database
        self.aside = aside
        self.new = new
        var declarations: [EntityID: [String]] = [:]
        var generated: [EntityID: GeneratedColumns] = [:]
        for table in old.tables {
            if let later = new[table.entity] {
                try Self.checkNames(of: table, later, database, from: old.schema, to: new.schema)
            }
            generated[table.entity] = try GeneratedColumns(of: table.table, database)
            let kept = Set(new[table.entity]?.additions.columns.map(SQLName.folded) ?? [])
            guard !kept.isEmpty else { continue }
            declarations[table.entity] = try TableColumn.all(of: table.table, database)
                .filter { kept.contains($0.key) }.map(\.declaration)
        }
        self.declarations = declarations
        self.generated = generated
    }

    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` if a column of another program has values and the name of a
    ///   new property: it is unknown whether its values are the property's.
    private static func checkNames(
        of table: EntityTable, _ later: EntityTable, _ database: Database, from old: Schema, to new: Schema
    ) throws {
        let before = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        let after = Set(later.columns.map { SQLName.folded($0.name) })
        for column in try TableColumn.all(of: table.table, database)
        where !before.contains(column.key) && after.contains(column.key) {
            let name = SQLName.quoted(column.name)
            let isUsed = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM \(table.visible) AS t WHERE t.\(name) IS NOT NULL)")
            guard isUsed == true else { continue }
            throw ReplicaError(
                .cannotMigrate,
                "Cannot migrate from version \(old.version) of the schema \"\(old.name)\" to version \(new.version): \"\(later.name)\" gets a property \"\(column.name)\", and the file has a column of that name in \"\(table.table)\" that is not Roost's. Rename it first, and copy what is wanted of it afterwards. Nothing was changed."
            )
        }
    }

    /// Adds the columns to a new visible table. The hidden table has them already.
    ///
    /// - Returns: A sentence for each column that the new table does not accept.
    func add(to table: EntityTable) throws -> [String] {
        for declaration in declarations[table.entity] ?? [] {
            try database.executeOne("ALTER TABLE \(table.visible) ADD COLUMN \(declaration)")
        }
        return try generated[table.entity]?.add(to: table.visible, database) ?? []
    }

    /// Copies the values of the columns and the row numbers, after the records have been moved.
    func copy(_ entity: EntityID) throws {
        guard let was = aside[entity], let now = new[entity] else { return }
        for (source, target) in [(was.visible, now.visible), (was.hidden, now.hidden)]
        where !now.additions.columns.isEmpty {
            let settings = now.additions.columns.map { name in
                "\(SQLName.quoted(name)) = \(SQLName.column(name, of: "o"))"
            }
            try database.executeOne(
                """
                UPDATE \(target) SET \(settings.joined(separator: ", ")) FROM \(source) AS o
                WHERE o."id" = \(SQLName.column("id", of: target))
                """)
        }
        guard now.additions.hasTriggers,
            let number = TableColumn.rowNumber(beside: try TableColumn.all(of: now.table, database)),
            let earlier = TableColumn.rowNumber(beside: try TableColumn.all(of: was.table, database))
        else { return }
        // Negative numbers avoid conflicts: a row's old number may be another row's new one.
        try database.executeOne("UPDATE \(now.visible) SET \(number) = -\(number)")
        try database.executeOne(
            """
            UPDATE \(now.visible) SET \(number) = o.n
              FROM (SELECT x.\(earlier) AS n, x."id" AS id FROM \(was.visible) AS x) AS o
              WHERE o.id = \(SQLName.column("id", of: now.visible))
            """)
    }
}
