internal import GRDB
internal import RoostModel

/// Takes in what triggers have marked (``Marks``), and derives what follows from it.
///
/// Triggers hide the children of a deleted record at once. What they cannot know (a record that comes back and brings its
/// children, a child of a hidden parent, a hierarchy more than one level deep) is settled here: at the end of a
/// transaction of Roost's own, and before each push or pull for those of other programs.
struct Settlement {
    let database: Database
    let layout: Layout
    /// `nil` for the one of the file.
    var replica: ReplicaID?

    /// - Parameter moving: Called before rows are written, where any may have to be.
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
        // In the outbox, for what is taken in now does not say so there.
        let isAnyUnsettled = !found.waiting.isEmpty || !found.taken.isEmpty
        var open = found.marks.open
        var marked = try Marks(database: database).takeIn(found.marks)
        let again = Set(found.taken.isEmpty ? [] : marked.map(\.key))
        marked += found.taken.filter { !again.contains($0.key) }
        if !found.waiting.isEmpty || !marked.isEmpty {
            open.merge(try derive(found.waiting, marked, found.replica, references, moving), uniquingKeysWith: +)
            if isAnyUnsettled { try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled > 0").run() }
        }
        // Of rows that are no records, which only a program without the table's check writes.
        if found.hasNameless { try Outbox(database: database).forgetNameless() }
        if try compare(open, moving) { return try settleAll(references, moving) }
        try database.noteOutboxSettled(found.passed)
        return !found.waiting.isEmpty || !marked.isEmpty
    }

    /// Settles more than is to be in memory at a time: the entries of the outbox part by part, in the order of their keys.
    ///
    /// Visibility is derived from one part while the rows of the next are taken as they are, as between two pages. The transaction that calls this commits all of them or none.
    private func settleMany(_ references: [RecordKey: [Put.Reference]], _ moving: () throws -> Void) throws -> Bool {
        var open = try Marks(database: database).takeIn()
        var (isAny, hasNameless) = (false, false)
        var place = OutboxPlace.start
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
        try database.noteOutboxSettled(count ?? 0)
        return isAny
    }

    /// Compares the rows of some entities with their facts, where marks do not say which of them have changed.
    ///
    /// - Parameter entities: How many rows of each may have gone, by the marks.
    /// - Returns: Whether that has found changes, which are to be settled.
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

