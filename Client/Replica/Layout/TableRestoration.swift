internal import GRDB
internal import RoostModel

/// The restoration of the tables and indexes of one entity to the schema, with the existing rows and columns.
struct TableRestoration {
    let database: Database
    let table: EntityTable
    private(set) var items: [SchemaItem]
    /// The evidence about the rows after the restoration.
    var evidence: RowComparison.Evidence
    /// Sentences for the log.
    var notices: [String] = []
    /// Columns to fill once all tables and triggers exist.
    private(set) var fillings: [ColumnFilling] = []
    /// Records whose rows do not fit. The journal has their content.
    private(set) var setAside: Set<RecordKey> = []

    /// - Parameters:
    ///   - items: All items of the file's schema.
    ///   - evidence: The evidence about the rows before the restoration.
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

    /// Drops a view that has the name of the table, and its triggers with it.
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

    /// Renames a table.
    ///
    /// - Parameter isFollowed: Whether references to the table follow it, as far as SQLite can read them. References to a table
    ///   that is set aside have to find its replacement.
    mutating func rename(_ name: String, to new: String, isFollowed: Bool) throws {
        let sql = "ALTER TABLE \(SQLName.quoted(name)) RENAME TO \(SQLName.quoted(new))"
        if try !isFollowed || !succeeds(sql) && !succeedsWithoutUnreadable(sql, of: name) {
            try database.execute(sql: "PRAGMA legacy_alter_table = ON")
            defer { try? database.execute(sql: "PRAGMA legacy_alter_table = OFF") }
            try database.executeOne(sql)
        }
        try reload()
    }

    /// Runs a statement that SQLite may refuse.
    ///
    /// - Returns: Whether SQLite accepted it. An unreadable view or trigger of another program keeps SQLite from renaming.
    private func succeeds(_ sql: String) throws -> Bool {
        do {
            try database.executeOne(sql)
            return true
        } catch let error as DatabaseError where RowStore.isRefusal(error) {
            return false
        }
    }

    /// Renames the table without Roost's triggers and without views that SQLite cannot read. They are made again as they were,
    /// except for the triggers on the table, which are made once it is in its place.
    ///
    /// - Returns: Whether SQLite accepted the statement. A trigger of another program may still keep it from renaming.
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

    /// Renames a column in everything that refers to it, as far as SQLite can read that. A view of another program may already
    /// use the name that the column is to have again.
    ///
    /// - Returns: Whether SQLite accepted the statement.
    func renameColumn(of quoted: String, _ name: String, to new: String) throws -> Bool {
        let sql = "ALTER TABLE \(quoted) RENAME COLUMN \(SQLName.quoted(name)) TO \(SQLName.quoted(new))"
        if try succeeds(sql) { return true }
        var isDone = false
        try database.withWritableSchema { isDone = try succeeds(sql) }
        return isDone
    }

    // MARK: Names

