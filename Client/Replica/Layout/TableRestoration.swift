internal import GRDB
internal import RoostModel

/// Brings the tables and indexes of one entity back to what its schema demands, with the rows and columns that are there.
struct TableRestoration {
    let database: Database
    let table: EntityTable
    private(set) var items: [SchemaItem]
    /// What is known of the rows afterwards.
    var evidence: RowComparison.Evidence
    /// Sentences for the log.
    var notices: [String] = []
    /// Columns to be filled once all tables and triggers are there.
    private(set) var fillings: [ColumnFilling] = []
    /// Records whose rows do not fit. They are in the journal.
    private(set) var setAside: Set<RecordKey> = []

    /// - Parameters:
    ///   - items: All that the file has now.
    ///   - evidence: What is known of the rows so far.
    init(_ database: Database, _ table: EntityTable, _ items: [SchemaItem], _ evidence: RowComparison.Evidence) {
        self.database = database
        self.table = table
        self.items = items
        self.evidence = evidence
    }

    mutating func run() throws {
        // The restoration of another table may have changed more than that table.
        try reload()
        try renameTableBack()
        if isThere(table.table) {
            try renameColumnsBack()
            try replaceIfForeign()
        } else {
            try dropNamesake()
            try makeVisible()
            notices.append("The table \"\(table.table)\" was gone, and was made again.")
            evidence = .replaced
        }
        try restoreHidden()
        try restoreIndexes()
    }

    /// A view cannot stay under the name of a table.
    private mutating func dropNamesake() throws {
        guard let view = items.first(where: { $0.kind == .view && $0.key == table.table }) else { return }
        let triggers = items.filter { $0.kind == .trigger && $0.tableKey == view.key }
        try database.executeOne("DROP VIEW \(SQLName.quoted(view.name))")
        let texts = ([view] + triggers).map(\.sql).joined(separator: "; ")
        notices.append(
            "The view \"\(view.name)\" was in the place of a table, and was dropped with its triggers. They were made by: \(texts)"
        )
        try reload()
    }

    private func isThere(_ name: String) -> Bool { items.contains { $0.kind == .table && $0.key == name } }

    mutating func reload() throws { items = try SchemaItem.all(database) }

    private mutating func makeVisible() throws {
        try database.executeOne(TableSQL.createVisible(table))
        try reload()
    }

    /// - Parameter isFollowed: Whether what refers to the table is to follow it, as far as SQLite can read it. What refers to one that is
    ///   set aside is to find the one that takes its place.
    mutating func rename(_ name: String, to new: String, isFollowed: Bool) throws {
        let sql = "ALTER TABLE \(SQLName.quoted(name)) RENAME TO \(SQLName.quoted(new))"
        if try !isFollowed || !succeeds(sql) && !succeedsWithoutUnreadable(sql, of: name) {
            try database.execute(sql: "PRAGMA legacy_alter_table = ON")
            defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF") }
            try database.executeOne(sql)
        }
        try reload()
    }

    /// - Returns: Whether SQLite took a statement. A view or trigger of another program that cannot be read keeps it from renaming.
    private func succeeds(_ sql: String) throws -> Bool {
        do {
            try database.executeOne(sql)
            return true
        } catch let error as DatabaseError where RowStore.isRefusal(error) {
            return false
        }
    }

    /// Renames the table without Roost's triggers and without views that SQLite cannot read. They are put back as they were, but for
    /// the triggers on the table, which are made again when it is in its place.
    ///
    /// - Returns: Whether SQLite took the statement. A trigger of another program may still keep it from that.
    private func succeedsWithoutUnreadable(_ renaming: String, of name: String) throws -> Bool {
        let triggers = items.filter { $0.kind == .trigger && $0.isRoosts }
        for trigger in triggers { try database.executeOne("DROP TRIGGER \(SQLName.quoted(trigger.name))") }
        let views = items.filter { item in
            guard item.kind == .view else { return false }
            do {
                _ = try database.makeStatement(sql: "SELECT * FROM \(SQLName.quoted(item.name))")
                return false
            } catch { return true }
        }
        let names = Set(views.map(\.key))
        let ofViews = items.filter { $0.kind == .trigger && names.contains($0.tableKey) }
        for view in views { try database.executeOne("DROP VIEW \(SQLName.quoted(view.name))") }
        let isDone = try succeeds(renaming)
        let others = triggers.filter { $0.tableKey != SQLName.folded(name) }
        for item in views + ofViews + others { try database.makeAgain(item.sql) }
        return isDone
    }

