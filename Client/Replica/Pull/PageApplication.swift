internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Applies pulled records to a replica, inside one transaction.
struct PageApplication {
    let database: Database
    let layout: Layout
    /// All identities under which changes were made here.
    let own: Set<ReplicaID>
    let rows: RowStore
    let stamps: EffectiveStamps
    let journal: Journal
    /// Whether local changes are pending. If none are, no record is looked up in the outbox.
    var hasPending: Bool
    /// Records whose row holds a refused put, so that their confirmed content cannot be journaled.
    var overwritten: Set<RecordKey> = []
    /// Whether `roost_pulled` keeps the server's state of some records alongside the confirmed slots.
    private let hasServerStates: Bool
    /// Whether the server was known to have lost records. Applying a page adds none.
    let hasLost: Bool

    var report = ApplyReport()
    var digest: ScopeDigest
    private var newest: UInt64 = 0
    var changes: [ChangedRecord] = []
    /// Effects of the changes that ``deriveSome()`` has derived.
    private var derived = (hidden: 0, shown: 0, unfit: 0)
    /// Batched rows that are not written yet.
    var waiting: (new: RowBatch?, edited: RowBatch?)
    /// The references of the content that was written last.
    private var written: (key: RecordKey, references: [Put.Reference])?

    /// The newest clock reading that was stored before the page.
    private let newestBefore: Int64

    /// - Parameter count: The number of records of the page.
    init(_ database: Database, _ layout: Layout, count: Int = 0, now: Int64) throws {
        try self.init(database, layout, ControlRow(database), count: count, now: now)
    }

    init(_ database: Database, _ layout: Layout, _ control: ControlRow, count: Int = 0, now: Int64) throws {
        self.database = database
        self.layout = layout
        let occupancy = try TableOccupancy(database, layout)
        own = control.formerReplicas.union([control.replica])
        rows = RowStore(database, layout, occupancy)
        stamps = EffectiveStamps(database: database, replica: control.replica)
        journal = Journal(database: database, now: now)
        hasPending = occupancy.hasOutbox
        hasServerStates = occupancy.hasPulled
        hasLost = occupancy.hasLost
        digest = control.digest
        newestBefore = control.seen
        changes.reserveCapacity(count)
    }

    /// Joins one record's slots into the replica. ``finish(setting:offset:)`` derives what is visible.
    mutating func merge(_ state: RecordState) throws {
        let incoming = state.stamps
        let (before, after) = try stamps.joinConfirmed(incoming, of: state.key)
        try merge(state, incoming, before: before, after: after)
    }

    /// Merges a record whose slots have been joined into the confirmed ones.
    ///
    /// - Parameter read: The record as it was read ahead, if it was.
    mutating func merge(
        _ state: RecordState, _ incoming: SlotStamps, before: SlotStamps, after: SlotStamps,
        read: PageReading.Read? = nil
    ) throws {
        let key = state.key
        if hasServerStates { try ServerCopy(database: database).joinIfThere(state) }
        see(incoming)
        guard after != before else {
            report.repeated += 1
            return
        }
        report.applied += 1
        let pending = hasPending ? try realPending(of: key, before) : .init()
        var writing = Writing.nothing
        if after.put != before.put, let put = state.put {
            writing = try applyPut(
                put, of: key, before: before, pending: pending, after: after, content: read?.content)
        }
        try recordBeatenDelete(key, before: before, after: after, pending: pending)
        if after.own == .deleted, let held = before.put, after.put == held, pending == .init() {
            try keepUntracked(key, held, isLast: true)
        }
        if let read, after == incoming {
            digest.replace(before, withTerm: read.term, of: key)
        } else {
            digest.replace(before, with: after, of: key)
        }
        try dropPending(key, pending: pending, after: after)
        if writing != .later { try recordChange(of: key, after, writing, pending) }
    }

    /// Returns a record's pending changes. A put that changed nothing is discarded: its stamp would win over an edit made
    /// elsewhere.
    ///
    /// - Parameter before: The record's confirmed slots before the page.
    func realPending(of key: RecordKey, _ before: SlotStamps) throws -> EffectiveStamps.Pending {
        let pending = try stamps.pending(key)
        let outbox = Outbox(database: database)
        guard let put = pending.put, let held = before.put, before.own == .put,
            // A change in flight may be newer than the confirmed one.
            try !outbox.isUnderWay(key),
            // An undelete by the library is meant to stand.
            try pending.delete.map({ $0 > put }) ?? true || !outbox.isLastOfLibrary(key),
            try rows.readablePut(of: key).map({ ContentHash(of: $0) }) == held.hash
        else { return pending }
        if let delete = pending.delete, delete > put {
            // The delete was meant. The put before it changed nothing.
            try outbox.forget(key, .put, stamp: put.time)
            return .init(put: nil, delete: delete)
        }
        try outbox.forget(key)
        return .init()
    }

