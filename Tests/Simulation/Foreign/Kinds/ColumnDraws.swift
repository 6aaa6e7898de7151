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
            let new = device.name(column.hasPrefix("user_generated") ? "generated" : "column")
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
        case 3, 4: return hideAndShow()
        case 5: return [unit([update(table)])]
        default: return [unit([writeColumn(table, column)])]
        }
    }

    /// Deletes a parent, which hides its children, and inserts it again, which shows them again.
    mutating func hideAndShow() -> [ForeignUnit] {
        let parents = self.table(SampleSchema.folder)
        guard let parent = existing(parents) else { return statements() }
        let items = self.table(SampleSchema.item)
        let move = ForeignStatement(
            sql: "UPDATE \(items.name) SET folder = \(parent.literal), text = text || '\(marker())' "
                + "WHERE \(condition(items))", name: "hideAndShow")
        let delete = ForeignStatement(
            sql: "DELETE FROM \(parents.name) WHERE id = \(parent.literal)", name: "hideAndShow",
            deletesFrom: [parents.entity])
        let again = ForeignStatement(sql: insert(parents, [parent]), name: "hideAndShow")
        return [move, delete, again].map { ForeignUnit(statements: [$0]) }
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
