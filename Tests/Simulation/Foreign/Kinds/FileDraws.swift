internal import RoostModel

/// Whole-file operations and PRAGMAs.
extension ForeignWriter {
    mutating func file() -> [ForeignUnit] {
        switch random.number(0...3) {
        case 0:
            return [ForeignUnit(statements: [.init(sql: "VACUUM", name: "vacuum")] + rebuildIndexes())].map(separate)
                .flatMap(\.self)
        case 1:
            let size = random.pick([1024, 4096, 8192])
            return [
                ForeignUnit(
                    frame: .offline,
                    statements: [
                        .init(
                            sql: "PRAGMA journal_mode = DELETE; PRAGMA page_size = \(size); VACUUM",
                            name: "vacuumPageSize")
                    ] + rebuildIndexes())
            ]
        case 2:
            return [
                ForeignUnit(
                    frame: .offline, statements: [.init(sql: "PRAGMA journal_mode = DELETE", name: "disableWAL")])
            ]
        default:
            // Plain SQL cannot restore virtual tables from a dump of the shell's.
            guard !image.objects.contains(where: { $0.sql.hasPrefix("CREATE VIRTUAL") }) else { return statements() }
            return [
                ForeignUnit(frame: .offline, statements: [.init(sql: "-- dump and restore", name: "dumpAndRestore")])
            ]
        }
    }

    /// Rebuilds the user's full-text indexes, since VACUUM may change rowids.
    private func rebuildIndexes() -> [ForeignStatement] {
        device.own.fulltext.values.sorted().map {
            ForeignStatement(sql: "INSERT INTO \($0)(\($0)) VALUES ('rebuild')", name: "rebuildIndex")
        }
    }

    /// Splits a unit, since VACUUM cannot run in a transaction.
    private func separate(_ unit: ForeignUnit) -> [ForeignUnit] {
        unit.statements.map { ForeignUnit(statements: [$0]) }
    }

    mutating func pragmas() -> [ForeignUnit] {
        let table = table()
        switch random.number(0...7) {
        case 0, 1:
            return [
                ForeignUnit(statements: [
                    .init(sql: "PRAGMA user_version = \(random.number(0...9))", name: "userVersion")
                ])
            ]
        case 2:
            return [
                ForeignUnit(statements: [
                    .init(sql: "PRAGMA application_id = \(random.number(1...99))", name: "applicationID")
                ])
            ]
        case 3: return [with(["PRAGMA foreign_keys = ON"], "foreignKeys", table)]
        case 4, 5:
            return [with(["PRAGMA trusted_schema = OFF"], "trustedSchema", random.isOne(of: 2) ? tables[4] : table)]
        case 6:
            return [
                with(
                    ["PRAGMA writable_schema = ON", "UPDATE sqlite_schema SET sql = sql WHERE name = '\(table.name)'"],
                    "writableSchema", table)
            ]
        default: return [with(["PRAGMA synchronous = OFF", "PRAGMA cell_size_check = ON"], "synchronous", table)]
        }
    }

    /// Makes writes of a connection with the given settings.
    private mutating func with(_ settings: [String], _ name: String, _ table: ForeignTable) -> ForeignUnit {
        var statement = random.isOne(of: 3) ? delete(table) : update(table)
        statement.name = name
        var unit = unit([statement, .init(sql: insert(table, [fresh(table)]), name: name)])
        unit.before = settings
        unit.after = ["PRAGMA writable_schema = OFF", "PRAGMA trusted_schema = ON"]
        return unit
    }
}
