internal import GRDB
internal import RoostModel

/// Copies the readable parts of a corrupt replica, inside one transaction of the new file.
struct Salvage {
    let source: Database
    let fresh: Database
    let path: String
    /// Returns the fault of a table's rows, independent of its indexes; `nil` if there is none.
    let faultOfRows: (_ table: String) throws -> String?
    /// Milliseconds since 1970.
    let now: Int64

    /// The tables without which a replica cannot be rebuilt: their content is stored nowhere else.
    private static let vital: Set = ["roost_state", "roost_control", "roost_outbox", "roost_mark"]

    /// Copies all tables, and prepares the new file for a full resynchronisation.
    ///
    /// - Returns: The tables of which a part could not be read.
    /// - Throws: ``ReplicaError`` with the code `corrupt` if the replica cannot be rebuilt from its readable parts.
    func run() throws -> [String] {
        let layout = try layout()
        try ReplicaFile.makeTables(layout, in: fresh)
        try fresh.execute(sql: "DELETE FROM roost_state; DELETE FROM roost_control")
        try addUserColumns(layout)
        let own = ItemList(of: fresh)
        let others = try othersItems(own)
        for item in others where item.type == "table" {
            guard !SQLName.folded(item.sql).begins(with: "create virtual") else {
                throw refusal("it holds \"\(item.name)\", a virtual table of another program", cure: Self.moveAway)
            }
            try make(item)
        }
        var damaged = try copyTables(own, others).sorted()
        // A file of an earlier format stores some values of the control row in `roost_state`.
        try fresh.execute(sql: TableSQL.takeInState)
        if !damaged.contains("roost_fact"), try !isDigestRight() { damaged.append("roost_fact") }
        if !damaged.contains("roost_mark") { try Marks(database: fresh).foldNamed() }
        try judge(damaged, others, layout)
        for type in ["index", "view", "trigger"] {
            for item in others where item.type == type { try make(item) }
        }
        try settle(damaged, layout)
        return damaged
    }

    /// Adds the columns of other programs to the tables of entities.
    private func addUserColumns(_ layout: Layout) throws {
        for name in layout.tables.flatMap({ [$0.table, "roost_hidden_\($0.table)"] }) {
            // Nothing is known of a table whose SQL is corrupt.
            guard let found = try? TableColumn.all(of: name, source) else { continue }
            let there = Set(try TableColumn.all(of: name, fresh).map(\.key))
            for column in found where !there.contains(column.key) && !column.isGenerated {
                try fresh.executeOne("ALTER TABLE \(SQLName.quoted(name)) ADD COLUMN \(column.declaration)")
            }
            guard let generated = try? GeneratedColumns(of: name, source) else { continue }
            let lost = try generated.add(to: SQLName.quoted(name), besides: there, fresh)
            if let lost = lost.first { throw refusal(lost, cure: Self.moveAway) }
        }
    }

    /// Returns the tables of the replica's schema, which defines all tables, indexes and triggers of the new file.
    private func layout() throws -> Layout {
        do {
            return Layout(
                try Schema(json: try StateStore(database: source).text(.schema) ?? ""), source.identifiers)
        } catch {
            throw refusal("\"roost_state\", which has its schema, cannot be read whole")
        }
    }

    /// Returns the items that other programs have created in the file. Roost's own items follow from the schema, even if
    /// they were changed.
    private func othersItems(_ own: ItemList) throws -> [ItemList.Item] {
        let names = Set(own.items.map { $0.name.lowercased() })
        let list = ItemList(of: source)
        // Unreadable items may belong to another program, unless at least as many of Roost's items are missing from the
        // list.
        let unseen = names.subtracting(list.items.map { $0.name.lowercased() }).count
        let isRead = try list.isWhole ? !isListAtFault() : list.unread(beside: own) <= unseen
        guard isRead, list.items.allSatisfy({ ["table", "index", "view", "trigger"].contains($0.type) }) else {
            throw refusal("its list of tables cannot be read")
        }
        let others = list.items.filter { item in
            let name = item.name.lowercased()
            return !name.begins(with: "roost_") && !names.contains(name)
        }
        // The trigger may be one of Roost's under a corrupt name, which would track changes twice.
        if let trigger = others.first(where: { $0.type == "trigger" && $0.sql.contains("roost_") }) {
            throw refusal(
                "the trigger \"\(trigger.name)\" names tables of Roost's and is not Roost's", cure: Self.moveAway)
        }
        return others
    }

