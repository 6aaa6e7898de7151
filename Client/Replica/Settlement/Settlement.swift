internal import GRDB
internal import RoostModel

/// The derivation of what follows from the marks of triggers (``Marks``) and from unsettled pending changes.
///
/// Triggers hide the children of a deleted record at once. Settlement derives what they cannot know: a record that comes back
/// with its children, a child of a hidden parent, a hierarchy more than one level deep. It runs at the end of each
/// transaction of Roost's own, and before each push or pull for those of other programs.
struct Settlement {
    let database: Database
    let layout: Layout
    /// The identity of this replica; `nil` to read it from the file.
    var replica: ReplicaID?

    /// Settles all marks and all unsettled entries of the outbox.
    ///
    /// - Parameter moving: Called before rows are written, if any may have to be.
    /// - Returns: Whether there was anything to settle.
    @discardableResult
    func settle(moving: () throws -> Void = {}) throws -> Bool {
        guard try !database.knowsOutboxSettled() else {
            assert(isAllSettled && isNothingMarked)
            return false
        }
        return try settleAll([:], moving)
    }

    private func settleAll(
        _ references: [RecordKey: [Put.Reference]], _ moving: () throws -> Void
    ) throws -> Bool {
        let found = try unsettled()
        guard found.isWhole else {
            guard try Marks(database: database).hasMore(than: Outbox.entriesAtOnce) else {
                return try settleMany(references, moving)
            }
            return try database.withSmallCache { try settleMany(references, moving) }
        }
        // Only entries that the outbox has already: marks that become entries below are not unsettled there.
        let isAnyUnsettled = !found.waiting.isEmpty || !found.taken.isEmpty
        var open = found.marks.open
        var marked = try Marks(database: database).fold(found.marks)
        let again = Set(found.taken.isEmpty ? [] : marked.map(\.key))
        marked += found.taken.filter { !again.contains($0.key) }
        if !found.waiting.isEmpty || !marked.isEmpty {
            open.merge(try derive(found.waiting, marked, found.replica, references, moving), uniquingKeysWith: +)
            if isAnyUnsettled { try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled > 0").run() }
        }
        // Entries that name no record. They come from rows that only a program without the table's check can write.
        if found.hasNameless { try Outbox(database: database).forgetNameless() }
        if try compare(open, moving) { return try settleAll(references, moving) }
        try database.recordOutboxSettled(found.passed)
        return !found.waiting.isEmpty || !marked.isEmpty
    }

    /// Settles more changes than fit into memory at once: the entries of the outbox in parts, in key order.
    ///
    /// Visibility is derived from one part while the rows of later parts are taken as they are, as between two pages. The calling
    /// transaction commits all parts or none.
    private func settleMany(_ references: [RecordKey: [Put.Reference]], _ moving: () throws -> Void) throws -> Bool {
        var open = try Marks(database: database).fold()
        var (isAny, hasNameless) = (false, false)
        var place = OutboxPosition.start
        while let part = try unsettled(after: place) {
            (isAny, hasNameless) = (true, hasNameless || part.hasNameless)
            open.merge(try derive(part.waiting, part.taken, nil, references, moving), uniquingKeysWith: +)
            guard !part.isLast else {
                try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled > 0").run()
                break
            }
            try markSettled(from: place, through: part.end)
            place = part.end
        }
        if hasNameless { try Outbox(database: database).forgetNameless() }
        if try compare(open, moving) { return try settleAll(references, moving) }
        let count = try database.query("SELECT count(*) FROM roost_outbox").first { Int($0.integer(0)) }
        try database.recordOutboxSettled(count ?? 0)
        return isAny
    }

    /// Compares the rows of some entities with their facts, where marks do not say which of them have changed.
    ///
    /// - Parameter entities: The number of rows of each entity that may be gone according to the marks.
    /// - Returns: Whether the comparison has found changes, which are to be settled.
    private func compare(_ entities: [EntityID: Int], _ moving: () throws -> Void) throws -> Bool {
        guard !entities.isEmpty else { return false }
        var comparison = try RowComparison(database, layout)
        var result = RowComparison.Result()
        for table in layout.tables {
            guard let count = entities[table.entity] else { continue }
            result += try comparison.run(table, .intact, deletesMax: count)
        }
        try comparison.deriveGone(moving: moving)
        return result.changed + result.deleted > 0
    }

    /// Settles at the end of a transaction on a connection with triggers. While the rest of the outbox is cached as settled, only
    /// the records that the transaction wrote are looked up.
    ///
    /// - Parameters:
    ///   - written: The records that the transaction wrote.
    ///   - references: The current stored references of some of them.
    func settle(
        _ written: some Collection<RecordKey>, knowing references: [RecordKey: [Put.Reference]] = [:],
        moving: () throws -> Void
    ) throws {
        // A user trigger may have written other records.
        guard !layout.hasUserTriggers, try database.knowsOutboxSettled(for: written.count) else {
            _ = try settleAll(references, moving)
            return
        }
        guard let marks = try foldedMarks() else {
            _ = try settleAll(references, moving)
            return
        }
        var waiting: [Outbox.Waiting] = []
        let marked = Set(marks.waiting.map(\.key))
        let look = try database.query(
            "SELECT put_stamp, del_stamp FROM roost_outbox WHERE entity = ? AND id = ? AND unsettled > 0")
        let mark = try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE entity = ? AND id = ?")
        for key in written where !marked.contains(key) {
            look.bind(1, key.entity.rawValue)
            look.bind(2, key.id)
            let found = try look.first {
                Outbox.Waiting(key: key, put: $0.optionalInteger(0), delete: $0.optionalInteger(1))
            }
            guard let found else { continue }
            waiting.append(found)
            mark.bind(1, key.entity.rawValue)
            mark.bind(2, key.id)
            try mark.run()
        }
        if !waiting.isEmpty || !marks.waiting.isEmpty {
            let open = try derive(waiting, marks.waiting, marks.replica, references, moving)
            if try compare(open.merging(marks.open, uniquingKeysWith: +), moving) {
                _ = try settleAll(references, moving)
            }
        }
        database.recordSettled(lookedUp: written.count)
        assert(isAllSettled)
    }

    /// Moves all marks to the outbox.
    ///
    /// - Returns: The pending changes of marked records, the number of marks by entity that name no record, and this replica's
    ///   identity where there are marks; `nil` where there are so many marks that the whole outbox has to be searched.
    private func foldedMarks() throws -> (waiting: [Outbox.Waiting], open: [EntityID: Int], replica: ReplicaID?)? {
        let query = try database.query(Marks.unsettledSQL)
        defer { query.reset() }
        var found = Marks.Found()
        var replica: ReplicaID?
        while try query.step() {
            if replica == nil { replica = ReplicaID(query.text(4)) ?? .unregistered }
            guard found.add(query) else { return nil }
        }
        return (try Marks(database: database).fold(found), found.open, replica)
    }

    /// Derives what follows from changes.
    ///
    /// - Parameters:
    ///   - waiting: Pending changes from which something may follow.
    ///   - marked: Marked records with their pending changes according to the marks. The rows decide whether the marks are right.
    ///   - known: The identity of this replica, if it has been read.
    /// - Returns: The number of missing rows by entity for which no delete is recorded.
    private func derive(
        _ waiting: [Outbox.Waiting], _ marked: [Outbox.Waiting], _ known: ReplicaID?,
        _ references: [RecordKey: [Put.Reference]], _ moving: () throws -> Void
    ) throws -> [EntityID: Int] {
        if layout.hasUserTriggers { try endFailedRules() }
        let occupancy = try TableOccupancy(database, layout)
        // User triggers may hide records while rows move, so this store queries the hidden tables itself.
        var occupancyOfRows = occupancy
        occupancyOfRows.hidesNothing = nil
        let rows = RowStore(database, layout, occupancyOfRows)
        let stamps = EffectiveStamps(
            database: database, replica: try replica ?? known ?? StateStore(database: database).replica)
        var reconciliation = Reconciliation(rows: rows, stamps: stamps)
        let links = LinkRecords(rows: rows, stamps: stamps)
        var changed = try rename(waiting + marked, links, moving)
        let renamed = Set(changed.keys)
        for change in waiting where !renamed.contains(change.key) {
            changed[change.key] = stamps.own(try stamps.confirmed(change.key), change.put, change.delete)
        }
        for change in marked where !renamed.contains(change.key) {
            let confirmed = try stamps.confirmed(change.key)
            let real = try reconciliation.run(change, confirmed)
            let hidesNothing = occupancy.hidesNothing?.contains(change.key.entity) == true && !rows.occupancy.hasUnfit
            if !hidesNothing, let put = real?.put { try recordReplaced(change.key, confirmed, put, rows, stamps) }
            changed[change.key] = stamps.own(confirmed, real?.put, real?.delete)
        }
        try settleUnfit(&changed, rows)
        try Visibility(rows: rows, stamps: stamps).update(
            changed.map { ChangedRecord(key: $0, own: $1, references: references[$0]) }, knowing: occupancy,
            moving: moving)
        return reconciliation.open
    }

    /// Renames links.
    ///
    /// - Returns: The own states of the records from which or to which a link has moved.
    private func rename(
        _ changes: [Outbox.Waiting], _ links: LinkRecords, _ moving: () throws -> Void
    ) throws -> [RecordKey: OwnState] {
        let stamps = links.stamps
        var own: [RecordKey: OwnState] = [:]
        for moved in try links.rename(changes, moving) {
            own[moved.key] = stamps.own(try stamps.confirmed(moved.key), moved.put, moved.delete)
        }
        return own
    }

    /// Discards content that was set aside and is obsolete because a local put has a row. A record without a row is not visible,
    /// whatever its slots say.
    private func settleUnfit(_ changed: inout [RecordKey: OwnState], _ rows: RowStore) throws {
        try rows.eachUnfit(of: changed.keys) { key in
            if try rows.place(of: key) == .nowhere { changed[key] = .absent } else { try rows.forgetUnfit(key) }
        }
    }

    /// Journals the content of an invisible record that a new row with its identifier replaces: the program that wrote the row
    /// has not seen the record.
    private func recordReplaced(
        _ key: RecordKey, _ confirmed: SlotStamps, _ put: Int64, _ rows: RowStore, _ stamps: EffectiveStamps
    ) throws {
        let unsent = try confirmed.own == .deleted ? unsentContent(key, confirmed, rows) : nil
        guard let replaced = try unsent ?? rows.invisibleContent(key), try rows.place(of: key) == .visible,
            try rows.readablePut(of: key) != replaced
        else { return }
        let written = HybridTimestamp(time: UInt64(clamping: put), replica: stamps.replica)
        // The entry of the change that was not sent has been overwritten by the new row, and its stamp with it.
        let stamp = unsent == nil ? confirmed.put?.stamp : nil
        try Journal(database: database, now: Int64(clamping: try database.wallClock())).record(
            .beaten, key, stamp: stamp ?? HybridTimestamp(time: written.time, replica: .unregistered), put: replaced,
            by: written,
            reason: "A row with this identifier was inserted here while the record was not visible. That row stands.")
    }

    /// Returns the content of a deleted record that this device has written and not sent, because the delete beat it.
    private func unsentContent(_ key: RecordKey, _ confirmed: SlotStamps, _ rows: RowStore) throws -> [UInt8]? {
        guard let content = try rows.deletedContent(key), ContentHash(of: content) != confirmed.put?.hash else {
            return nil
        }
        return content
    }

    /// Removes the copies that delete rules have made of rows that are still visible. A trigger of another program failed in the
    /// middle of a rule, and `RAISE(FAIL)` kept what was done. A rule that has ended leaves nothing in `roost_rule`.
    private func endFailedRules() throws {
        guard try !database.isEmpty("roost_rule") else { return }
        for table in layout.tables {
            try database.executeOne(
                """
                DELETE FROM \(table.hidden) AS h WHERE h.roost_deleted = 0
                  AND EXISTS (SELECT 1 FROM \(table.visible) AS v WHERE v."id" = h."id")
                """)
        }
        try database.execute(sql: "DELETE FROM roost_rule")
    }

    /// The unsettled entries of the outbox, and the marks.
    private struct Unsettled {
        var waiting: [Outbox.Waiting] = []
        /// Entries that a library write made from marks, not yet reconciled with their rows.
        var taken: [Outbox.Waiting] = []
        var marks = Marks.Found()
        var replica: ReplicaID?
        /// The number of entries that the search has passed.
        var passed = 0
        /// Whether an entry of the outbox names no record.
        var hasNameless = false
        /// Whether this is everything unsettled; otherwise it is too much to be settled at once.
        var isWhole: Bool { marks.isWhole && count < ChangesInTurns.changesAtOnce }
        private var count: Int { waiting.count + taken.count }

        /// - Parameters:
        ///   - query: A row with an entity, an identifier, and the stamps of a put and of a delete.
        ///   - isTaken: Whether the entry was made from marks, and is to be reconciled.
        mutating func add(_ query: Query, isTaken: Bool) {
            guard let key = query.key(0) else {
                hasNameless = true
                return
            }
            let change = Outbox.Waiting(key: key, put: query.optionalInteger(2), delete: query.optionalInteger(3))
            if isTaken { taken.append(change) } else { waiting.append(change) }
        }
    }

    private static let unsettledSQL = """
        SELECT entity, id, put_stamp, del_stamp, (SELECT replica FROM roost_control), 1 - unsettled
        FROM roost_outbox WHERE unsettled > 0 UNION ALL \(Marks.unsettledSQL)
        """

    /// Reads the unsettled entries of the outbox, the marks and this replica's identity. One statement for all takes less time.
    private func unsettled() throws -> Unsettled {
        let query = try database.query(Self.unsettledSQL)
        defer { query.reset() }
        var found = Unsettled()
        while try found.isWhole && query.step() {
            if found.replica == nil { found.replica = ReplicaID(query.text(4)) ?? .unregistered }
            let kind = query.integer(5)
            if kind > 0 { _ = found.marks.add(query) } else { found.add(query, isTaken: kind < 0) }
        }
        found.passed = query.rowsPassed()
        return found
    }

    /// Whether the outbox is settled as the cache says; read only in builds with assertions. A file that cannot be read counts as
    /// settled, because the next read of it throws.
    private var isAllSettled: Bool { (try? unsettled()).map { $0.waiting.isEmpty && $0.taken.isEmpty } ?? true }

    /// Whether there are no marks. Not valid after rows were moved on a connection with triggers.
    private var isNothingMarked: Bool { (try? database.isEmpty("roost_mark")) ?? true }
}