    /// The same at the end of a transaction with triggers: where all else is known to be settled, only what it wrote is looked up.
    ///
    /// - Parameters:
    ///   - written: The records that it wrote.
    ///   - references: The stored references of some of them, as they are now.
    func settle(
        _ written: some Collection<RecordKey>, knowing references: [RecordKey: [Put.Reference]] = [:],
        moving: () throws -> Void
    ) throws {
        // A trigger of another program may have written others.
        guard !layout.hasUserTriggers, try database.knowsOutboxSettled(for: written.count) else {
            _ = try settleAll(references, moving)
            return
        }
        guard let marks = try marksTakenIn() else {
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
        database.noteSettled(lookedUp: written.count)
        assert(isAllSettled)
    }

    /// - Returns: What is to be settled of it, and who this replica is; `nil` where there is so much that all is to be searched.
    private func marksTakenIn() throws -> (waiting: [Outbox.Waiting], open: [EntityID: Int], replica: ReplicaID?)? {
        let query = try database.query(Marks.unsettledSQL)
        defer { query.reset() }
        var found = Marks.Found()
        var replica: ReplicaID?
        while try query.step() {
            if replica == nil { replica = ReplicaID(query.text(4)) ?? .unregistered }
            guard found.add(query) else { return nil }
        }
        return (try Marks(database: database).takeIn(found), found.open, replica)
    }

    /// - Parameters:
    ///   - waiting: Changes of which something may follow.
    ///   - marked: Records that were marked, with what waits of them if the marks are right.
    /// - Returns: How many rows of which entities are missing of which nothing says that they were deleted.
    private func derive(
        _ waiting: [Outbox.Waiting], _ marked: [Outbox.Waiting], _ known: ReplicaID?,
        _ references: [RecordKey: [Put.Reference]], _ moving: () throws -> Void
    ) throws -> [EntityID: Int] {
        if layout.hasUserTriggers { try endFailedRules() }
        let occupancy = try TableOccupancy(database, layout)
        // Triggers of other programs may hide records while rows move: this store looks for itself.
        var occupancyOfRows = occupancy
        occupancyOfRows.hidesNothing = nil
        let rows = RowStore(database, layout, occupancyOfRows)
        let stamps = EffectiveStamps(
            database: database, replica: try replica ?? known ?? StateStore(database: database).replica)
        var reconciliation = Reconciliation(rows: rows, stamps: stamps)
        var changed: [RecordKey: OwnState] = [:]
        let links = LinkRecords(rows: rows, outbox: Outbox(database: database))
        var renamed: Set<RecordKey> = []
        for moved in try links.rename(waiting + marked, stamps.confirmed, moving) {
            changed[moved.key] = stamps.own(try stamps.confirmed(moved.key), moved.put, moved.delete)
            renamed.insert(moved.key)
        }
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
        try rows.eachUnfit(of: changed.keys) { key in
            // What was kept aside is over where a local put is in its place; else it is not visible, whatever its slots say.
            if try rows.place(of: key) == .nowhere { changed[key] = .absent } else { try rows.forgetUnfit(key) }
        }
        try Visibility(rows: rows, stamps: stamps).update(
            changed.map { ChangedRecord(key: $0, own: $1, references: references[$0]) }, knowing: occupancy,
            moving: moving)
        return reconciliation.open
    }

    /// Journals the content of an invisible record that a new row of the same identifier replaces: the program that wrote the row has not seen
    /// the record.
    private func recordReplaced(
        _ key: RecordKey, _ confirmed: SlotStamps, _ put: Int64, _ rows: RowStore, _ stamps: EffectiveStamps
    ) throws {
        guard let replaced = try rows.invisibleContent(key), try rows.place(of: key) == .visible,
            try rows.readablePut(of: key) != replaced
        else { return }
        let written = HybridTimestamp(time: UInt64(clamping: put), replica: stamps.replica)
        try Journal(database: database, now: Int64(clamping: try database.wallClock())).record(
            .beaten, key, stamp: confirmed.put?.stamp ?? HybridTimestamp(time: written.time, replica: .unregistered),
            put: replaced, by: written,
            reason: "A row with this identifier was inserted here while the record was not visible. That row stands.")
    }

    /// Takes away what delete rules have copied of rows that are still visible: another program's trigger failed in the midst of a rule,
    /// in a way that keeps what was done (`RAISE(FAIL)`). A rule that has ended leaves nothing in `roost_rule`.
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

    /// What is not settled yet.
    private struct Unsettled {
        var waiting: [Outbox.Waiting] = []
        /// Entries that a library write made of marks, not yet reconciled.
        var taken: [Outbox.Waiting] = []
        var marks = Marks.Found()
        var replica: ReplicaID?
        /// How many entries were passed to find it.
        var passed = 0
        /// Whether an entry of the outbox names no record.
        var hasNameless = false
        /// Whether this is all; else it is too much to be settled at once.
        var isWhole: Bool { marks.isWhole && count < ChangesInTurns.changesAtOnce }
        private var count: Int { waiting.count + taken.count }

        /// - Parameters:
        ///   - query: Has an entity, an identifier, and the stamps of a put and of a delete.
        ///   - isTaken: Whether the entry was made of marks, and is to be reconciled.
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

    /// What is not settled, in the outbox and among the marks, and with it who this replica is: all of it by one statement, which takes less.
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

    /// What is known, looked at: in builds with assertions. A file that cannot be read says so wherever it is read next.
    private var isAllSettled: Bool { (try? unsettled()).map { $0.waiting.isEmpty && $0.taken.isEmpty } ?? true }

    /// The same of the marks. Not to be asked after rows were moved on a connection with triggers.
    private var isNothingMarked: Bool { (try? database.isEmpty("roost_mark")) ?? true }
}