    /// Renames a column in all that refers to it, as far as SQLite can read that: a view of another program may name a column by the
    /// name that it is to have again.
    ///
    /// - Returns: Whether SQLite took it.
    func renameColumn(of quoted: String, _ name: String, to new: String) throws -> Bool {
        let sql = "ALTER TABLE \(quoted) RENAME COLUMN \(SQLName.quoted(name)) TO \(SQLName.quoted(new))"
        if try succeeds(sql) { return true }
        var isDone = false
        try database.withWritableSchema { isDone = try succeeds(sql) }
        return isDone
    }

    // MARK: Names

    /// A table that another program has renamed took its triggers along.
    private mutating func renameTableBack() throws {
        guard !isThere(table.table) else { return }
        let trigger = items.first { item in
            item.kind == .trigger && item.name == "roost_update_\(table.entity)" && item.tableKey != table.table
        }
        guard let trigger, isThere(trigger.tableKey) else { return }
        try dropNamesake()
        try rename(trigger.table, to: table.table, isFollowed: true)
        notices.append(
            "The table \"\(table.table)\" had been renamed to \"\(trigger.table)\", and has its name again. Rename the entity in the schema instead."
                + remark(onWhatNames: [trigger.table]))
    }

    private mutating func renameColumnsBack() throws {
        let wanted = ["id"] + table.columns.map(\.name)
        for (index, name) in wanted.enumerated() {
            let type = index == 0 ? "BLOB" : TableSQL.type(table.columns[index - 1])
            guard let candidate = try renamed(name, at: index, type: type) else { continue }
            guard try renameColumn(of: table.visible, candidate.name, to: name) else { continue }
            notices.append(
                "The column \"\(name)\" of \"\(table.table)\" had been renamed to \"\(candidate.name)\", and has its name again. Rename the property in the schema instead."
                    + remark(onWhatNames: [candidate.name, table.table]))
        }
        try reload()
        try keepRenamedColumns()
    }

    /// Columns that another program has renamed, and then added again under their names, keep their values: nobody has emptied their
    /// properties. Where SQLite renamed one, Roost's trigger has followed it.
    private mutating func keepRenamedColumns() throws {
        let trigger = items.first { $0.kind == .trigger && $0.name == "roost_update_\(table.entity)" && $0.isRoosts }
        guard let trigger, trigger.tableKey == table.table else { return }
        let wanted = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        let columns = try TableColumn.all(of: table.table, database)
        for (column, other) in zip(table.columns, columns.dropFirst()) where !wanted.contains(other.key) {
            let read = "OLD.\(SQLName.quoted(other.name))"
            guard trigger.sql.utf8.firstRange(of: read.utf8) != nil, !other.isGenerated,
                let again = columns.first(where: { $0.key == SQLName.folded(column.name) })
            else { continue }
            let filling = ColumnFilling(table: table, column: again, source: other)
            guard again.type.uppercased() != other.type.uppercased() else {
                fillings.append(filling)
                continue
            }
            notices.append(filling.notice(try exchange(other, with: again, columns)))
        }
        try reload()
    }

    /// Gives a column its name back, and the one of another type that has it another one.
    ///
    /// - Returns: A sentence about it.
    private func exchange(
        _ other: TableColumn, with again: TableColumn, _ columns: [TableColumn]
    ) throws -> String {
        let taken = Set(columns.map(\.key))
        let names = (2...).lazy.map { "\(again.name)_\($0)" }
        guard let free = names.first(where: { !taken.contains(SQLName.folded($0)) }),
            try renameColumn(of: table.visible, again.name, to: free),
            try renameColumn(of: table.visible, other.name, to: again.name)
        else { return "Copy its values from \"\(other.name)\"." }
        return "It has its name again; the one that was added is \"\(free)\", which is yours."
            + remark(onWhatNames: [again.name, table.table])
    }