    /// Returns whether the schema table is corrupt. SQLite checks it together with the free pages, whose faults are ignored
    /// here.
    private func isListAtFault() throws -> Bool {
        let lines = try fault(in: "sqlite_schema")?.parts(at: "\n") ?? []
        return lines.contains { !$0.begins(with: "*** in database") && !$0.begins(with: "Main freelist") }
    }

    /// Returns the fault that SQLite finds in a table or in one of its indexes.
    private func fault(in table: String) throws -> String? {
        do {
            return try OutboxCheck(database: source).fault(in: table)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return error.message ?? "it cannot be read"
        }
    }

    /// Copies the rows of all tables.
    ///
    /// - Returns: The tables of which a part could not be read.
    private func copyTables(_ own: ItemList, _ others: [ItemList.Item]) throws -> [String] {
        var damaged: [String] = []
        let format = (try? FileFormat.version(source)) ?? nil
        for item in own.items + others where item.type == "table" {
            // Files of earlier formats do not have the table.
            if item.name == "roost_mark", let format, format < 4 { continue }
            if ["roost_rule", "roost_missing"].contains(item.name), let format, format < 6 { continue }
            let copy = try TableCopy(of: item.name, from: source, to: fresh)
            if copy.hasMoreColumns {
                throw refusal("\"\(item.name)\" has columns that are not Roost's", cure: Self.moveAway)
            }
            let isRead = try copy.run()
            // Corruption may also have removed rows without an error. Tables of records need no check for that: a lost
            // record is pulled again, or found missing when it is sent.
            let isWatched =
                item.name.begins(with: "roost_") && !item.name.begins(with: "roost_hidden_") || others.contains(item)
            if try !isRead || isWatched && fault(in: item.name) != nil && faultOfRows(item.name) != nil {
                damaged.append(item.name)
            }
            try copySequence(item.name)
        }
        return damaged
    }

    /// Copies the last number of an AUTOINCREMENT table, so that no number is used twice. If it is unreadable, SQLite
    /// continues after the greatest used one.
    private func copySequence(_ table: String) throws {
        let last = try? Int64.fetchOne(
            source, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
        guard let last else { return }
        try fresh.execute(sql: "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", arguments: [last, table])
        guard fresh.changesCount == 0 else { return }
        try fresh.execute(sql: "INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)", arguments: [table, last])
    }

    /// Returns whether the copied confirmed slots have the stored digest.
    private func isDigestRight() throws -> Bool {
        try ConfirmedDigest(database: fresh).sum() == StateStore(database: fresh).digest
    }

    // MARK: Preconditions

    private func judge(_ damaged: [String], _ others: [ItemList.Item], _ layout: Layout) throws {
        if let table = damaged.first(where: Self.vital.contains) { throw refusal("\"\(table)\" cannot be read whole") }
        guard try fresh.query("SELECT 1 FROM roost_control").first({ _ in true }) == true else {
            throw refusal("\"roost_control\" cannot be read whole")
        }
        if let table = damaged.first(where: Set(others.map(\.name)).contains) {
            throw refusal("\"\(table)\", a table of another program, cannot be read whole", cure: Self.moveAway)
        }
        for table in damaged where try mayBelongToWhatWaits(table, layout) {
            throw refusal("changes wait to which \"\(table)\" may belong, and it cannot be read whole")
        }
    }

    /// Returns whether an unreadable table may have held content of a record with a pending change, which is stored nowhere
    /// else.
    private func mayBelongToWhatWaits(_ table: String, _ layout: Layout) throws -> Bool {
        func anyWaits(_ entity: EntityTable?, _ condition: String) throws -> Bool {
            let ofEntity = entity.map { "entity = \($0.entity) AND " } ?? ""
            let sql = "SELECT 1 FROM roost_outbox o WHERE \(ofEntity)put_stamp IS NOT NULL AND \(condition) LIMIT 1"
            return try fresh.query(sql).first { _ in true } ?? false
        }
        switch table {
        case "roost_extra": return try anyWaits(nil, "true")
        case "roost_raw":
            // A reference that its row shows has no entry in `roost_raw`.
            return try layout.tables.contains { table in
                try [table.visible, table.hidden].contains { place in
                    try table.references.contains { reference in
                        guard reference.rule?.isMaskable == true else { return false }
                        return try anyWaits(
                            table,
                            "EXISTS (SELECT 1 FROM \(place) r WHERE r.id = o.id AND r.\(reference.quoted) IS NULL)")
                    }
                }
            }
        case "roost_unfit":
            return try layout.tables.contains { table in
                try anyWaits(
                    table,
                    "NOT EXISTS (SELECT 1 FROM \(table.visible) r WHERE r.id = o.id) "
                        + "AND NOT EXISTS (SELECT 1 FROM \(table.hidden) r WHERE r.id = o.id)")
            }
        default: return false
        }
    }

    private static let joinAgain = "Keep the file, and join the scope again with a new one."
    private static let moveAway =
        "Take it out of the file with sqlite3, as far as it is of use, run \"roost repair\" again, and put it back."

    /// Returns the instructions for removing a view, trigger or index that SQLite cannot parse: with it, SQLite opens no
    /// table and executes no DROP.
    private static func removal(of item: ItemList.Item) -> String {
        "A later SQLite may read it. Or take it out, with sqlite3: PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE "
            + "type = \(SQLName.literal(item.type)) AND name = \(SQLName.literal(item.name)); and keep what it was made by: \(item.sql)"
    }

    private func refusal(_ why: String, cure: String = joinAgain) -> ReplicaError {
        ReplicaError(.corrupt, "Cannot repair the replica \"\(path)\": \(why). It stays as it is. \(cure)")
    }

    private func make(_ item: ItemList.Item) throws {
        do {
            try fresh.makeAgain(item.sql)
        } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode) {
            // The SQL is corrupt, or two rows violate a unique index.
            let reason = error.message ?? "damaged"
            let why = "\"\(item.name)\", which is another program's, cannot be made again (\(reason))"
            throw refusal(why, cure: item.type == "table" ? Self.moveAway : Self.removal(of: item))
        }
    }

