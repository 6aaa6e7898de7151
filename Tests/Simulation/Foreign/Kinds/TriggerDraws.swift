internal import RoostModel

/// Triggers of the user that raise.
extension ForeignWriter {
    static let events = ["INSERT", "UPDATE", "DELETE"]

    /// The user's triggers, without those of full-text indexes: dropping one of the latter would let the others corrupt the
    /// index.
    var droppableTriggers: [String] {
        device.own.objects.filter { $0.value == "trigger" && !$0.key.hasPrefix("user_fts") }.keys.sorted()
    }

    mutating func triggers() -> [ForeignUnit] {
        let made = droppableTriggers
        switch random.number(0...9) {
        case 0, 1: return [ForeignUnit(statements: [makeRaising("")])] + raised()
        case 2: return [ForeignUnit(statements: [makeCalling()])] + raised()
        case 3:
            guard made.count > 2, let name = random.maybe(made) else { return raised() }
            return [
                ForeignUnit(statements: [.init(sql: "DROP TRIGGER \(name)", name: "dropTrigger", mayBeInvalid: true)])
            ]
        default: return raised()
        }
    }

    /// Makes a trigger that raises for some rows.
    ///
    /// - Parameter prefix: `TEMP ` for a trigger of this connection only.
    mutating func makeRaising(_ prefix: String) -> ForeignStatement {
        let form = random.pick(["ABORT", "FAIL", "ROLLBACK", "IGNORE"])
        let event = random.pick(Self.events)
        let timing = random.pick(["BEFORE", "AFTER"])
        let possible = tables.filter { device.styles[$0.entity] == .raising }
        // A raising trigger on a table with derived tables would by itself make them wrong.
        let table =
            random.maybe(possible) ?? tables.first { device.styles[$0.entity] != .derived } ?? tables[1]
        let row = event == "INSERT" ? "NEW." : event == "DELETE" ? "OLD." : random.pick(["NEW.", "OLD."])
        let columns = event == "UPDATE" && random.isOne(of: 3) ? " OF text" : ""
        let raise = form == "IGNORE" ? "RAISE(IGNORE)" : "RAISE(\(form), 'refused by the user')"
        return .init(
            sql: "CREATE \(prefix)TRIGGER \(device.name("raise")) \(timing) \(event)\(columns) ON \(table.name) "
                + "WHEN \(raisingCondition(row)) BEGIN SELECT \(raise); END",
            name:
                "raise\(form.prefix(1))\(form.dropFirst().lowercased())\(timing == "BEFORE" ? "Before" : "After")\(event.prefix(1))\(event.dropFirst().lowercased())"
        )
    }

    /// Makes a trigger that calls a function of its own program. No other connection can run a statement that fires the
    /// trigger.
    private mutating func makeCalling() -> ForeignStatement {
        let event = random.pick(Self.events)
        let timing = random.pick(["BEFORE", "AFTER"])
        let table = random.maybe(tables.filter { device.styles[$0.entity] == .raising }) ?? tables[1]
        return .init(
            sql: "CREATE TRIGGER \(device.name("raise")) \(timing) \(event) ON \(table.name) "
                + "BEGIN SELECT \(ForeignConnection.function)(\(event == "DELETE" ? "OLD" : "NEW").text); END",
            name: "callsOwnFunction")
    }

    /// Draws a condition on the row itself that about a fourth of the rows meets.
    private mutating func raisingCondition(_ row: String) -> String {
        switch random.number(0...2) {
        case 0: "\(row)number % 4 = \(random.number(0...3))"
        case 1: "\(row)text LIKE '%\(random.number(0...9))'"
        default: "\(row)number > \(random.number(60...90))"
        }
    }

    /// Makes statements on tables with raising triggers, several rows at once.
    mutating func raised() -> [ForeignUnit] {
        let possible = tables.filter { device.styles[$0.entity] == .raising }
        var statements: [ForeignStatement] = []
        for _ in 0..<random.number(1...3) {
            guard let table = random.maybe(possible) else { continue }
            switch random.number(0...6) {
            case 0: statements.append(.init(sql: insert(table, [fresh(table), fresh(table)]), name: "raisedInsert"))
            case 1, 2:
                statements.append(
                    .init(
                        sql: "UPDATE \(table.name) SET number = (number * 7 + 3) % 100, text = text || '\(marker())'",
                        name: "raisedUpdate"))
            case 3:
                statements.append(
                    .init(
                        sql: "DELETE FROM \(table.name) WHERE \(condition(table))", name: "raisedDelete",
                        deletesFrom: [table.entity]))
            case 4, 5:
                let folders = self.table(SampleSchema.folder)
                statements.append(
                    .init(
                        sql: "DELETE FROM \(folders.name) WHERE \(condition(folders))", name: "raisedCascade",
                        deletesFrom: [folders.entity]))
            default: statements.append(conflictOfAny(table))
            }
        }
        return statements.isEmpty ? self.statements() : [unit(statements)]
    }

    private mutating func conflictOfAny(_ table: ForeignTable) -> ForeignStatement {
        let clause = random.pick(ForeignStatement.Clause.allCases)
        return .init(
            sql: insert(table, [existingOrFresh(table), fresh(table)], clause: clause), name: "raisedConflict",
            deletesFrom: clause == .replace ? [table.entity] : [], clause: clause)
    }
}
