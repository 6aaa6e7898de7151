internal import RoostModel

/// The user's own indexes, and rows evicted because of them. SQLite fires no trigger for an evicted row.
extension ForeignWriter {
    mutating func unique() -> [ForeignUnit] {
        let table = table()
        let indexes = device.own.objects.filter { $0.value == "index" }.keys.sorted()
        switch random.number(0...9) {
        case 0...2: return [ForeignUnit(statements: [makeIndex(table)])]
        case 3:
            guard let name = random.maybe(indexes) else { return [ForeignUnit(statements: [makeIndex(table)])] }
            return [ForeignUnit(statements: [.init(sql: "DROP INDEX \(name)", name: "dropIndex", mayBeInvalid: true)])]
        default:
            var unit = unit([evict(isFree(table) ? table : tables[1])])
            unit.before = ["PRAGMA recursive_triggers = \(random.number(0...1))"]
            return [unit]
        }
    }

    private mutating func makeIndex(_ table: ForeignTable) -> ForeignStatement {
        let name = device.name("index")
        let (what, label) = random.pick([
            ("(text)", "uniqueIndex"), ("(number, text)", "uniqueIndex"), ("(lower(text))", "expressionIndex"),
            ("(number) WHERE number > 60", "partialIndex"), ("(substr(text, 1, 3), number)", "expressionIndex"),
        ])
        let isUnique = isFree(table) && !random.isOne(of: 4)
        return .init(
            sql: "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(name) ON \(table.name)\(what)",
            name: isUnique ? label : "plainIndex")
    }

    /// Gives a row the value of another one, which is evicted.
    private mutating func evict(_ table: ForeignTable) -> ForeignStatement {
        guard isFree(table), let victim = existing(table), let row = image.tables[table.entity]?[victim] else {
            return statement()
        }
        let text = (row.columns["text"] ?? .null).literal
        let number = (row.columns["number"] ?? .null).literal
        let clause = random.isOne(of: 3) ? random.pick(ForeignStatement.Clause.allCases) : .replace
        let deletes: Set<EntityID> = [table.entity]
        if random.isOne(of: 2) {
            return .init(
                sql: "INSERT \(clause.sql) INTO \(table.name)(id, text, number) VALUES "
                    + "(\(fresh(table).literal), \(text), \(number))", name: "evictByInsert", deletesFrom: deletes,
                clause: clause)
        }
        return .init(
            sql: "UPDATE \(clause.sql) \(table.name) SET text = \(text), number = \(number) WHERE \(condition(table))",
            name: "evictByUpdate", deletesFrom: deletes, clause: clause)
    }
}