    /// Journals a row's untracked content before other content replaces it.
    ///
    /// - Parameters:
    ///   - held: The confirmed put that the row belongs to.
    ///   - isLast: Whether the row keeps the content, hidden, because its record is deleted.
    func keepUntracked(_ key: RecordKey, _ held: SlotStamps.PutStamp, isLast: Bool = false) throws {
        #if ROOST_SEEDED_BUGS
            if SeededBug.pageOverwritesUnrecorded.isOn { return }
        #endif
        guard let content = try rows.readablePut(of: key), ContentHash(of: content) != held.hash,
            try !rows.isIrregular(key)
        else { return }
        try journal.recordUntracked(
            content, of: key, over: held.stamp.time, outcome: "A later change from another device stands.")
        if isLast { try rows.recordIrregular(key) }
    }

    /// Remembers the newest clock reading that other replicas have seen.
    mutating func see(_ slots: SlotStamps) {
        newest = max(newest, slots.put?.stamp.time ?? 0, slots.delete?.time ?? 0)
    }

    /// Schedules the derivation of what follows from a record's slots.
    mutating func recordChange(of key: RecordKey, _ confirmed: SlotStamps) throws {
        var own = OwnState.absent
        if try !rows.isUnfit(key) {
            own = Self.ownState(confirmed, hasPending ? try stamps.pending(key) : .init())
        }
        let references = written?.key == key ? written?.references : nil
        changes.append(ChangedRecord(key: key, own: own, references: references))
    }

    /// Schedules the derivation after a record's content was written. Nothing follows from an edit in place under
    /// ``ReferenceRules/visibleIsPut``.
    ///
    /// - Parameter pending: The record's pending changes before the write.
    mutating func recordChange(
        of key: RecordKey, _ confirmed: SlotStamps, _ writing: Writing, _ pending: EffectiveStamps.Pending
    ) throws {
        if writing == .inPlace, layout.rules.visibleIsPut, Self.ownState(confirmed, pending) == .put { return }
        try recordChange(of: key, confirmed)
    }

    /// Derives what is visible after all merged records, and stores the replica's state.
    ///
    /// - Parameters:
    ///   - values: Further values to set by the statement that stores the state.
    ///   - offset: The offset of the server's clock that came with the page, in milliseconds.
    mutating func finish(
        setting values: [(name: StateStore.Name, value: Value)] = [], offset: Int64? = nil
    ) throws -> ApplyReport {
        precondition(waiting.new == nil && waiting.edited == nil, "Rows of this page are not written yet.")
        let effects = try derive(setting: values, offset: offset)
        report.hidden = derived.hidden + effects.hiddenCount
        report.shown = derived.shown + effects.shownCount
        report.unfit = max(0, report.unfit + derived.unfit + effects.unfit - effects.takenBack)
        if report.hidden + report.shown > 0 {
            try journal.event(
                "derived", "\(report.hidden) records hidden and \(report.shown) shown by others' changes.")
        }
        report.digest = digest
        return report
    }

    /// Derives what is visible after the records so far, once they are many. They need not be kept in memory until the end.
    mutating func deriveSome() throws {
        guard changes.count >= ChangesInTurns.changesAtOnce else { return }
        let effects = try Visibility(rows: rows, stamps: stamps).update(changes, knowing: rows.occupancy)
        rows.recordMoves()
        derived.hidden += effects.hiddenCount
        derived.shown += effects.shownCount
        derived.unfit += effects.unfit
        changes.removeAll(keepingCapacity: true)
    }

