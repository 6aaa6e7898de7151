internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Rebuilds a corrupt outbox and the marks that are to be added to it, inside one transaction. The sources are their
/// readable entries and the rows that differ from the confirmed slots. The transactions of the changes are unknown then, so
/// that all are sent as one.
///
/// Once SQLite has met an unreadable page, it refuses all writes of that transaction. Corrupt tables are therefore only read
/// by another connection, outside of a transaction.
struct OutboxRepair {
    let database: Database
    /// A second connection to the file.
    let looking: Database
    let layout: Layout
    let replica: ReplicaID
    /// Milliseconds since 1970.
    let now: Int64

    /// A sign of corruption.
    enum Sign {
        /// SQLite reports corrupt pages of the outbox or of the marks.
        case brokenPage
        /// An entry names nothing (``NamelessEntries``), and for each such entry the outbox lacks a pending record.
        case namesNothing
    }

    /// Rebuilds the outbox, and the marks if they are corrupt. Rows are only trusted if all else is intact, by SQLite's
    /// checks and by the digest of the confirmed slots.
    ///
    /// - Returns: The corruption found, and the new names of the corrupt tables; `nil` if nothing is corrupt.
    /// - Throws: ``ReplicaError/Code/corrupt`` if pages are corrupt and not all else is intact; nothing is changed then.
    func run(_ sign: Sign) throws -> (damage: OutboxDamage, tables: [String])? {
        guard try OutboxCheck(database: looking).isWhole() == (sign == .namesNothing) else { return nil }
        guard try StateStore(database: database).pullingAnew != .damaged else {
            // Some rows are known to be corrupt, but not which.
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

    // MARK: Preconditions

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

    // MARK: Pending changes

    /// Returns the readable entries of the outbox and the marks, read from both ends of the outbox up to the corruption.
    private func readable(_ aside: [RecordKey: ContentHash]) -> [RecordKey: Outbox.Entry] {
        var entries: [RecordKey: Outbox.Entry] = [:]
        let latest = latestTime
        for order in ["ASC", "DESC"] {
            let sql = """
                SELECT entity, id, put_stamp, del_stamp, first, txn, base FROM roost_outbox
                ORDER BY entity \(order), id \(order)
                """
            // An error marks the start of the corruption.
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
        // Marks are newer than the entries of the outbox, and join them.
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

    /// The upper limit for credible times of this replica's clock: one day after the later of this machine's time and the
    /// clock's next reading, which follows the server's clock.
    private var latestTime: Int64 {
        var clock = (try? StateStore(database: database).hybridClock) ?? HybridClock()
        let next = clock.tick(wall: UInt64(clamping: now))
        return (max(now, Int64(clamping: next >> 16)) + 86_400_000) << 16
    }

    /// Returns whether the outbox lacks a record for each of its entries that names nothing.
    private func isExplained(_ read: [RecordKey: Outbox.Entry], by found: [Outbox.Entry]) throws -> Bool {
        let nameless = NamelessEntries(
            rows: try RowStore(database, layout), stamps: EffectiveStamps(database: database, replica: replica))
        let added = found.count { read[$0.key] == nil }
        return try added > 0 && added >= read.keys.count { try nameless.contains($0) }
    }

    /// Returns the hashes of set-aside records: a migration may have set records with pending changes aside.
    private func keptAside() throws -> [RecordKey: ContentHash] {
        let query = try database.query("SELECT entity, id, put FROM roost_unfit")
        var aside: [RecordKey: ContentHash] = [:]
        while try query.step() {
            if let key = query.key(0) { aside[key] = ContentHash(of: query.bytes(2)) }
        }
        return aside
    }

    /// Makes an entry for each record whose row or set-aside content differs from the confirmed slots, or for which the
    /// outbox still has a readable entry.
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
                // An irregular record's confirmed hash is not the hash of the put that its row gives.
                let isEdited = try confirmed.put?.hash != ContentHash(of: content) && !rows.isIrregular(key)
                // The record is visible although it is deleted, unless a pending edit has undone the delete.
                let isKept = kept.contains(key) && read[key].map { stamps.own(confirmed, $0) == .deleted } ?? true
                let waits = Waiting(
                    isDeleted: isHiddenDeleted || isKept, isEdited: isEdited, confirmed: confirmed, stamps: stamps)
                let entry = waits.entry(key, read[key]) { Int64(clamping: clock.tick(wall: UInt64(clamping: now))) }
                if entry.put != nil || entry.delete != nil { entries.append(entry) }
            }
        }
        for (key, hash) in aside.sorted(by: { $0.key < $1.key }) {
            let confirmed = try stamps.confirmed(key)
            // Set-aside records have no row that shows whether they are deleted.
            let isDeleted = read[key].map { ($0.delete ?? 0) > ($0.put ?? 0) } ?? (confirmed.own == .deleted)
            let isEdited = confirmed.put?.hash != hash
            let waits = Waiting(isDeleted: isDeleted, isEdited: isEdited, confirmed: confirmed, stamps: stamps)
            let entry = waits.entry(key, read[key]) { Int64(clamping: clock.tick(wall: UInt64(clamping: now))) }
            if entry.put != nil || entry.delete != nil { entries.append(entry) }
        }
        try state.receive(clock.last)
        return try entries + deletesWithoutRow(read, except: Set(entries.map(\.key)), rows, stamps)
    }

    /// Returns the readable deletes of confirmed records that have no row to show them: another program has taken it past all
    /// triggers.
    private func deletesWithoutRow(
        _ read: [RecordKey: Outbox.Entry], except found: Set<RecordKey>, _ rows: RowStore, _ stamps: EffectiveStamps
    ) throws -> [Outbox.Entry] {
        try read.values.sorted { $0.key < $1.key }.compactMap { entry -> Outbox.Entry? in
            guard let delete = entry.delete, (entry.put ?? 0) < delete, !found.contains(entry.key),
                try stamps.confirmed(entry.key).own == .put, try rows.place(of: entry.key) == .nowhere
            else { return nil }
            return Outbox.Entry(key: entry.key, put: nil, delete: delete, first: 0, last: 0, base: nil)
        }
    }

    /// Returns every record that has a row, and whether the row is that of a deleted record.
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

    /// Replaces the corrupt tables by empty ones.
    ///
    /// - Returns: The new names of the corrupt tables.
    private func replaceTables() throws -> [String] {
        let outbox = "roost_damaged_\(now)"
        try put("roost_outbox", aside: outbox)
        try database.execute(sql: TableSQL.outbox(database.identifiers))
        guard try OutboxCheck(database: looking).faultOfMarks() != nil else {
            try Marks(database: database).discard()
            return [outbox]
        }
        try put("roost_mark", aside: outbox + "_marks")
        try database.execute(sql: TableSQL.marks)
        return [outbox, outbox + "_marks"]
    }

    private func put(_ table: String, aside name: String) throws {
        // Without legacy renaming, the triggers would follow the old table.
        try database.executeEach(
            "PRAGMA legacy_alter_table = ON", "ALTER TABLE \(table) RENAME TO \(name)",
            "PRAGMA legacy_alter_table = OFF")
    }

    /// Frees the pages of a corrupt table, in its own transaction, unless another table shares one of them. A table with an
    /// unreadable page stays, and no code reads it.
    static func free(_ table: String, _ queue: DatabaseQueue, looking: Database) throws {
        let query = try looking.query("PRAGMA quick_check(100000)")
        // SQLite checks all b-trees first. Its check of the rows then ends with an error at the corrupt page.
        while (try? query.step()) == true {
            if query.text(0).contains("2nd reference") { return }
        }
        do {
            try queue.write { try $0.executeOne("DROP TABLE \(table)") }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {}
    }

    private func insert(_ entry: Outbox.Entry) throws {
        database.recordUnsettled()
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

/// The evidence of a record's row for pending changes.
private struct Waiting {
    let isDeleted: Bool
    /// Whether the row's content differs from the confirmed one.
    let isEdited: Bool
    let confirmed: SlotStamps
    let stamps: EffectiveStamps

    /// Makes the outbox entry that explains the row.
    ///
    /// - Parameter tick: Returns the next clock reading, for a change that the outbox does not have.
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
    /// Returns the record's state by its confirmed slots and its pending changes.
    fileprivate func own(_ confirmed: SlotStamps, _ entry: Outbox.Entry) -> OwnState {
        own(confirmed, entry.put, entry.delete)
    }
}
