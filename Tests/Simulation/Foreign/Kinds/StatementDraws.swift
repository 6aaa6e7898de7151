internal import RoostModel

/// Ordinary statements, which any program may run.
extension ForeignWriter {
    mutating func statements() -> [ForeignUnit] {
        let statements = (0..<random.number(1...3)).map { _ in statement() }
        return [unit(statements)]
    }

    mutating func statement() -> ForeignStatement {
        let table = table()
        switch random.number(0...13) {
        case 0, 1: return .init(sql: insert(table, [fresh(table)]), name: "insert")
        case 2: return .init(sql: insert(table, [fresh(table)]) + " RETURNING id, text", name: "insertReturning")
        case 3:
            let rowid = Int64(random.number(1...60))
            return .init(sql: insert(table, [fresh(table)], rowid: rowid), name: "insertRowid")
        case 4:
            let values = values(table)
            return .init(
                sql: insert(table, [existingOrFresh(table)]) + " ON CONFLICT(id) DO UPDATE SET \(assignments(values))",
                name: "upsert")
        case 5:
            return .init(
                sql: insert(table, [existingOrFresh(table), fresh(table)]) + " ON CONFLICT DO NOTHING",
                name: "upsertNothing")
        case 6: return copy(table)
        case 7...10: return update(table)
        case 11: return deleteReturning(table)
        default: return delete(table)
        }
    }

    /// Copies rows to new identifiers with INSERT … SELECT.
    private mutating func copy(_ table: ForeignTable) -> ForeignStatement {
        let id = fresh(table)
        return .init(
            sql: "INSERT INTO \(table.name)(id, text, number) SELECT \(id.literal), text || '\(marker())', number "
                + "FROM \(table.name) WHERE \(condition(table)) LIMIT 1", name: "insertSelect")
    }

    mutating func update(_ table: ForeignTable) -> ForeignStatement {
        if random.isOne(of: 3) {
            return .init(
                sql: "UPDATE \(table.name) SET number = number + 1, text = text || '\(marker())' "
                    + "WHERE \(condition(table)) RETURNING id", name: "updateMany")
        }
        let values = values(table)
        return .init(
            sql: "UPDATE \(table.name) SET \(assignments(values)) WHERE \(condition(table))", name: "update")
    }

    mutating func delete(_ table: ForeignTable) -> ForeignStatement {
        .init(
            sql: "DELETE FROM \(table.name) WHERE \(condition(table))", name: "delete", deletesFrom: [table.entity])
    }

    private mutating func deleteReturning(_ table: ForeignTable) -> ForeignStatement {
        .init(
            sql: "DELETE FROM \(table.name) WHERE \(condition(table)) RETURNING *", name: "deleteReturning",
            deletesFrom: [table.entity])
    }
}
