internal import RoostModel

/// Writes that leave a row unchanged.
extension ForeignWriter {
    mutating func unchanged() -> [ForeignUnit] {
        let table = table()
        switch random.number(0...4) {
        case 0:
            return [
                unit([
                    .init(
                        sql: "UPDATE \(table.name) SET text = text, number = number + 0 WHERE \(condition(table))",
                        name: "updateSame")
                ])
            ]
        case 1: return thereAndBack(table, isTogether: true)
        case 2: return thereAndBack(table, isTogether: false)
        case 3:
            // A BEFORE INSERT trigger runs, and nothing is inserted.
            return [
                unit([
                    .init(sql: insert(table, [existingOrFresh(table)], clause: .ignore), name: "insertIgnored")
                ])
            ]
        default:
            return [
                unit([
                    .init(
                        sql:
                            "INSERT OR REPLACE INTO \(table.name) SELECT * FROM \(table.name) WHERE \(condition(table))",
                        name: "replaceSame", deletesFrom: [table.entity],
                        mayBeInvalid: true)
                ])
            ]
        }
    }

    /// Makes an edit and its reversal.
    private mutating func thereAndBack(_ table: ForeignTable, isTogether: Bool) -> [ForeignUnit] {
        guard let id = existing(table), let row = image.tables[table.entity]?[id], let text = row.columns["text"] else {
            return statements()
        }
        let statements = [ForeignValue.text(marker()), text].map { value in
            ForeignStatement(
                sql: "UPDATE \(table.name) SET text = \(value.literal) WHERE id = \(id.literal)", name: "thereAndBack")
        }
        guard isTogether else { return statements.map { ForeignUnit(statements: [$0]) } }
        return [ForeignUnit(frame: .transaction(continuesAfterError: false), statements: statements)]
    }
}
