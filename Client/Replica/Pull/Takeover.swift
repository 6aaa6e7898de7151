internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The end of a full resynchronisation: in one transaction, the confirmed slots and the content become those of the server.
///
/// Slots that the server has lost stay, and are recorded to be brought back. The outbox stays in any case.
struct Takeover {
    private let database: Database
    private let layout: Layout
    private let reason: PullAnewReason
    private let own: Set<ReplicaID>
    private let clock: UInt64
    private let rows: RowStore
    private let stamps: EffectiveStamps
    private let lost: LostRecords
    private let journal: Journal
    private var page: PageApplication
    /// The number of changes that went to the journal because the server does not have them any more.
    private var untold = 0

    init(_ database: Database, _ layout: Layout, reason: PullAnewReason, now: Int64) throws {
        self.database = database
        self.layout = layout
        self.reason = reason
        let state = StateStore(database: database)
        own = try state.ownReplicas
        clock = try state.clock
        rows = try RowStore(database, layout)
        stamps = EffectiveStamps(database: database, replica: try state.replica)
        lost = LostRecords(database: database)
        journal = Journal(database: database, now: now)
        page = try PageApplication(database, layout, now: now)
    }

    mutating func run() throws -> ApplyReport {
        if reason == .damaged { try sortConfirmed() }
        let missing = try findLost()
        let asked = Set(try MissingRecords(database: database, layout: layout).keys())
        // A row that nothing accounts for is judged by its visibility, so nothing may be derived before that.
        let hasStrays = try rows.hasStrays()
        try ServerCopy(database: database).forEach { state in
            try recordUntold(state)
            if !missing.contains(state.key) { try page.replace(with: state, isAsked: asked.contains(state.key)) }
            if !hasStrays { try page.deriveSome() }
        }
        // The server may not get all slots of the records that are brought back.
        if !missing.isEmpty {
            try forEachUnknown { takeover, key in
                if missing.contains(key) { try takeover.recordUntold(RecordState(key: key)) }
            }
        }
        try confirmLost(missing)
        try forEachUnknown { takeover, key in
            guard !missing.contains(key) else { return }
            try takeover.recordUntold(RecordState(key: key))
            try takeover.page.forget(key)
            if !hasStrays { try takeover.page.deriveSome() }
        }
        // The server may store a push after it has sent its pages.
        try MissingRecords(database: database, layout: layout).addUnderWay()
        if untold > 0 {
            try journal.event("resync", "\(untold) changes are not on the server any more; the journal has them.")
        }
        try settleStrays()
        try keepServerState(of: missing)
        page.startDigest(try ConfirmedDigest(database: database).sum())
        return try page.finish()
    }

    // MARK: Lost records

    /// Records the slots that are greater here than on the server, to be brought back.
    ///
    /// - Returns: The records with such slots.
    private func findLost() throws -> Set<RecordKey> {
        var keys: Set<RecordKey> = []
        let later = """
            LEFT JOIN roost_pulled p ON p.entity = f.entity AND p.id = f.id
            WHERE ((f.put_stamp IS NOT NULL AND (p.put_stamp IS NULL OR p.put_stamp < f.put_stamp))
              OR (f.del_stamp IS NOT NULL AND (p.del_stamp IS NULL OR p.del_stamp < f.del_stamp)))
            """
        try ConfirmedKeys(database: database).forEach(later) { key in
            guard let state = try lostState(of: key) else { return }
            try lost.put(state)
            keys.insert(key)
        }
        // These were to be brought back, and are on the server again or have been overwritten.
        for key in try lost.keys() where !keys.contains(key) { try lost.forget(key) }
        return keys
    }

