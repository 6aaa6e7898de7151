internal import RoostModel

/// DDL on Roost's own tables, as other tools do it.
extension ForeignWriter {
    // MARK: The 12 steps

    /// SQLite's documented way to change a table: a new one, all rows, the old one dropped, the new one renamed. Indexes and triggers
    /// go with the old one.
    mutating func rebuild() -> [ForeignUnit] {
        let table = table()
        guard let sql = image.objects.first(where: { $0.type == "table" && $0.name == table.name })?.sql,
            let columns = image.columns[table.entity]
        else { return statements() }
        let new = "\(table.name)_new"
        let list = columns.joined(separator: ", ")
        let (create, name) = definition(table, sql, new, columns)
        let steps = [
            create, "INSERT INTO \(new)(\(list)) SELECT \(list) FROM \(table.name)", "DROP TABLE \(table.name)",
            "ALTER TABLE \(new) RENAME TO \(table.name)",
        ]
        var unit = ForeignUnit(
            frame: .transaction(continuesAfterError: false),
            statements: steps.map { ForeignStatement(sql: $0, name: name, mayBeInvalid: true) })
        unit.before = ["PRAGMA foreign_keys = OFF", "PRAGMA legacy_alter_table = \(random.isOne(of: 5) ? 0 : 1)"]
        return [unit] + afterwards(table)
    }

    /// The definition of the new table: the same, without its CHECKs, with a column more, or in another order.
    private mutating func definition(
        _ table: ForeignTable, _ sql: String, _ new: String, _ columns: [String]
    ) -> (sql: String, name: String) {
        let own = columns.filter { table[$0] == nil && $0 != "id" }
        switch random.number(0...3) {
        case 0 where own.isEmpty:
            let plain = table.columns.reversed().map { "\($0.name) \(Self.type($0))" }
            return (
                "CREATE TABLE \(new)(id BLOB PRIMARY KEY NOT NULL, \(plain.joined(separator: ", ")))", "rebuildPlain"
            )
        case 1 where own.isEmpty:
            let more = (table.columns.map { "\($0.name) \(Self.type($0))" } + ["\(device.name("column")) TEXT"])
            return (
                "CREATE TABLE \(new)(id BLOB PRIMARY KEY NOT NULL, \(more.joined(separator: ", "))) STRICT",
                "rebuildWithMore"
            )
        default:
            guard let start = sql.firstIndex(of: "(") else { return (sql, "rebuild") }
            return ("CREATE TABLE \(new)" + sql[start...], "rebuild")
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

    /// What the program writes then, before Roost looks at the layout.
    private mutating func afterwards(_ table: ForeignTable) -> [ForeignUnit] {
        (0..<random.number(0...3)).map { _ in
            switch random.number(0...3) {
            case 0: ForeignUnit(statements: [delete(table)])
            case 1: ForeignUnit(statements: [.init(sql: insert(table, [fresh(table)]), name: "afterwards")])
            default: ForeignUnit(statements: [update(table)])
            }
        }
    }

    // MARK: What is missing

    mutating func dropped() -> [ForeignUnit] {
        let table = table()
        let own = image.objects.filter { $0.name.hasPrefix("roost_") && $0.table == table.name }
        switch random.number(0...7) {
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

    private func ddl(_ sql: String, _ name: String) -> ForeignUnit {
        ForeignUnit(statements: [.init(sql: sql, name: name, mayBeInvalid: true)])
    }

    // MARK: What has another name, or is something else

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

    /// How a program adds a column of Roost's again, empty.
    private static func declaration(_ column: ForeignTable.Column) -> String? {
        switch column.kind {
        case .reference: "BLOB"
        case .text where column.defaultValue == .text(""): "TEXT NOT NULL DEFAULT ''"
        case .integer where column.defaultValue == .integer(0): "INTEGER NOT NULL DEFAULT 0"
        default: nil
        }
    }

    /// As pandas' `to_sql(if_exists="replace")` and csvs-to-sqlite do.
    mutating func replaced() -> [ForeignUnit] {
        let table = table()
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
}