    /// Says which virtual tables name what has another name now. SQLite does not change them, as it does triggers and views.
    ///
    /// - Parameter names: A virtual table that has all of them is meant.
    /// - Returns: Sentences to be added; empty for none.
    private func remark(onWhatNames names: [String]) -> String {
        items.filter { item in item.isVirtual && names.allSatisfy(item.mentions) }.map { item in
            " The virtual table \"\(item.name)\" does not follow: make it again."
        }.joined()
    }

    /// The column that has another name now: the one in its place, or in a table with another order the only one of its type that
    /// nobody knows. The last column may be one that was added, so it is taken for nothing else.
    private func renamed(_ name: String, at index: Int, type: String) throws -> TableColumn? {
        let wanted = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        let columns = try TableColumn.all(of: table.table, database)
        guard !columns.contains(where: { $0.key == SQLName.folded(name) }) else { return nil }
        func mayBe(_ column: TableColumn) -> Bool {
            !wanted.contains(column.key) && column.type.uppercased() == type && !column.isGenerated
        }
        if index < columns.count, mayBe(columns[index]) { return columns[index] }
        let known = Set(try TableColumn.all(of: "roost_hidden_\(table.table)", database).map(\.key))
        let unknown = columns.filter { mayBe($0) && !known.contains($0.key) }
        return unknown.count == 1 && unknown[0] != columns.last ? unknown[0] : nil
    }

    // MARK: Another table in its place

    /// Whether the table is the one that Roost has made, maybe with more columns, or takes the same values.
    private func isOurs(_ columns: [TableColumn]) throws -> Bool {
        // Records of other devices have nothing for a column of the user's that asks for a value.
        let own = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        let asksForMore = columns.contains {
            !own.contains($0.key) && !$0.isGenerated && $0.isRequired && $0.defaultValue == nil
        }
        guard !asksForMore else { return false }
        let made = TableSQL.createVisible(table)
        let start = made.dropLast(") STRICT".count)
        let sql = items.first { $0.kind == .table && $0.key == table.table }?.sql ?? ""
        if sql == made || sql.begins(with: start + ",") { return true }
        let isStrict =
            try Bool.fetchOne(
                database,
                sql: "SELECT strict AND NOT wr FROM pragma_table_list WHERE schema = 'main' AND lower(name) = ?",
                arguments: [table.table]) ?? false
        guard isStrict, let id = columns.first(where: { $0.key == "id" }), id.keyPosition == 1,
            id.type.uppercased() == "BLOB",
            columns.filter({ $0.keyPosition > 0 }).count == 1,
            // One without the check of Roost's may hold rows that are no records.
            try Bool.fetchOne(
                database,
                sql: "SELECT EXISTS (SELECT 1 FROM \(table.visible) AS t WHERE length(t.\"id\") IS NOT 16)") == false
        else { return false }
        return table.columns.allSatisfy { wanted in
            columns.contains {
                $0.key == SQLName.folded(wanted.name) && $0.type.uppercased() == TableSQL.type(wanted)
                    && !$0.isGenerated
            }
        }
    }

