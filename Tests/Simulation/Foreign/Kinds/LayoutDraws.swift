internal import RoostModel

/// DDL of other tools on Roost's own tables.
extension ForeignWriter {
    // MARK: The 12 steps

    /// Changes a table by SQLite's documented procedure: create a new one, copy all rows, drop the old one, rename the new
    /// one. The old one's indexes and triggers are dropped with it.
    mutating func rebuild() -> [ForeignUnit] {
        let table = table()
        guard let sql = image.objects.first(where: { $0.type == "table" && $0.name == table.name })?.sql,
            let columns = image.columns[table.entity]
        else { return statements() }
        let new = "\(table.name)_new"
        let (create, name, names) = definition(table, sql, new, columns)
        let (into, from) = (names.map(\.new).joined(separator: ", "), names.map(\.old).joined(separator: ", "))
        let steps = [
            create, "INSERT INTO \(new)(\(into)) SELECT \(from) FROM \(table.name)", "DROP TABLE \(table.name)",
            "ALTER TABLE \(new) RENAME TO \(table.name)",
        ]
        var unit = ForeignUnit(
            frame: .transaction(continuesAfterError: false),
            statements: steps.map { ForeignStatement(sql: $0, name: name, mayBeInvalid: true) })
        unit.before = ["PRAGMA foreign_keys = OFF", "PRAGMA legacy_alter_table = \(random.isOne(of: 5) ? 0 : 1)"]
        return [unit] + afterwards(table)
    }

    /// Draws the definition of the new table, and the source of each of its columns. The new table has no CHECKs, a column
    /// more or less, a renamed column, or its columns in another order.
    private mutating func definition(
        _ table: ForeignTable, _ sql: String, _ new: String, _ columns: [String]
    ) -> (sql: String, name: String, names: [(new: String, old: String)]) {
        let own = columns.filter { table[$0] == nil && $0 != "id" }
        let all = columns.map { (new: $0, old: $0) }
        let droppable = table.columns.filter { !["text", "number"].contains($0.name) && columns.contains($0.name) }
        switch random.number(0...5) {
        case 0 where own.isEmpty:
            let plain = table.columns.reversed().map { "\($0.name) \(Self.type($0))" }
            return (
                "CREATE TABLE \(new)(id BLOB PRIMARY KEY NOT NULL, \(plain.joined(separator: ", ")))", "rebuildPlain",
                all
            )
        case 1 where own.isEmpty:
            let more = (table.columns.map { "\($0.name) \(Self.type($0))" } + ["\(device.name("column")) TEXT"])
            return (
                "CREATE TABLE \(new)(id BLOB PRIMARY KEY NOT NULL, \(more.joined(separator: ", "))) STRICT",
                "rebuildWithMore", all
            )
        case 2 where own.isEmpty && !droppable.isEmpty:
            // One of Roost's columns is renamed or missing: Roost sets the table aside.
            let gone = random.pick(droppable).name
            let other = random.isOne(of: 2) ? "\(gone)_new" : nil
            let plain = table.columns.compactMap { column in
                (column.name == gone ? other : column.name).map { "\($0) \(Self.type(column))" }
            }
            return (
                "CREATE TABLE \(new)(id BLOB PRIMARY KEY NOT NULL, \(plain.joined(separator: ", ")))",
                other == nil ? "rebuildWithLess" : "rebuildRenamed",
                columns.compactMap { name in (name == gone ? other : name).map { (new: $0, old: name) } }
            )
        default:
            guard let start = sql.firstIndex(of: "(") else { return (sql, "rebuild", all) }
            return ("CREATE TABLE \(new)" + sql[start...], "rebuild", all)
        }
    }

    private static func type(_ column: ForeignTable.Column) -> String {
        switch column.kind {
        case .text: "TEXT NOT NULL DEFAULT ''"
        case .integer: "INTEGER NOT NULL DEFAULT 0"
        case .boolean: "INTEGER NOT NULL DEFAULT 0"
        case .real: "REAL"
        case .json, .date: "TEXT"
        case .timestamp: "INTEGER"
        case .data, .uuid, .reference: "BLOB"
        }
    }

    /// Draws writes of the program after the DDL, before Roost checks the layout.
    private mutating func afterwards(_ table: ForeignTable) -> [ForeignUnit] {
        (0..<random.number(0...3)).map { _ in
            switch random.number(0...3) {
            case 0: ForeignUnit(statements: [delete(table)])
            case 1: ForeignUnit(statements: [.init(sql: insert(table, [fresh(table)]), name: "afterwards")])
            default: ForeignUnit(statements: [update(table)])
            }
        }
    }

    // MARK: Missing objects

