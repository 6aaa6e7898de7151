internal import RoostModel

/// Full-text indexes, incremental blobs and unusual values.
extension ForeignWriter {
    // MARK: Full text

    mutating func fulltext() -> [ForeignUnit] {
        let possible = tables.filter { device.styles[$0.entity] == .derived }
        guard let table = random.maybe(possible) else { return statements() }
        guard device.own.fulltext[table.entity] == nil else { return written(table) }
        let name = device.name("fts")
        device.own.fulltext[table.entity] = name
        let insert = "INSERT INTO \(name)(rowid, text) VALUES (NEW.rowid, NEW.text);"
        let delete = "INSERT INTO \(name)(\(name), rowid, text) VALUES ('delete', OLD.rowid, OLD.text);"
        let statements = [
            "CREATE VIRTUAL TABLE \(name) USING fts5(text, content='\(table.name)', content_rowid='rowid')",
            "INSERT INTO \(name)(\(name)) VALUES ('rebuild')",
            "CREATE TRIGGER \(name)_i AFTER INSERT ON \(table.name) BEGIN \(insert) END",
            "CREATE TRIGGER \(name)_d AFTER DELETE ON \(table.name) BEGIN \(delete) END",
            "CREATE TRIGGER \(name)_u AFTER UPDATE ON \(table.name) BEGIN \(delete) \(insert) END",
        ]
        return [
            ForeignUnit(
                frame: .transaction(continuesAfterError: false),
                statements: statements.map { ForeignStatement(sql: $0, name: "fts5") })
        ]
    }

    // MARK: Incremental blobs

    /// Overwrites a part of a value in place. No trigger runs.
    mutating func blobs() -> [ForeignUnit] {
        let assets = tables[4]
        guard let id = existing(assets), let row = image.tables[assets.entity]?[id] else {
            return [
                ForeignUnit(statements: [
                    .init(
                        sql: "INSERT INTO asset(id, text, payload) VALUES (\(fresh(assets).literal), '\(marker())', "
                            + "randomblob(20)) ON CONFLICT DO NOTHING", name: "blobRow")
                ])
            ]
        }
        // Triggers that maintain an index of a text do not run for a blob write.
        let isKept = device.own.fulltext[assets.entity] != nil || device.own.mirrors[assets.entity] != nil
        let picked = random.pick(["payload", "payload", "text"])
        let column = isKept ? "payload" : picked
        let size: Int
        switch row.columns[column] {
        case .blob(let bytes)?: size = bytes.count
        case .text(let bytes)?: size = bytes.count
        default:
            return [
                ForeignUnit(statements: [
                    .init(sql: "UPDATE asset SET payload = randomblob(24) WHERE id = \(id.literal)", name: "blobRow")
                ])
            ]
        }
        guard size > 0 else { return statements() }
        let count = random.isOne(of: 4) ? 1 : random.number(1...size)
        // Letters and digits, so that text stays text.
        let bytes = (0..<count).map { _ in UInt8(random.number(0x30...0x39)) }
        var statement = ForeignStatement(sql: "", name: column == "text" ? "blobOfText" : "blob", mayBeInvalid: true)
        statement.blob = .init(
            table: assets.name, column: column, rowid: row.rowid, bytes: bytes,
            offset: Int32(random.number(0...size - count)))
        return [ForeignUnit(statements: [statement])]
    }

    // MARK: Unusual values

    mutating func unusual() -> [ForeignUnit] {
        let assets = tables[4]
        let target = existingOrFresh(assets).literal
        let table = table()
        let (value, name) = random.pick([
            ("score = 9e999", "infinity"), ("score = -9e999", "infinity"), ("score = -0.0", "negativeZero"),
            ("score = 5e-324", "subnormal"), ("score = 1.7976931348623157e308", "greatest"),
            ("number = 9223372036854775807", "greatestInteger"),
            ("number = (-9223372036854775807 - 1)", "leastInteger"),
            ("memo = '{\"a\":1,\"a\":2}'", "duplicateNames"), ("memo = 'null'", "jsonNull"),
            ("memo = '{\"a\":'", "badJSON"),
            ("memo = '{\"a\":1e999}'", "jsonInfinity"), ("text = CAST(x'66ff41' AS TEXT)", "invalidUTF8"),
            ("text = 'a' || char(0) || 'b'", "zeroCharacter"), ("payload = zeroblob(1200)", "tooLarge"),
            ("text = text || hex(zeroblob(600))", "tooLarge"), ("payload = x''", "emptyBlob"),
            ("text = ''", "emptyText"), ("moment = -9223372036854775807", "leastMoment"),
            ("day = '0001-01-01'", "firstDay"),
        ])
        if random.isOne(of: 3) { return [unit([composition(table)])] }
        if random.isOne(of: 5) { return [unchecked(assets, target)] }
        let insert = ForeignStatement(
            sql: "INSERT INTO asset(id, text) VALUES (\(target), '\(marker())') ON CONFLICT DO NOTHING",
            name: "valueRow")
        let update = ForeignStatement(sql: "UPDATE asset SET \(value) WHERE id = \(target)", name: name)
        let other = self.update(table)
        return [ForeignUnit(frame: .transaction(continuesAfterError: true), statements: [insert, other, update])]
    }

    /// Makes values, and an identifier, that a CHECK of Roost's refuses unless the connection ignores checks.
    private mutating func unchecked(_ assets: ForeignTable, _ target: String) -> ForeignUnit {
        let value = random.pick(["flag = 2", "day = 'never'", "code = x'00'"])
        let sql = random.pick([
            "UPDATE asset SET \(value), text = '\(marker())' WHERE id = \(target)",
            "INSERT INTO asset(id, text) VALUES (x'\(Hex.encode([7, UInt8(random.number(0...3))]))', '\(marker())') ON CONFLICT DO NOTHING",
        ])
        var unit = ForeignUnit(statements: [.init(sql: sql, name: "ignoresChecks")])
        unit.before = ["PRAGMA ignore_check_constraints = ON"]
        unit.after = ["PRAGMA ignore_check_constraints = OFF"]
        return unit
    }

    /// Changes the Unicode composition of a text: with other bytes, it is another text to Roost.
    private mutating func composition(_ table: ForeignTable) -> ForeignStatement {
        let (composed, decomposed) = ("'caf' || char(233)", "'cafe' || char(769)")
        let condition = condition(table)
        return .init(
            sql: "UPDATE \(table.name) SET text = CASE text WHEN \(composed) THEN \(decomposed) ELSE \(composed) END "
                + "WHERE \(condition)", name: "composition")
    }
}
