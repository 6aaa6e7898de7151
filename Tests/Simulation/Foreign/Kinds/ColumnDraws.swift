internal import RoostModel

/// The user's own columns of synchronised tables.
extension ForeignWriter {
    mutating func columns() -> [ForeignUnit] {
        let table = table()
        let own = device.own.columns[table.entity] ?? []
        guard let column = random.maybe(own) else { return [ForeignUnit(statements: [addColumn(table)])] }
        switch random.number(0...9) {
        case 0: return [ForeignUnit(statements: [addColumn(table)])]
        case 1:
            let new = device.name("column")
            return [
                ForeignUnit(statements: [
                    .init(sql: "ALTER TABLE \(table.name) RENAME COLUMN \(column) TO \(new)", name: "renameColumn")
                ])
            ]
        case 2:
            guard random.isOne(of: 2) else { return [unit([writeColumn(table, column)])] }
            return [
                ForeignUnit(statements: [
                    .init(sql: "ALTER TABLE \(table.name) DROP COLUMN \(column)", name: "dropColumn")
                ])
            ]
        case 3: return [unit([delete(table)])]
        case 4: return [unit([update(table)])]
        default: return [unit([writeColumn(table, column)])]
        }
    }

    private mutating func addColumn(_ table: ForeignTable) -> ForeignStatement {
        if random.isOne(of: 6) {
            return .init(
                sql: "ALTER TABLE \(table.name) ADD COLUMN \(device.name("generated")) INTEGER "
                    + "GENERATED ALWAYS AS (number * 2) VIRTUAL", name: "addGenerated")
        }
        let type = random.pick([
            "TEXT", "INTEGER", "REAL", "BLOB", "ANY", "INTEGER NOT NULL DEFAULT 7", "TEXT DEFAULT 'mine'",
        ])
        return .init(sql: "ALTER TABLE \(table.name) ADD COLUMN \(device.name("column")) \(type)", name: "addColumn")
    }

    private mutating func writeColumn(_ table: ForeignTable, _ column: String) -> ForeignStatement {
        let values = [ForeignValue.integer(Int64(random.number(0...9))), .text(marker()), .blob([1, 2, 3])]
        return .init(
            sql: "UPDATE \(table.name) SET \(column) = \(random.pick(values).literal) WHERE \(condition(table))",
            name: "writeColumn", mayBeInvalid: true)
    }
}