    mutating func dropped() -> [ForeignUnit] {
        let table = table()
        let own = image.objects.filter { $0.name.hasPrefix("roost_") && $0.table == table.name }
        switch random.number(0...9) {
        case 8, 9:
            guard let trigger = random.maybe(own.filter { $0.type == "trigger" }) else { return statements() }
            return [overwritten(trigger, table)] + afterwards(table)
        case 0...3:
            guard let trigger = random.maybe(own.filter { $0.type == "trigger" }) else { return statements() }
            return [ddl("DROP TRIGGER \"\(trigger.name)\"", "dropTrigger")] + afterwards(table)
        case 4:
            let all = own.filter { $0.type == "trigger" }.map {
                ForeignStatement(sql: "DROP TRIGGER \"\($0.name)\"", name: "dropAllTriggers", mayBeInvalid: true)
            }
            guard !all.isEmpty else { return statements() }
            return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: all)] + afterwards(table)
        case 5:
            guard let index = random.maybe(own.filter { $0.type == "index" }) else { return statements() }
            return [ddl("DROP INDEX \"\(index.name)\"", "dropIndex")] + afterwards(table)
        default: return [ddl("DROP TABLE \(table.name)", "dropTable")]
        }
    }

    /// Deletes one of Roost's triggers, or gives it another body, by writing to the schema table. The program usually also
    /// raises the schema version, as SQLite's documentation asks, so that other connections notice.
    private mutating func overwritten(_ trigger: FileImage.Object, _ table: ForeignTable) -> ForeignUnit {
        let other = "CREATE TRIGGER \(trigger.name) AFTER UPDATE ON \(table.name) \(FileImage.overwrittenEnd)"
        let isGone = random.isOne(of: 2)
        let change = isGone ? "DELETE FROM sqlite_schema" : "UPDATE sqlite_schema SET sql = '\(other)'"
        var unit = ddl(
            "\(change) WHERE type = 'trigger' AND name = '\(trigger.name)'",
            isGone ? "writableSchemaDelete" : "writableSchemaUpdate")
        unit.before = ["PRAGMA writable_schema = ON"]
        unit.after = ["PRAGMA writable_schema = RESET"]
        if !random.isOne(of: 4) { unit.after.append("PRAGMA schema_version = \(random.number(100_000...900_000_000))") }
        return unit
    }

    private func ddl(_ sql: String, _ name: String) -> ForeignUnit {
        ForeignUnit(statements: [.init(sql: sql, name: name, mayBeInvalid: true)])
    }

    // MARK: Renamed and replaced objects

    mutating func renamed() -> [ForeignUnit] {
        let table = table()
        if random.isOne(of: 2) {
            return [ddl("ALTER TABLE \(table.name) RENAME TO \(table.name)_\(device.name("old"))", "renameTable")]
        }
        let picked = random.pick(table.columns)
        let column = picked.name
        let renaming = "ALTER TABLE \(table.name) RENAME COLUMN \(column) TO \(column)_2"
        guard let declaration = Self.declaration(picked), random.isOne(of: 3) else {
            return [ddl(renaming, "renameRoostColumn")]
        }
        let steps = [renaming, "ALTER TABLE \(table.name) ADD COLUMN \(column) \(declaration)"].map {
            ForeignStatement(sql: $0, name: "renameAndAddColumn", mayBeInvalid: true)
        }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: steps)]
    }

    /// Returns the declaration with which a program adds a column of Roost's again, empty.
    private static func declaration(_ column: ForeignTable.Column) -> String? {
        switch column.kind {
        case .reference: "BLOB"
        case .text where column.defaultValue == .text(""): "TEXT NOT NULL DEFAULT ''"
        case .integer where column.defaultValue == .integer(0): "INTEGER NOT NULL DEFAULT 0"
        default: nil
        }
    }

    /// Replaces a table as pandas' `to_sql(if_exists="replace")` and csvs-to-sqlite do.
    mutating func replaced() -> [ForeignUnit] {
        let table = table()
        if random.isOne(of: 3), let frame = frame(table) { return [frame] }
        let create = random.pick([
            "CREATE TABLE \(table.name)(\"index\" INTEGER, id TEXT, text TEXT)",
            "CREATE TABLE \(table.name)(name TEXT, number INTEGER)",
            "CREATE TABLE \(table.name) AS SELECT 1 AS a, 'x' AS b",
        ])
        let isOfThree = create.contains("\"index\"")
        let rows =
            isOfThree
            ? "INSERT INTO \(table.name) VALUES (0, 'a', '\(marker())')"
            : "INSERT INTO \(table.name) VALUES ('\(marker())', 5)"
        let steps = ["DROP TABLE \(table.name)", create, rows].map {
            ForeignStatement(sql: $0, name: "replaceTable", mayBeInvalid: true)
        }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: steps)]
    }

    /// Writes a data frame that was read from the table, as pandas does: with its index, the identifiers, and an edited text.
    private mutating func frame(_ table: ForeignTable) -> ForeignUnit? {
        guard let columns = image.columns[table.entity], columns.allSatisfy({ $0 == "id" || table[$0] != nil }) else {
            return nil
        }
        let name = table.name
        let types = columns.map { column in
            "\(column) " + (table[column].map { Self.type($0).split(separator: " ")[0] } ?? "BLOB")
        }
        let steps = [
            "CREATE TABLE \(name)_frame AS SELECT row_number() OVER () - 1 AS \"index\", * FROM \(name)",
            "UPDATE \(name)_frame SET text = '\(marker())' WHERE \(condition(table))", "DROP TABLE \(name)",
            "CREATE TABLE \(name)(\"index\" BIGINT, \(types.joined(separator: ", ")))",
            "INSERT INTO \(name) SELECT * FROM \(name)_frame", "DROP TABLE \(name)_frame",
        ].map { ForeignStatement(sql: $0, name: "replaceByFrame", mayBeInvalid: true) }
        return ForeignUnit(frame: .transaction(continuesAfterError: false), statements: steps)
    }
}
