internal import RoostModel

/// Draws the next operations of another program, from its reading of the file.
struct ForeignWriter {
    var random: ForeignRandom
    let image: FileImage
    let tables: [ForeignTable]
    var device: ForeignDevice
    /// A counter for texts: most writes have a unique one.
    var count: Int

    /// Draws the next units of a kind. In one case of three, plain statements follow, which use the kind's objects.
    mutating func units(_ kind: ForeignKind) -> [ForeignUnit] {
        var units = draw(kind)
        for index in units.indices { units[index].kind = kind }
        // Without `recursive_triggers`, REPLACE by itself makes the user's own derived tables wrong.
        if device.kinds.contains(where: { [.derived, .fulltext].contains($0) }) {
            for index in units.indices { units[index].before.append("PRAGMA recursive_triggers = 1") }
        }
        if kind != .statements, random.isOne(of: 3) { units.append(contentsOf: draw(.statements)) }
        return units
    }

    private mutating func draw(_ kind: ForeignKind) -> [ForeignUnit] {
        switch kind {
        case .statements: statements()
        case .unchanged: unchanged()
        case .conflicts: conflicts()
        case .identifiers: identifiers()
        case .unique: unique()
        case .triggers: triggers()
        case .derived: derived()
        case .touching: touching()
        case .temporary: temporary()
        case .columns: columns()
        case .rebuild: rebuild()
        case .dropped: dropped()
        case .renamed: renamed()
        case .replaced: replaced()
        case .file: file()
        case .pragmas: pragmas()
        case .fulltext: fulltext()
        case .blobs: blobs()
        case .values: unusual()
        }
    }

    // MARK: Parts of statements

    mutating func table() -> ForeignTable {
        let weights = [0, 0, 1, 1, 1, 1, 2, 3, 4, 4]
        return tables[random.pick(weights) % tables.count]
    }

    func table(_ entity: EntityID) -> ForeignTable { tables.first { $0.entity == entity } ?? tables[0] }

    mutating func marker() -> String {
        count += 1
        return "f\(count)"
    }

    func ids(_ table: ForeignTable) -> [RecordID] { image.tables[table.entity]?.keys.sorted() ?? [] }

    mutating func existing(_ table: ForeignTable) -> RecordID? { random.maybe(ids(table)) }

    /// Draws an identifier from a small range, so that devices often write one and the same record.
    mutating func fresh(_ table: ForeignTable) -> RecordID {
        RecordID(high: UInt64(table.entity.rawValue), low: UInt64(random.number(0...23)))
    }

    mutating func existingOrFresh(_ table: ForeignTable) -> RecordID {
        random.isOne(of: 4) ? fresh(table) : existing(table) ?? fresh(table)
    }

    /// Draws a reference's target: mostly an existing record, seldom a missing one or NULL.
    mutating func target(_ entity: EntityID) -> ForeignValue {
        let table = table(entity)
        switch random.number(0...9) {
        case 0...2: return .null
        case 3: return .blob(fresh(table).bytes)
        default: return existing(table).map { .blob($0.bytes) } ?? .null
        }
    }

    /// Draws values for some of a table's columns, always including a text.
    mutating func values(_ table: ForeignTable) -> [(column: String, value: ForeignValue)] {
        var values: [(column: String, value: ForeignValue)] = [("text", .text(marker()))]
        for column in table.columns where column.name != "text" && random.isOne(of: 2) {
            guard image.tables[table.entity] != nil else { continue }
            values.append((column.name, value(column)))
        }
        return values
    }

    mutating func value(_ column: ForeignTable.Column) -> ForeignValue {
        switch column.kind {
        case .text: .text(marker())
        case .integer: .integer(Int64(random.number(0...99)))
        case .real: .real(Double(random.number(-400...400)) / 8)
        case .data: .blob((0..<random.number(1...24)).map { _ in UInt8(random.number(0...255)) })
        case .json: .text("{\"a\":[\(random.number(0...99)),\"\(marker())\"]}")
        case .boolean: .integer(Int64(random.number(0...1)))
        case .date: .text("2026-0\(random.number(1...9))-1\(random.number(0...9))")
        case .timestamp: .integer(1_767_225_600_000 + Int64(random.number(0...1_000_000)))
        case .uuid: .blob(RecordID(high: 77, low: UInt64(random.number(0...1_000_000))).bytes)
        case .reference(let entity): target(entity)
        }
    }

    /// Draws a condition that some rows meet.
    mutating func condition(_ table: ForeignTable, prefix: String = "") -> String {
        switch random.number(0...5) {
        case 0: return "\(prefix)number % 2 = 0"
        case 1: return "\(prefix)number > \(random.number(0...90))"
        case 2: return "\(prefix)text LIKE '%\(random.number(0...9))'"
        case 3: return "\(prefix)rowid % 3 = \(random.number(0...2))"
        default:
            guard let id = existing(table) else { return "\(prefix)number = 1" }
            return "\(prefix)id = \(id.literal)"
        }
    }

    func assignments(_ values: [(column: String, value: ForeignValue)]) -> String {
        values.map { "\($0.column) = \($0.value.literal)" }.joined(separator: ", ")
    }

    /// Makes an INSERT with identifiers.
    mutating func insert(
        _ table: ForeignTable, _ ids: [RecordID], clause: ForeignStatement.Clause? = nil, rowid: Int64? = nil
    ) -> String {
        let columns = values(table).map(\.column)
        let rows = ids.map { id in
            let values = columns.map { name in table[name].map { value($0) } ?? .null }.map(\.literal)
            return "(" + ((rowid.map { ["\($0)"] } ?? []) + [id.literal] + values).joined(separator: ", ") + ")"
        }
        let names = (rowid == nil ? [] : ["rowid"]) + ["id"] + columns
        return "INSERT \(clause.map { $0.sql + " " } ?? "")INTO \(table.name)(\(names.joined(separator: ", "))) VALUES "
            + rows.joined(separator: ", ")
    }

    /// Makes a unit of statements, in one transaction or alone.
    mutating func unit(_ statements: [ForeignStatement]) -> ForeignUnit {
        if statements.count == 1, !random.isOne(of: 3) { return ForeignUnit(statements: statements) }
        return ForeignUnit(frame: .transaction(continuesAfterError: random.isOne(of: 2)), statements: statements)
    }
}