    /// Gives a table that another program has renamed its name back. Its triggers, which went with it, identify it.
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
            let type =
                index == 0 ? table.identifiers.columnType : TableSQL.type(table.columns[index - 1], table.identifiers)
            guard let candidate = try renamed(name, at: index, type: type) else { continue }
            guard try renameColumn(of: table.visible, candidate.name, to: name) else { continue }
            notices.append(
                "The column \"\(name)\" of \"\(table.table)\" had been renamed to \"\(candidate.name)\", and has its name again. Rename the property in the schema instead."
                    + remark(onWhatNames: [candidate.name, table.table]))
        }
        try reload()
        try keepRenamedColumns()
    }

    /// Restores the values of columns that another program has renamed, and then added again under their names. No user has
    /// emptied these properties. Where SQLite renamed a column, Roost's trigger has followed it.
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

    /// Gives a column its name back, and a free name to the column of another type that has it.
    ///
    /// - Returns: A sentence about the outcome.
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

    /// Lists the virtual tables that use an old name. SQLite does not rename in them, as it does in triggers and views.
    ///
    /// - Parameter names: The names, all of which a virtual table has to mention.
    /// - Returns: Sentences to append; empty for none.
    private func remark(onWhatNames names: [String]) -> String {
        items.filter { item in item.isVirtual && names.allSatisfy(item.mentions) }.map { item in
            " The virtual table \"\(item.name)\" does not follow: make it again."
        }.joined()
    }

    /// Returns the column that has another name now: the one at the given index, or else the only unknown column of its type. In
    /// the second case it may not be the last column, which may have been added.
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

    // MARK: Foreign tables

    /// Whether the table is the one that Roost has made, possibly with more columns, or one that accepts the schema's values.
    private func isOurs(_ columns: [TableColumn]) throws -> Bool {
        // Records of other devices have no value for a user column that requires one.
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
            id.type.uppercased() == table.identifiers.columnType,
            columns.filter({ $0.keyPosition > 0 }).count == 1,
            // A table without Roost's check may hold rows that are no records.
            try Bool.fetchOne(
                database,
                sql:
                    "SELECT EXISTS (SELECT 1 FROM \(table.visible) AS t WHERE \(table.identifiers.isNoIdentifier("t.\"id\"")))"
            ) == false
        else { return false }
        return table.columns.allSatisfy { wanted in
            columns.contains {
                $0.key == SQLName.folded(wanted.name)
                    && $0.type.uppercased() == TableSQL.type(wanted, table.identifiers)
                    && !$0.isGenerated
            }
        }
    }

    /// Sets aside a table that another program has made under this name, and copies its rows where they fit.
    private mutating func replaceIfForeign() throws {
        let columns = try TableColumn.all(of: table.table, database)
        guard try !isOurs(columns) else { return }
        let there = Set(columns.filter { !$0.isGenerated }.map(\.key))
        let hasAll = (["id"] + table.columns.map(\.name)).allSatisfy { there.contains(SQLName.folded($0)) }
        let generated = try GeneratedColumns(of: table.table, database)
        let aside = freeName("\(table.table)_replaced")
        let own = try UserSchemaObjects(takenFrom: [table.table], database)
        try dropOwnTriggersAndIndexes()
        try rename(table.table, to: aside, isFollowed: false)
        try makeVisible()
        // A table that never was Roost's, such as one with a data frame, has no columns that the user added to Roost's table.
        let idType = table.identifiers.columnType
        let isAltered = columns.contains {
            $0.key == "id" && $0.keyPosition == 1 && $0.type.uppercased() == idType
        }
        if hasAll || isAltered { try addUserColumns(columns) }
        if hasAll {
            notices += try generated.add(to: table.visible, database)
            evidence = .rebuilt
            try giveRowNumbers(aside)
            let left = try adopt(columns, from: aside).left
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
                (taken, left) = try adopt(columns, from: aside, where: "NOT EXISTS (\(known))")
            }
            notices.append(
                "The table \"\(table.table)\" had been replaced by another one, which is \"\(aside)\" now."
                    + (taken == 0 ? "" : " \(taken) new rows were taken over from it.")
                    + sentence(onLeft: left, in: aside, hasTriggers: own.hasTriggers))
        }
        for lost in try own.makeAgain(.index) + own.makeAgain(.trigger) { notices.append(lost) }
        try reload()
    }

    /// Rebuilds a WITHOUT ROWID table as one whose rows have numbers.
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

    /// Returns a sentence about rows that were left in the table set aside; empty for none.
    ///
    /// - Parameter hasTriggers: Whether other programs have triggers on the table, which have not run for these rows.
    private func sentence(onLeft count: Int, in aside: String, hasTriggers: Bool) -> String {
        guard count > 0 else { return "" }
        let kept =
            hasTriggers ? " Tables and full-text indexes that triggers keep may have them still: make those anew." : ""
        return
            " \(count) rows do not fit the schema; they are in \"\(aside)\". What records held is in the journal, too.\(kept)"
    }

    /// Copies rows with their numbers, to which full-text indexes of other programs refer. Records that do not fit are journaled.
    ///
    /// - Parameter condition: An SQL condition on the rows to copy; `nil` for all.
    /// - Returns: The number of rows that were copied, and of rows that the table does not accept.
    private mutating func adopt(
        _ columns: [TableColumn], from aside: String, where condition: String? = nil
    ) throws -> (taken: Int, left: Int) {
        let names = columns.filter { !$0.isGenerated }.map { SQLName.quoted($0.name) }
        let source = SQLName.quoted(aside)
        let rowID = TableColumn.rowNumber(beside: columns) ?? "rowid"
        let list = names.map { "\(source).\($0)" }.joined(separator: ", ")
        let isRecord = table.identifiers.isIdentifier("\(source).\"id\"")
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
            // Roost's own writes bypass the table's check of the identifier.
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

    /// Journals the content of records whose rows stay in the table that was set aside, because no other device gets it.
    ///
    /// - Parameters:
    ///   - unfit: The numbers of the rows, with the reasons.
    ///   - columns: The columns of the table that was set aside.
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