    /// Derives what is visible like ``finish(setting:offset:)``, without recording an event.
    func derive(
        setting values: [(name: StateStore.Name, value: Value)] = [], offset: Int64? = nil
    ) throws -> Visibility.Effects {
        var effects = try Visibility(rows: rows, stamps: stamps).update(changes, knowing: rows.occupancy)
        effects.takenBack = try RefusedRowRetry(rows: rows, stamps: stamps).run()
        var values = values + [(.digest, .data(digest.bytes))]
        // Triggers continue to count from it in signed 64-bit integers (protocol.md §6.4).
        let newest = min(newest, HybridClock.readingMax)
        if newest > 0 { values.append((.seen, .integer(max(newestBefore, Int64(newest))))) }
        var received = newest > 0 ? newest : nil
        #if ROOST_SEEDED_BUGS
            if SeededBug.clockNotPersisted.isOn { received = nil }
        #endif
        try StateStore(database: database).set(values, receiving: received, offset: offset)
        return effects
    }

    // MARK: One record

    /// Applies a put that is the newest on the server. The local content gives way, unless a later local put is pending.
    ///
    /// - Parameter content: The content as it was read ahead, if it was. Then the row may be batched.
    @discardableResult
    mutating func applyPut(
        _ put: RecordState.PutSlot, of key: RecordKey, before: SlotStamps, pending: EffectiveStamps.Pending,
        after: SlotStamps, content: Result<RowCoding.Row, RowCoding.Unfit>? = nil
    ) throws -> Writing {
        if let local = pending.put {
            if local < put.stamp {
                try beat(key, stamp: local, by: put.stamp, reason: "A later edit from another device stands.")
            } else if try local == put.stamp && !isShown(put, key) {
                try beat(key, stamp: local, by: put.stamp, reason: "The server has another content under this stamp.")
                try Outbox(database: database).forget(key, .put)
            } else if put.stamp.replica == stamps.replica, put.stamp < local {
                // The reply to the push of this put is still to come, and the record was written again since, from this put.
                try Outbox(database: database).setStored(put.stamp, of: key)
                return .nothing
            } else {
                // The put that the local edit was made from is no longer confirmed, so it is remembered.
                try rememberBase(before.put?.stamp, of: key)
                return .nothing
            }
        } else if let held = before.put?.stamp, own.contains(held.replica), put.base != held, !overwritten.contains(key)
        {
            try beat(key, stamp: held, by: put.stamp, reason: "A later edit stands, which may not have seen this one.")
        }
        if pending.put == nil, let held = before.put, !overwritten.contains(key) { try keepUntracked(key, held) }
        if case .success(let row)? = content, pending == .init() {
            let entry = RowBatch.Entry(
                key: key, row: row, encoded: put.encoded, held: before.put, confirmed: after)
            if try waits(entry) { return .later }
        }
        let isNew = before.put == nil && pending.put == nil && !overwritten.contains(key)
        return try write(put.encoded, to: key, over: before.put, isNew: isNew, content: content)
    }

    /// Journals a row that nothing here accounts for, before a record of another device with its identifier replaces it. Another
    /// program has written the row past the triggers.
    private func keepStray(_ key: RecordKey, insteadOf encoded: [UInt8]) throws {
        guard let content = try rows.readablePut(of: key), content != encoded, try rows.place(of: key) == .visible,
            try StateStore(database: database).integer(.salvaged) == nil
        else { return }
        try journal.recordUntracked(
            content, of: key, over: UInt64(clamping: journal.now) << 16,
            outcome: "A record of another device has its identifier, and stands.")
    }

    /// Whether the row holds the content of its stamp. In a file restored to an earlier state, an edit may get the stamp of an
    /// edit that is forgotten here and that all others have seen (decision 123).
    private func isShown(_ put: RecordState.PutSlot, _ key: RecordKey) throws -> Bool {
        try rows.readablePut(of: key).map { $0 == put.encoded } ?? true
    }

    /// The outcome of writing a put's content.
    enum Writing {
        /// The content is in the existing row of a visible record, whose references did not change.
        case inPlace
        /// The content is in another row, or set aside.
        case anew
        /// The row is batched.
        case later
        /// The content gave way to local content.
        case nothing
    }

    /// Writes content to a record's row, or sets it aside where it does not fit the schema.
    ///
    /// - Parameters:
    ///   - held: The confirmed put that the content replaces, if any.
    ///   - isNew: Whether nothing was known of the record, so that it should have no row.
    ///   - content: The content as it was read ahead, if it was.
    @discardableResult
    mutating func write(
        _ encoded: [UInt8], to key: RecordKey, over held: SlotStamps.PutStamp?, isNew: Bool = false,
        content: Result<RowCoding.Row, RowCoding.Unfit>? = nil
    ) throws -> Writing {
        guard let table = layout[key.entity] else {
            report.unfit += 1
            try rows.setAside(encoded, of: key, reason: RowCoding.Unfit(unknown: key.entity).reason)
            return .anew
        }
        do {
            let coding = RowCoding(table)
            let replacing = isNew ? { [self] in try keepStray(key, insteadOf: encoded) } : nil
            if let content { return try write(content.get(), coding, to: key, over: held, replacing) }
            return try coding.withRow(encoded) { try write($0, coding, to: key, over: held, replacing) }
        } catch let unfit as RowCoding.Unfit {
            report.unfit += 1
            written = (key, [])
            try rows.setAside(encoded, of: key, reason: unfit.reason)
            return .anew
        }
    }

