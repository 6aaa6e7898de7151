internal import RoostModel

/// Conflict clauses, which override those of every trigger that the statement fires.
extension ForeignWriter {
    mutating func conflicts() -> [ForeignUnit] {
        let statements = (0..<random.number(1...2)).map { _ in conflict() }
        var unit = unit(statements)
        unit.before = ["PRAGMA recursive_triggers = \(random.number(0...1))"]
        return [unit]
    }

    private mutating func conflict() -> ForeignStatement {
        let table = table()
        let clause = random.pick(ForeignStatement.Clause.allCases)
        let name = clause.rawValue.prefix(1).uppercased() + clause.rawValue.dropFirst()
        let deletes: Set<EntityID> = clause == .replace ? [table.entity] : []
        switch random.number(0...6) {
        case 0, 1:
            return .init(
                sql: insert(table, [existingOrFresh(table)], clause: clause), name: "insertOr\(name)",
                deletesFrom: deletes, clause: clause)
        case 2:
            // The second row violates a constraint after the first is written.
            return .init(
                sql: insert(table, [fresh(table), existingOrFresh(table), fresh(table)], clause: clause),
                name: "insertManyOr\(name)", deletesFrom: deletes, clause: clause)
        case 3:
            // NOT NULL: OR REPLACE takes the default.
            return .init(
                sql: "UPDATE \(clause.sql) \(table.name) SET number = CASE WHEN \(condition(table)) THEN NULL "
                    + "ELSE number + 1 END, text = text || '\(marker())'", name: "updateNullOr\(name)",
                deletesFrom: deletes, clause: clause)
        case 4:
            let rowid = Int64(random.number(1...12))
            guard isFree(table) else { fallthrough }
            return .init(
                sql: insert(table, [fresh(table)], clause: clause, rowid: rowid), name: "insertRowidOr\(name)",
                deletesFrom: deletes, clause: clause, mayEvictByRowid: clause == .replace)
        case 5:
            // CHECK: an identifier of another length.
            return .init(
                sql:
                    "UPDATE \(clause.sql) \(table.name) SET id = CASE WHEN \(condition(table)) THEN x'00' ELSE id END, "
                    + "text = text || '\(marker())'", name: "updateCheckOr\(name)", deletesFrom: deletes,
                clause: clause)
        default:
            return .init(
                sql: "UPDATE \(clause.sql) \(table.name) SET \(assignments(values(table))) WHERE \(condition(table))",
                name: "updateOr\(name)", deletesFrom: deletes, clause: clause)
        }
    }

    /// Returns whether rows may be evicted from a table without a trigger: not if the user's triggers mirror the table.
    func isFree(_ table: ForeignTable) -> Bool { device.styles[table.entity] != .derived }
}
