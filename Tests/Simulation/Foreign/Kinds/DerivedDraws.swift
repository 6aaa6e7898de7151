internal import RoostModel

/// The user's own tables that triggers derive from a synchronised table, and writes to views.
extension ForeignWriter {
    mutating func derived() -> [ForeignUnit] {
        let possible = tables.filter { device.styles[$0.entity] == .derived }
        guard let table = random.maybe(possible) else { return statements() }
        switch random.number(0...5) {
        case 0, 1:
            guard device.own.mirrors[table.entity] == nil else { return written(table) }
            return [mirror(table)]
        case 2: return [log(table)]
        case 3: return view(table)
        default: return written(table)
        }
    }

    /// Makes a table that mirrors the texts of another by three triggers. The triggers tolerate that REPLACE fires none for
    /// the row with an equal identifier that it removes.
    private mutating func mirror(_ table: ForeignTable) -> ForeignUnit {
        let name = device.name("mirror")
        device.own.mirrors[table.entity] = name
        let insert = "INSERT INTO \(name)(id, text, number) VALUES (NEW.id, NEW.text, NEW.number);"
        let statements = [
            "CREATE TABLE \(name)(id BLOB PRIMARY KEY, text TEXT, number INTEGER)",
            "INSERT INTO \(name) SELECT id, text, number FROM \(table.name)",
            "CREATE TRIGGER \(name)_i AFTER INSERT ON \(table.name) BEGIN DELETE FROM \(name) WHERE id = NEW.id; \(insert) END",
            "CREATE TRIGGER \(name)_u AFTER UPDATE ON \(table.name) BEGIN DELETE FROM \(name) WHERE id IN (OLD.id, NEW.id); "
                + "\(insert) END",
            "CREATE TRIGGER \(name)_d AFTER DELETE ON \(table.name) BEGIN DELETE FROM \(name) WHERE id = OLD.id; END",
        ]
        return ForeignUnit(
            frame: .transaction(continuesAfterError: false),
            statements: statements.map { ForeignStatement(sql: $0, name: "mirror") })
    }

    /// Makes a log with an INTEGER PRIMARY KEY: its trigger changes last_insert_rowid().
    private mutating func log(_ table: ForeignTable) -> ForeignUnit {
        let name = device.name("log")
        let event = random.pick(Self.events)
        let row = event == "DELETE" ? "OLD" : "NEW"
        let timing = random.pick(["BEFORE", "AFTER"])
        let statements = [
            "CREATE TABLE \(name)(n INTEGER PRIMARY KEY, what TEXT, id BLOB)",
            "CREATE TRIGGER \(name)_t \(timing) \(event) ON \(table.name) "
                + "BEGIN INSERT INTO \(name)(what, id) VALUES ('\(event)', \(row).id); END",
        ]
        return ForeignUnit(
            frame: .transaction(continuesAfterError: false),
            statements: statements.map { ForeignStatement(sql: $0, name: "log") })
    }

    /// Makes a view with INSTEAD OF triggers, and a write through it.
    private mutating func view(_ table: ForeignTable) -> [ForeignUnit] {
        let name = device.name("view")
        let statements = [
            "CREATE VIEW \(name) AS SELECT id, text, number FROM \(table.name) WHERE number >= 0",
            "CREATE TRIGGER \(name)_i INSTEAD OF INSERT ON \(name) "
                + "BEGIN INSERT INTO \(table.name)(id, text, number) VALUES (NEW.id, NEW.text, NEW.number); END",
            "CREATE TRIGGER \(name)_u INSTEAD OF UPDATE ON \(name) "
                + "BEGIN UPDATE \(table.name) SET text = NEW.text WHERE id = OLD.id; END",
            "INSERT INTO \(name) VALUES (\(RecordID(high: UInt64(table.entity.rawValue), low: UInt64(100 + device.names)).literal), '\(marker())', 5)",
            "UPDATE \(name) SET text = text || '\(marker())' WHERE \(condition(table).replacing("rowid", with: "number"))",
        ]
        return statements.map { ForeignUnit(statements: [ForeignStatement(sql: $0, name: "view")]) }
    }

    /// Writes a table that has derived tables. A program with derived tables lets delete triggers run for the rows that
    /// REPLACE removes.
    mutating func written(_ table: ForeignTable) -> [ForeignUnit] {
        let statement: ForeignStatement
        switch random.number(0...3) {
        case 0: statement = .init(sql: insert(table, [fresh(table), fresh(table)]), name: "writtenInsert")
        case 1: statement = delete(table)
        case 2:
            let clause = random.pick(ForeignStatement.Clause.allCases)
            statement = .init(
                sql: insert(table, [existingOrFresh(table), fresh(table)], clause: clause), name: "writtenConflict",
                deletesFrom: clause == .replace ? [table.entity] : [], clause: clause)
        default: statement = update(table)
        }
        var unit = unit([statement])
        unit.before = ["PRAGMA recursive_triggers = 1"]
        return [unit]
    }
}
