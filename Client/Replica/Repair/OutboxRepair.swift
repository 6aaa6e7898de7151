internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Makes a damaged outbox anew, and the marks that are to come into it, inside one transaction: what they still say, and what the rows say that
/// differ from what is confirmed. Which of them belong together is not known any more, so all go as one transaction.
///
/// Once SQLite has met a page that it cannot read, it refuses all writes of that transaction. So what is damaged is only looked
/// at by another connection, outside of a transaction.
struct OutboxRepair {
    let database: Database
    /// Another connection to the same file.
    let looking: Database
    let layout: Layout
    let replica: ReplicaID
    /// Milliseconds since 1970.
    let now: Int64

    /// What is taken for damage.
    enum Sign {
        /// SQLite finds its pages damaged.
        case brokenPage
        /// An entry names nothing (``NamelessEntries``), and for each such entry the outbox lacks a record that waits.
        case namesNothing
    }

    /// Rows are only believed where all else is whole, by SQLite's checks and by the digest of the confirmed slots.
    ///
    /// - Returns: What was done, and the names that the damaged tables have now; `nil` where nothing is damaged.
    /// - Throws: ``ReplicaError/Code/corrupt`` where pages are broken and not all else is whole; nothing is changed then.
    func run(_ sign: Sign) throws -> (damage: OutboxDamage, tables: [String])? {
        guard try OutboxCheck(database: looking).isWhole() == (sign == .namesNothing) else { return nil }
        guard try StateStore(database: database).pullingAnew != .damaged else {
            // What rows hold is known to be damaged, and nothing says yet which.
            if sign == .namesNothing { return nil }
            throw refusal("what the records hold, which is being pulled anew")
        }
        do {
            try checkTheRest()
        } catch let error as ReplicaError where error.code == .corrupt && sign == .namesNothing {
            // The entry may be right, and its record lost.
            return nil
        }
        for table in layout.tables { try database.executeEach("REINDEX \(table.visible)", "REINDEX \(table.hidden)") }
        let aside = try keptAside()
        let read = readable(aside)
        let entries = try found(read, aside)
        if sign == .namesNothing, try !isExplained(read, by: entries) { return nil }
        let tables = try replaceTables()
        for entry in entries { try insert(entry) }
        let added = entries.count { read[$0.key] == nil }
        let notice =
            "The list of what waits was damaged. It was made anew from the records: \(entries.count) records wait, \(added) of "
            + "which it had lost. They are sent as one transaction."
        try Journal(database: database, now: now).event("damage", notice)
        var damage = OutboxDamage()
        damage.notices.append(notice)
        return (damage, tables)
    }

    // MARK: Whether it can be done

    private func checkTheRest() throws {
        let own = ["fact", "state", "control", "push", "raw", "kept", "extra", "unfit"].map { "roost_\($0)" }
        let users = layout.tables.flatMap { [$0.table, "roost_hidden_\($0.table)"] }
        let check = OutboxCheck(database: looking)
        for table in own + users {
            if let fault = try check.fault(in: table) { throw refusal("the table \"\(table)\" (\(fault))") }
        }
        guard try ConfirmedDigest(database: database).sum() == StateStore(database: database).digest else {
            throw refusal("what is confirmed, by its digest")
        }
    }

    private func refusal(_ also: String) -> ReplicaError {
        ReplicaError(
            .corrupt,
            "Cannot send what waits: the list of it is damaged, and so is \(also). Nothing was sent. Keep the file, and join the "
                + "scope again with a new one.")
    }

    // MARK: What waits