    /// A table that another program has made under this name is set aside, and its rows are taken over where they fit.
    private mutating func replaceIfForeign() throws {
        let columns = try TableColumn.all(of: table.table, database)
        guard try !isOurs(columns) else { return }
        let there = Set(columns.filter { !$0.isGenerated }.map(\.key))
        let hasAll = (["id"] + table.columns.map(\.name)).allSatisfy { there.contains(SQLName.folded($0)) }
        let generated = try GeneratedColumns(of: table.table, database)
        let aside = freeName("\(table.table)_replaced")
        let own = try UsersOwn(takenFrom: [table.table], database)
        try dropOwnTriggersAndIndexes()
        try rename(table.table, to: aside, isFollowed: false)
        try makeVisible()
        // Of a table that never was Roost's, with a data frame in it for example, no column is one that the user has added.
        let isAltered = columns.contains { $0.key == "id" && $0.keyPosition == 1 && $0.type.uppercased() == "BLOB" }
        if hasAll || isAltered { try addUserColumns(columns) }
        if hasAll {
            notices += try generated.add(to: table.visible, database)
            evidence = .rebuilt
            try giveRowNumbers(aside)
            let left = try takeOver(columns, from: aside).left
            if left == 0 { try database.executeOne("DROP TABLE \(SQLName.quoted(aside))") }
            notices.append(
                "The table \"\(table.table)\" had been made again by another program, and is Roost's again with its rows."
                    + sentence(onLeft: left, in: aside, hasTriggers: own.hasTriggers))
        } else {
            evidence = .replaced
            var (taken, left) = (0, 0)
            if isAltered {
                try giveRowNumbers(aside)
                let known =
                    "SELECT 1 FROM roost_fact AS f WHERE f.entity = \(table.entity) AND f.id = \(SQLName.quoted(aside)).\"id\""
                (taken, left) = try takeOver(columns, from: aside, where: "NOT EXISTS (\(known))")
            }
            notices.append(
                "The table \"\(table.table)\" had been replaced by another one, which is \"\(aside)\" now."
                    + (taken == 0 ? "" : " \(taken) new rows were taken over from it.")
                    + sentence(onLeft: left, in: aside, hasTriggers: own.hasTriggers))
        }
        for lost in try own.makeAgain(.index) + own.makeAgain(.trigger) { notices.append(lost) }
        try reload()
    }

    /// Makes a table that was made WITHOUT ROWID again as one whose rows have numbers.
    private func giveRowNumbers(_ name: String) throws {
        let isWithout = try Bool.fetchOne(
            database, sql: "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", arguments: [name])
        guard isWithout == true else { return }
        let (old, new) = (SQLName.quoted(name), SQLName.quoted(freeName("\(name)_rows")))
        for sql in [
            "PRAGMA legacy_alter_table = ON", "CREATE TABLE \(new) AS SELECT * FROM \(old)", "DROP TABLE \(old)",
            "ALTER TABLE \(new) RENAME TO \(old)", "PRAGMA legacy_alter_table = OFF",
        ] { try database.executeOne(sql) }
    }