    /// Returns the slots of one record that the server has lost; `nil` where none can be brought back.
    private func lostState(of key: RecordKey) throws -> RecordState? {
        let confirmed = try stamps.confirmed(key)
        let server = try ServerCopy(database: database).state(of: key) ?? RecordState(key: key)
        let waiting = try lost.state(of: key)
        var state = RecordState(key: key)
        if let put = confirmed.put, server.put.map({ $0.stamp < put.stamp }) ?? true {
            if waiting?.put?.stamp == put.stamp {
                state.put = waiting?.put
            } else if mayBeLost(put.stamp) {
                state.put = try intactContent(of: key, put)
            }
        }
        if let delete = confirmed.delete, server.delete.map({ $0 < delete }) ?? true,
            waiting?.delete == delete || mayBeLost(delete)
        {
            state.delete = delete
        }
        return state.put == nil && state.delete == nil ? nil : state
    }

    /// Returns the content of a confirmed put, if the row still holds exactly that. A later local edit or corruption may have
    /// replaced it.
    private func intactContent(
        of key: RecordKey, _ put: SlotStamps.PutStamp
    ) throws -> RecordState.PutSlot? {
        guard try stamps.pending(key).put == nil, let encoded = try rows.encodedPut(of: key),
            ContentHash(of: encoded) == put.hash
        else { return nil }
        return .init(stamp: put.stamp, base: nil, encoded: encoded)
    }

    /// Whether the server can have lost a change that is not recorded as lost yet.
    ///
    /// Where the history did not change, the server can only have lost changes whose storage it has confirmed to this replica,
    /// and a checkpoint from before that confirmation does not show the loss. Any other missing change is corruption. So is a
    /// stamp beyond this replica's clock, which has followed all that was confirmed. After a long absence, a missing change was
    /// purged.
    private func mayBeLost(_ stamp: HybridTimestamp) -> Bool {
        guard stamp.time <= clock else { return false }
        return switch reason {
        case .historyChanged: true
        case .differs, .refused: own.contains(stamp.replica)
        // The server has just shown that it has what it confirmed to this replica, so more here is corruption.
        case .damaged, .expired: false
        }
    }

    /// Confirms the slots of lost records that the server has or is to get again. A slot that cannot be brought back is not
    /// confirmed.
    private mutating func confirmLost(_ missing: Set<RecordKey>) throws {
        let pulled = ServerCopy(database: database)
        for key in missing.sorted() {
            guard let held = try lost.state(of: key) else { continue }
            try page.replace(with: try pulled.state(of: key)?.joined(with: held) ?? held)
        }
    }

    /// Keeps the server's state of lost records, and discards that of all others.
    private func keepServerState(of missing: Set<RecordKey>) throws {
        let pulled = ServerCopy(database: database)
        let kept = try missing.map { try pulled.state(of: $0) ?? RecordState(key: $0) }
        try database.query("DELETE FROM roost_pulled").run()
        for state in kept { try pulled.join(state) }
    }

    // MARK: Records missing on the server

    /// Journals slots that the server does not have and that are not brought back.
    ///
    /// After a long absence, only changes made by this device are journaled: what others deleted and the server purged cannot be
    /// told from what a restored server lost. Otherwise all changes that this replica held are journaled. A server may be
    /// restored unnoticed during a full resynchronisation, and nothing tells that from corruption.
    private mutating func recordUntold(_ server: RecordState) throws {
        let why: String
        switch reason {
        case .expired:
            why =
                "The server does not have it any more: the record was deleted and purged, or the server was restored. This "
                + "replica was away for too long to tell."
        case .differs, .damaged, .refused:
            why = "The server does not have it: it was restored from an older copy, or this replica's file was damaged."
        case .historyChanged:
            // All other changes are brought back.
            why =
                "The server was restored from an older copy that does not have it, and it cannot be brought back as it was."
        }
        let confirmed = try stamps.confirmed(server.key)
        let (pending, back) = (try stamps.pending(server.key), try lost.state(of: server.key))
        func isNoted(_ stamp: HybridTimestamp) -> Bool { reason != .expired || own.contains(stamp.replica) }
        switch confirmed.own {
        case .put:
            guard let put = confirmed.put, back?.put == nil, server.put.map({ $0.stamp < put.stamp }) ?? true,
                server.delete.map({ $0 < put.stamp }) ?? true,
                // A later local edit has replaced the content, and is sent.
                pending.put == nil
            else { return }
            // Content that another program wrote over the put past the triggers exists on no other device.
            guard isNoted(put.stamp) else { return try page.keepUntracked(server.key, put) }
            guard let held = try rows.readablePut(of: server.key), held != server.put?.encoded else { return }
            if try journal.record(.lost, server.key, stamp: put.stamp, put: held, reason: why) { untold += 1 }
        case .deleted, .absent:
            guard let delete = confirmed.delete, isNoted(delete), back?.delete == nil,
                server.delete.map({ $0 < delete }) ?? true, server.put.map({ $0.stamp < delete }) ?? true,
                // The delete was undone or repeated since, and that change is sent.
                pending.put.map({ $0 < delete }) ?? true, pending.delete == nil
            else { return }
            // This includes records that the server does not show: another device may bring back what the server lost with the
            // delete, and only this replica knows of the delete. Only a record that the server shows now counts for the event.
            let isNew = try journal.record(.lost, server.key, stamp: delete, put: nil, reason: why)
            if isNew, server.stamps.own == .put { untold += 1 }
        }
    }