    // MARK: Completion

    /// Prepares the new file for a full resynchronisation, so that no corruption is taken for a local change.
    private func settle(_ damaged: [String], _ layout: Layout) throws {
        let state = StateStore(database: fresh)
        // The source may have an earlier format. Without a layout fingerprint, opening the file verifies the layout and
        // compares the rows.
        try FileFormat.write(fresh)
        try state.set(.layout, .null)
        if damaged.contains("roost_push") { try forgetPushes() }
        let rows = try RowStore(fresh, layout)
        let ofContent = Set(
            layout.tables.flatMap { [$0.table, "roost_hidden_\($0.table)"] } + ["roost_raw", "roost_extra"])
        if damaged.contains(where: ofContent.contains) { try eraseIncomplete(rows, layout) }
        try Outbox(database: fresh).unsettleAll()
        try state.setDigest(try ConfirmedDigest(database: fresh).sum())
        let isShared = try state.text(.scope) != nil
        if isShared {
            // A full resynchronisation that was running keeps its reason if it can: records that a restored server has lost
            // are still to be brought back, and records purged meanwhile are not lost.
            let reason = try state.pullingAnew ?? .damaged
            let isKept = reason == .expired || !damaged.contains("roost_fact")
            try ServerCopy(database: fresh).start(isKept ? reason : .damaged)
        }
        if isShared { try state.set(.salvaged, .integer(1)) }
        if let tail = try LogTail.find(source) { try tail.recordLost(in: fresh, at: now) }
        let tables =
            damaged.isEmpty
            ? "All of its tables could be read."
            : "These tables could be read in part: \(damaged.joined(separator: ", "))."
        try Journal(database: fresh, now: now).event(
            "damage",
            "The file was damaged, and was made anew from what could be read of it. \(tables)"
                + (isShared ? " Everything is pulled anew; what waits is kept." : ""))
    }

    /// Discards unreadable pushes. Their changes are still in the outbox, and the server recognises those that it has
    /// stored. The server may also hold a part of a transaction, which the next push must not complete. The staged push
    /// inserted here makes the next session renew the replica first, as it does for a recorded part.
    private func forgetPushes() throws {
        try fresh.execute(
            sql: "DELETE FROM roost_push; INSERT INTO roost_push(number, body, staged) VALUES (0, x'', 1)")
    }

    /// Erases rows that differ from the confirmed content, or have lost the fields stored next to them: an edit would be
    /// sent without those fields.
    private func eraseIncomplete(_ rows: RowStore, _ layout: Layout) throws {
        let scrub = try ContentScrub(fresh, layout)
        let query = try fresh.query(
            """
            SELECT entity, id FROM roost_fact f WHERE put_stamp IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM roost_outbox o WHERE o.entity = f.entity AND o.id = f.id)
            """)
        for key in try query.all({ $0.key(0) }).compactMap({ $0 }) where try scrub.isDamaged(key) {
            try rows.erase(key)
        }
    }
}