    func freeName(_ name: String) -> String {
        let names = Set(items.map(\.key))
        return (["", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9"].map { name + $0 }.first { !names.contains($0) })
            ?? "\(name)_\(items.count)"
    }

    private func dropOwnTriggersAndIndexes() throws {
        for item in items where item.tableKey == table.table && item.isRoosts && item.kind != .table {
            try database.executeOne("DROP \(item.kind.rawValue) \(SQLName.quoted(item.name))")
        }
    }

    private func addUserColumns(_ columns: [TableColumn]) throws {
        let own = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        for column in columns where !own.contains(column.key) && !column.isGenerated {
            try database.executeOne("ALTER TABLE \(table.visible) ADD COLUMN \(column.declaration)")
        }
    }

    /// - Parameter hasTriggers: Whether other programs have triggers on the table, which have not run for these rows.
    private func sentence(onLeft count: Int, in aside: String, hasTriggers: Bool) -> String {
        guard count > 0 else { return "" }
        let kept =
            hasTriggers ? " Tables and full-text indexes that triggers keep may have them still: make those anew." : ""
        return
            " \(count) rows do not fit the schema; they are in \"\(aside)\". What records held is in the journal, too.\(kept)"
    }

    /// Copies rows with their numbers, which other programs' full-text indexes refer to. Records that do not fit go into the journal.
    ///
    /// - Parameter condition: Of the rows to copy, in SQL; all if left out.
    /// - Returns: How many rows the table has taken, and how many it does not take.
    private mutating func takeOver(
        _ columns: [TableColumn], from aside: String, where condition: String? = nil
    ) throws -> (taken: Int, left: Int) {
        let names = columns.filter { !$0.isGenerated }.map { SQLName.quoted($0.name) }
        let source = SQLName.quoted(aside)
        let rowID = TableColumn.rowNumber(beside: columns) ?? "rowid"
        let list = names.map { "\(source).\($0)" }.joined(separator: ", ")
        let isRecord = "typeof(\(source).\"id\") = 'blob' AND length(\(source).\"id\") = 16"
        let reading = try database.query(
            "SELECT \(source).\(rowID), \(list), \(isRecord) FROM \(source) WHERE \(condition ?? "true")")
        let places = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
        let writing = try database.query(
            "INSERT INTO \(table.visible)(\(rowID), \(names.joined(separator: ", "))) VALUES (\(places))")
        let bad = try database.query("DELETE FROM \(source) WHERE \(source).\(rowID) = ?")
        var taken: [Int64] = []
        var left = 0
        var unfit: [(number: Int64, reason: String)] = []
        while try reading.step() {
            // Roost's own writes pass over the table's check of it.
            guard reading.integer(Int32(names.count + 1)) != 0 else {
                left += 1
                continue
            }
            for index in 0...names.count { writing.bind(Int32(index + 1), columnOf: reading, Int32(index)) }
            do {
                try writing.run()
                taken.append(reading.integer(0))
            } catch let error as DatabaseError where RowStore.isRefusal(error) {
                left += 1
                unfit.append((reading.integer(0), RowStore.reason(of: error)))
            }
        }
        try journal(unfit, in: aside, columns)
        guard left > 0 || condition != nil else { return (taken.count, 0) }
        for number in taken {
            bad.bind(1, number)
            try bad.run()
        }
        return (taken.count, left)
    }

    /// Writes down what records hold whose rows stay in the table that was set aside: no other device gets it.
    ///
    /// - Parameters:
    ///   - unfit: By the numbers of their rows.
    ///   - columns: Those of the table.
    private mutating func journal(
        _ unfit: [(number: Int64, reason: String)], in aside: String, _ columns: [TableColumn]
    ) throws {
        guard !unfit.isEmpty else { return }
        let there = Set(columns.map(\.key))
        let values = table.columns.map { there.contains(SQLName.folded($0.name)) ? "t.\($0.quoted)" : "NULL" }
        let reading = try database.query(
            """
            SELECT \((["t.\"id\""] + values).joined(separator: ", ")) FROM \(SQLName.quoted(aside)) AS t
            WHERE t.\(TableColumn.rowNumber(beside: columns) ?? "rowid") = ?
            """)
        let journal = Journal(database: database, now: Int64(clamping: try database.wallClock()))
        let stamp = HybridTimestamp(time: UInt64(clamping: journal.now) << 16, replica: .unregistered)
        for (number, reason) in unfit {
            reading.bind(1, number)
            let row = try reading.first { row in
                (id: row.id(0), encoding: try RowCoding(table).encode(row, from: 1, masked: [:], extra: nil))
            }
            guard let row, let id = row.id else { continue }
            let key = RecordKey(entity: table.entity, id: id)
            setAside.insert(key)
            // A table may hold several rows of one record.
            try journal.insert(
                .refused, key, stamp: stamp, put: row.encoding.bytes,
                reason:
                    "Another program has made the table \"\(table.table)\" again, and its row does not fit the schema. "
                    + "\(row.encoding.fault ?? "SQLite says: \(reason).") The row is in \"\(aside)\".")
        }
    }

    // MARK: Indexes

    private mutating func restoreIndexes() throws {
        for (name, place, sql) in TableSQL.indexes(table) {
            let found = items.first { $0.kind == .index && $0.name == name }
            guard found?.sql != sql else { continue }
            if found != nil { try database.executeOne("DROP INDEX \(SQLName.quoted(name))") }
            try database.executeOne(sql)
            if found == nil { notices.append("An index of \(place) was gone, and was made again.") }
        }
    }
}