    /// What can still be read, from both ends up to the damage.
    private func readable(_ aside: [RecordKey: ContentHash]) -> [RecordKey: Outbox.Entry] {
        var entries: [RecordKey: Outbox.Entry] = [:]
        let latest = latestTime
        for order in ["ASC", "DESC"] {
            let sql = """
                SELECT entity, id, put_stamp, del_stamp, first, txn, base FROM roost_outbox
                ORDER BY entity \(order), id \(order)
                """
            // An error is where the damage begins.
            guard let query = try? looking.query(sql) else { continue }
            while (try? query.step()) == true {
                guard let key = query.key(0), layout[key.entity] != nil || aside[key] != nil else { continue }
                let put = query.optionalInteger(2).flatMap { $0 > 0 && $0 < latest ? $0 : nil }
                let delete = query.optionalInteger(3).flatMap { $0 > 0 && $0 < latest ? $0 : nil }
                guard put != nil || delete != nil else { continue }
                entries[key] = Outbox.Entry(
                    key: key, put: put, delete: delete, first: 0, last: 0, base: put == nil ? nil : query.stamp(6))
            }
        }
        // The same of the marks, which come after what is in the outbox.
        guard let marks = try? looking.query(Marks.listSQL) else { return entries }
        while (try? marks.step()) == true {
            guard let key = marks.key(0), layout[key.entity] != nil, (1..<latest).contains(marks.integer(2)) else {
                continue
            }
            var entry = entries[key] ?? Outbox.Entry(key: key, put: nil, delete: nil, first: 0, last: 0, base: nil)
            Marks.Mark(time: marks.integer(2), isDelete: marks.integer(3) != 0).join(into: &entry.put, &entry.delete)
            entries[key] = entry
        }
        return entries
    }

    /// What no reading of this replica's clock is beyond: a day from now, by this machine or by what the clock has shown, which
    /// follows the server's.
    private var latestTime: Int64 {
        let shown = (try? StateStore(database: database).hybridClock.last) ?? 0
        return (max(now, Int64(clamping: shown >> 16)) + 86_400_000) << 16
    }

    /// Whether the outbox lacks a record for each entry of it that names nothing.
    private func isExplained(_ read: [RecordKey: Outbox.Entry], by found: [Outbox.Entry]) throws -> Bool {
        let nameless = NamelessEntries(
            rows: try RowStore(database, layout), stamps: EffectiveStamps(database: database, replica: replica))
        let added = found.count { read[$0.key] == nil }
        return try added > 0 && added >= read.keys.count { try nameless.contains($0) }
    }

    /// What is kept aside: a migration may have put changes there that wait.
    private func keptAside() throws -> [RecordKey: ContentHash] {
        let query = try database.query("SELECT entity, id, put FROM roost_unfit")
        var aside: [RecordKey: ContentHash] = [:]
        while try query.step() {
            if let key = query.key(0) { aside[key] = ContentHash(of: query.bytes(2)) }
        }
        return aside
    }

    /// An entry for each record whose row, or what is kept aside of it, is not what is confirmed, or of which the outbox still says
    /// that it waits.
    private func found(_ read: [RecordKey: Outbox.Entry], _ aside: [RecordKey: ContentHash]) throws -> [Outbox.Entry] {
        let rows = try RowStore(database, layout)
        let stamps = EffectiveStamps(database: database, replica: replica)
        let kept = try RecordKeyTable.kept.all(database)
        let state = StateStore(database: database)
        var clock = try state.hybridClock
        var entries: [Outbox.Entry] = []
        for table in layout.tables {
            for (id, isHiddenDeleted) in try records(of: table) {
                let key = RecordKey(entity: table.entity, id: id)
                guard let content = try rows.encodedPut(of: key) else { continue }
                let confirmed = try stamps.confirmed(key)
                // The hash of one that is irregular is not that of what the row gives.
                let isEdited = try confirmed.put?.hash != ContentHash(of: content) && !rows.isIrregular(key)
                // Shown, although it is deleted: unless an edit that waits has undone that.
                let isKept = kept.contains(key) && read[key].map { stamps.own(confirmed, $0) == .deleted } ?? true
                let waits = Waiting(
                    isDeleted: isHiddenDeleted || isKept, isEdited: isEdited, confirmed: confirmed, stamps: stamps)
                let entry = waits.entry(key, read[key]) { Int64(clamping: clock.tick(wall: UInt64(clamping: now))) }
                if entry.put != nil || entry.delete != nil { entries.append(entry) }
            }
        }
        for (key, hash) in aside.sorted(by: { $0.key < $1.key }) {
            let confirmed = try stamps.confirmed(key)
            // No row says whether it is deleted.
            let isDeleted = read[key].map { ($0.delete ?? 0) > ($0.put ?? 0) } ?? (confirmed.own == .deleted)
            let isEdited = confirmed.put?.hash != hash
            let waits = Waiting(isDeleted: isDeleted, isEdited: isEdited, confirmed: confirmed, stamps: stamps)
            let entry = waits.entry(key, read[key]) { Int64(clamping: clock.tick(wall: UInt64(clamping: now))) }
            if entry.put != nil || entry.delete != nil { entries.append(entry) }
        }
        try state.receive(clock.last)
        return entries
    }