    private mutating func write(
        _ row: RowCoding.Row, _ coding: RowCoding, to key: RecordKey, over held: SlotStamps.PutStamp?,
        _ replacing: (() throws -> Void)?
    ) throws -> Writing {
        let table = coding.table
        let isInPlace = try held != nil && rows.writeAttributes(row, to: key, in: table)
        if !isInPlace {
            try rows.write(row, to: key, in: table, try rows.placeToWrite(key, in: table), replacing: replacing)
        }
        try rows.forgetUnfit(key)
        return recordWritten(row, coding, to: key, isInPlace: isInPlace)
    }

    /// Remembers the references that were written, if something may follow from them.
    mutating func recordWritten(
        _ row: RowCoding.Row, _ coding: RowCoding, to key: RecordKey, isInPlace: Bool
    ) -> Writing {
        written = isInPlace && layout.rules.visibleIsPut ? nil : (key, coding.references(of: row))
        return isInPlace ? .inPlace : .anew
    }

    private mutating func beat(
        _ key: RecordKey, stamp: HybridTimestamp, by: HybridTimestamp, reason: String
    ) throws {
        let put = try rows.encodedPut(of: key)
        let reason = Journal.reason(reason, beyondContent: rows.faults[key])
        let isNew = try journal.record(.beaten, key, stamp: stamp, put: put, by: by, reason: reason)
        if isNew { report.beaten += 1 }
    }

    /// Journals a delete made here that a later edit from another device beats.
    mutating func recordBeatenDelete(
        _ key: RecordKey, before: SlotStamps, after: SlotStamps, pending: EffectiveStamps.Pending
    ) throws {
        let mine = pending.delete ?? before.delete.flatMap { own.contains($0.replica) ? $0 : nil }
        guard let delete = mine, let put = after.put?.stamp, put != before.put?.stamp, put > delete else { return }
        if let delete = after.delete, delete > put { return }
        // The delete was undone here since, by a put that the later put has met.
        if let own = [pending.put, before.put?.stamp].compactMap({ $0 }).max(), own > delete { return }
        let isNew = try journal.record(
            .beaten, key, stamp: delete, put: nil, by: put, reason: "The record was edited later on another device.")
        if isNew { report.beaten += 1 }
    }

    private static func ownState(_ slots: SlotStamps, _ pending: EffectiveStamps.Pending) -> OwnState {
        func later(_ left: HybridTimestamp?, _ right: HybridTimestamp?) -> HybridTimestamp? {
            guard let left, let right else { return left ?? right }
            return max(left, right)
        }
        return OwnState(put: later(slots.put?.stamp, pending.put), delete: later(slots.delete, pending.delete))
    }

    // MARK: Pending changes

    /// Remembers the put that a local put was made from, where none is remembered yet.
    ///
    /// - Parameter base: `nil` where nothing was confirmed when the local change was made, which is stored as zeros.
    func rememberBase(_ base: HybridTimestamp?, of key: RecordKey) throws {
        let query = try database.query(
            "UPDATE roost_outbox SET base = ? WHERE entity = ? AND id = ? AND base IS NULL")
        query.bind(1, base ?? Outbox.noBase)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        try query.run()
    }

    /// Discards pending changes that are beaten here: they would be beaten on the server, too.
    func dropPending(_ key: RecordKey, pending: EffectiveStamps.Pending, after: SlotStamps) throws {
        if let put = pending.put, let won = after.put?.stamp, won > put {
            try Outbox(database: database).forget(key, .put)
        }
        // A delete that is older than a put changes nothing, and must not win by getting a new stamp.
        if let delete = pending.delete, let won = [after.delete, after.put?.stamp].compactMap({ $0 }).max(),
            won > delete
        {
            try Outbox(database: database).forget(key, .delete)
        }
    }
}