    /// Calls `body` with the confirmed records that the server does not have. Cascade children come before their parents: a child
    /// that is hidden with its parent would be moved a second time when it is forgotten itself.
    private mutating func forEachUnknown(_ body: (inout Takeover, RecordKey) throws -> Void) throws {
        let unknown = "WHERE NOT EXISTS (SELECT 1 FROM roost_pulled p WHERE p.entity = f.entity AND p.id = f.id)"
        let confirmed = ConfirmedKeys(database: database)
        for entity in layout.referrersFirst {
            try confirmed.forEach("\(unknown) AND f.entity = \(entity)") { try body(&self, $0) }
        }
        let known = layout.referrersFirst.map { "\($0)" }.joined(separator: ", ")
        try confirmed.forEach("\(unknown) AND f.entity NOT IN (\(known))") { try body(&self, $0) }
    }

    /// Rebuilds the table of confirmed slots in order. A slot with a damaged identifier is at the wrong position, so that no
    /// look-up finds it and no look-up can remove it.
    private func sortConfirmed() throws {
        try database.executeEach(
            """
            CREATE TABLE roost_fact_read AS SELECT * FROM roost_fact WHERE typeof(entity) = 'integer'
              AND \(database.identifiers.hasType("id"))
              AND typeof(put_stamp) IN ('blob', 'null') AND typeof(hash) IN ('blob', 'null')
              AND typeof(del_stamp) IN ('blob', 'null')
            """, "DELETE FROM roost_fact",
            "INSERT OR IGNORE INTO roost_fact SELECT * FROM roost_fact_read ORDER BY entity, id",
            "DROP TABLE roost_fact_read")
    }

    /// Handles rows that no confirmed slot and no local change account for, and removes slots that name no record.
    ///
    /// Another program has written such a row past the triggers, so it becomes a local change. In a damaged file it may be a
    /// purged record, or a row with a damaged identifier, so the journal keeps its content.
    private mutating func settleStrays() throws {
        try database.query(
            """
            DELETE FROM roost_fact WHERE \(database.identifiers.isNoIdentifier("id")) OR entity NOT BETWEEN 0 AND \(UInt32.max)
            """
        ).run()
        let state = StateStore(database: database)
        var ticks = try state.hybridClock
        var added = 0
        for key in try rows.strays() {
            let content = try rows.readablePut(of: key)
            if reason != .damaged, content != nil, try rows.place(of: key) == .visible {
                try Outbox(database: database).add(key, .put, time: ticks.tick(wall: UInt64(clamping: journal.now)))
                added += 1
                continue
            }
            if let content {
                try journal.record(
                    .damaged, key,
                    stamp: HybridTimestamp(
                        time: ticks.tick(wall: UInt64(clamping: journal.now)), replica: .unregistered),
                    put: content,
                    reason: "A row held this, of which neither the server nor this replica knows a change.")
            }
            try page.erase(key)
        }
        try state.receive(ticks.last)
        if added > 0 {
            try journal.event("layout", "\(added) rows that were written without being tracked are local changes now.")
        }
    }
}