    /// Every record that has a row, and whether that is the row of a deleted one.
    private func records(of table: EntityTable) throws -> [RecordID: Bool] {
        var records: [RecordID: Bool] = [:]
        let hidden = try database.query("SELECT id, roost_deleted FROM \(table.hidden)")
        while try hidden.step() {
            if let id = hidden.id(0) { records[id] = hidden.integer(1) != 0 }
        }
        let visible = try database.query("SELECT id FROM \(table.visible)")
        while try visible.step() {
            if let id = visible.id(0) { records[id] = false }
        }
        return records
    }

    // MARK: The table

    /// - Returns: The names that what is damaged has now.
    private func replaceTables() throws -> [String] {
        let outbox = "roost_damaged_\(now)"
        try put("roost_outbox", aside: outbox)
        try database.execute(sql: TableSQL.outbox)
        guard try OutboxCheck(database: looking).faultOfMarks() != nil else {
            try Marks(database: database).discard()
            return [outbox]
        }
        try put("roost_mark", aside: outbox + "_marks")
        try database.execute(sql: TableSQL.marks)
        return [outbox, outbox + "_marks"]
    }

    private func put(_ table: String, aside name: String) throws {
        // Otherwise the triggers would go on writing to the old one.
        try database.executeEach(
            "PRAGMA legacy_alter_table = ON", "ALTER TABLE \(table) RENAME TO \(name)",
            "PRAGMA legacy_alter_table = OFF")
    }

    /// Frees the pages of a damaged table, in a transaction of its own, where no other has one of them too. One with a page
    /// that cannot be read stays; nobody reads it.
    static func free(_ table: String, _ queue: DatabaseQueue, looking: Database) throws {
        let query = try looking.query("PRAGMA quick_check(100000)")
        // All trees are looked at first; reading the rows then ends with an error at the page that is damaged.
        while (try? query.step()) == true {
            if query.text(0).contains("2nd reference") { return }
        }
        do {
            try queue.write { try $0.executeOne("DROP TABLE \(table)") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {}
    }

    private func insert(_ entry: Outbox.Entry) throws {
        database.noteUnsettled()
        let query = try database.query(
            """
            INSERT INTO roost_outbox(entity, id, put_stamp, del_stamp, first, txn, unsettled, base)
              SELECT ?1, ?2, ?3, ?4, 0, txn, 1, ?5 FROM roost_control
            """)
        query.bind(1, entry.key.entity.rawValue)
        query.bind(2, entry.key.id)
        query.bind(3, entry.put) { query.bind($0, $1) }
        query.bind(4, entry.delete) { query.bind($0, $1) }
        query.bind(5, entry.base) { query.bind($0, $1) }
        try query.run()
    }
}

/// What a record's row says of changes that wait.
private struct Waiting {
    let isDeleted: Bool
    /// Whether the row holds something else than what is confirmed.
    let isEdited: Bool
    let confirmed: SlotStamps
    let stamps: EffectiveStamps

    /// - Parameter tick: The next clock reading, for a change of which the outbox says nothing.
    func entry(_ key: RecordKey, _ read: Outbox.Entry?, tick: () -> Int64) -> Outbox.Entry {
        var entry = read ?? Outbox.Entry(key: key, put: nil, delete: nil, first: 0, last: 0, base: nil)
        let isConfirmedDeleted = confirmed.own == .deleted
        if isDeleted {
            if isEdited, entry.put == nil { entry.put = tick() }
            let isWanted = entry.put != nil || entry.delete != nil || !isConfirmedDeleted
            if isWanted, stamps.own(confirmed, entry) != .deleted { entry.delete = tick() }
        } else {
            let isWanted = entry.put != nil || entry.delete != nil || isEdited || isConfirmedDeleted
            if isWanted, (entry.put ?? 0) <= (entry.delete ?? 0) { entry.put = tick() }
        }
        return entry
    }
}

extension EffectiveStamps {
    /// What a record is by its confirmed slots and by what waits.
    fileprivate func own(_ confirmed: SlotStamps, _ entry: Outbox.Entry) -> OwnState {
        own(confirmed, entry.put, entry.delete)
    }
}
