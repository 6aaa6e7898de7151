internal import RoostModel

/// The user's triggers that write synchronised tables.
extension ForeignWriter {
    mutating func touching() -> [ForeignUnit] {
        let possible = tables.filter { device.styles[$0.entity] == .touching }
        guard let table = random.maybe(possible) else { return statements() }
        let made = droppableTriggers
        switch random.number(0...7) {
        case 6:
            // A delete rule masks the references to the deleted record, which updates their rows.
            let parents = self.table(random.pick([SampleSchema.label, SampleSchema.folder]))
            let items = self.table(SampleSchema.item)
            guard let id = existing(parents),
                let column = items.columns.first(where: { $0.kind == .reference(parents.entity) })
            else { return statements() }
            let refer = ForeignStatement(
                sql: "UPDATE \(items.name) SET \(column.name) = \(id.literal) WHERE \(condition(items))",
                name: "touchedReference")
            let delete = ForeignStatement(
                sql: "DELETE FROM \(parents.name) WHERE id = \(id.literal)", name: "touchedByRule",
                deletesFrom: [parents.entity])
            return [ForeignUnit(statements: [refer]), ForeignUnit(statements: [delete])]
        case 7: return hideAndShow()
        case 0, 1: return made.count < 4 ? [ForeignUnit(statements: [touch(table)])] : [unit([update(table)])]
        case 2: return [unit([.init(sql: insert(table, [fresh(table)]), name: "touchedInsert")])]
        case 3:
            guard made.count > 3, let name = random.maybe(made) else { return [unit([update(table)])] }
            return [ForeignUnit(statements: [.init(sql: "DROP TRIGGER \(name)", name: "dropTrigger")])]
        default: return [unit([.init(sql: update(table).sql, name: "touchedUpdate")])]
        }
    }

    /// Makes a trigger such as `updated_at`, which writes its own row or another one.
    private mutating func touch(_ table: ForeignTable) -> ForeignStatement {
        let name = device.name("touch")
        let folders = self.table(SampleSchema.folder).name
        let labels = self.table(SampleSchema.label).name
        let label = RecordID(high: UInt64(SampleSchema.label.rawValue), low: UInt64(30 + random.number(0...3))).literal
        if random.isOne(of: 3) { return reap() }
        let (head, body, what) = random.pick([
            (
                "AFTER UPDATE OF text ON \(table.name)",
                "UPDATE \(table.name) SET number = OLD.number + 1 WHERE id = NEW.id;", "updatedAt"
            ),
            (
                "AFTER UPDATE OF text ON \(table.name)",
                "UPDATE \(table.name) SET number = abs(random()) % 1000 WHERE id = NEW.id;", "updatedAtRandomly"
            ),
            // This one fires on any update, including one by a delete rule that masks a reference.
            (
                "AFTER UPDATE ON \(table.name) WHEN NEW.number = OLD.number",
                "UPDATE \(table.name) SET number = OLD.number + 1 WHERE id = NEW.id;", "updatedAtAlways"
            ),
            (
                "AFTER UPDATE ON \(table.name) WHEN NEW.number = OLD.number",
                "UPDATE \(table.name) SET number = OLD.number + 1 WHERE id = NEW.id;", "updatedAtAlways"
            ),
            (
                "AFTER INSERT ON \(table.name)",
                "UPDATE \(table.name) SET number = number + 1000 WHERE id = NEW.id;", "createdAt"
            ),
            (
                "BEFORE UPDATE OF text ON \(table.name)",
                "UPDATE \(folders) SET number = number + 1 WHERE rowid % 2 = 0;", "touchesOthers"
            ),
            (
                "AFTER INSERT ON \(table.name) WHEN NOT EXISTS (SELECT 1 FROM \(labels) WHERE id = \(label))",
                "INSERT INTO \(labels)(id, text, number) VALUES (\(label), 'made by \(name)', 1);", "insertsOthers"
            ),
        ])
        return .init(sql: "CREATE TRIGGER \(name) \(head) BEGIN \(body) END", name: what)
    }

    /// Makes a trigger that implements a delete rule of the user's: it deletes or changes the rows that refer to a row. While
    /// Roost applies a page, these may be rows of that page, or of the running statement.
    private mutating func reap() -> ForeignStatement {
        let (items, folders) = (self.table(SampleSchema.item).name, self.table(SampleSchema.folder).name)
        let labels = self.table(SampleSchema.label).name
        let (head, body, what) = random.pick([
            (
                "AFTER UPDATE ON \(folders)", "DELETE FROM \(items) WHERE folder = NEW.id AND number % 2 = 0;",
                "reapsChildren"
            ),
            ("BEFORE DELETE ON \(labels)", "DELETE FROM \(items) WHERE label = OLD.id;", "reapsReferrers"),
            (
                "AFTER UPDATE ON \(items)", "DELETE FROM \(items) WHERE id <> NEW.id AND number % 3 = 0;",
                "reapsSiblings"
            ),
            ("BEFORE INSERT ON \(items)", "DELETE FROM \(items) WHERE folder = NEW.folder;", "reapsEarlier"),
            (
                "AFTER DELETE ON \(folders)",
                "UPDATE \(folders) SET parent = NULL, number = number + 1 WHERE parent = OLD.id;", "freesTree"
            ),
            (
                "AFTER DELETE ON \(folders)",
                "UPDATE \(items) SET folder = NULL, number = number + 1 WHERE folder = OLD.id;", "freesChildren"
            ),
            (
                "BEFORE UPDATE OF label ON \(items)",
                "UPDATE \(items) SET number = number + 1, label = NULL WHERE id = NEW.id;", "clearsItself"
            ),
            (
                "AFTER UPDATE OF label ON \(items) WHEN NEW.label IS NULL",
                "UPDATE \(items) SET number = number + 1, label = NULL WHERE label = OLD.label;", "clearsSiblings"
            ),
        ])
        return .init(sql: "CREATE TRIGGER \(device.name("reap")) \(head) BEGIN \(body) END", name: what)
    }

    // MARK: TEMP triggers

    mutating func temporary() -> [ForeignUnit] {
        var raise = makeRaising("TEMP ")
        raise.name = "tempRaise"
        // A trigger that writes its own table runs before the triggers that maintain a derived table. The derived table would
        // then get the older row last.
        let possible = tables.filter { device.styles[$0.entity] != .derived }
        guard let touched = random.maybe(possible) else { return raised() + statements() }
        let touch = ForeignStatement(
            sql: "CREATE TEMP TRIGGER \(device.name("temp")) AFTER UPDATE OF text ON main.\(touched.name) "
                + "BEGIN UPDATE \(touched.name) SET number = number + 1 WHERE id = NEW.id; END", name: "tempTouch")
        return [ForeignUnit(statements: [random.isOne(of: 2) ? raise : touch])] + raised() + statements()
    }
}
