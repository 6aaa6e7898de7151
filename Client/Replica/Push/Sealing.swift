internal import GRDB
internal import RoostMerge
internal import RoostModel
package import RoostProtocol

/// Size limits of pushes.
package struct PushLimits: Hashable, Sendable {
    package var changesPerPush: Int
    package var transactionsPerPush = Int.max
    package var bytesPerPush: Int
    package var changesPerTransaction: Int
    package var bytesPerTransaction: Int
    /// The largest content that a server accepts, in bytes.
    package var bytesPerPut: Int
    /// The number of changes to seal at once; others are left for the next sealing.
    package var changesPerSealing: Int

    package init(
        changesPerPush: Int, bytesPerPush: Int, changesPerTransaction: Int, bytesPerTransaction: Int,
        bytesPerPut: Int = .max, changesPerSealing: Int = 20_000
    ) {
        self.bytesPerPut = bytesPerPut
        self.changesPerPush = changesPerPush
        self.bytesPerPush = bytesPerPush
        self.changesPerTransaction = changesPerTransaction
        self.bytesPerTransaction = bytesPerTransaction
        self.changesPerSealing = changesPerSealing
    }

    /// Derives the limits of pushes to a server from its `limits`. They leave room for bytes that the estimate does not count.
    package init(_ limits: Limits) {
        self.init(
            changesPerPush: limits.changesPerPushMax, bytesPerPush: limits.bodyBytesMax * 3 / 4,
            changesPerTransaction: limits.changesPerTransactionMax, bytesPerTransaction: limits.transactionBytesMax,
            bytesPerPut: limits.putBytesMax)
    }
}

/// The sealing of pending changes into pushes, inside one transaction.
///
/// A change gets its final stamp here. Triggers only read the clock, so two of their stamps may be equal, and a stamp made
/// before a jump of the clock may be greater than one made after it. No other replica has seen these stamps yet.
struct Sealing {
    let database: Database
    let layout: Layout
    let replica: ReplicaID
    let limits: PushLimits
    /// Milliseconds since 1970.
    let now: Int64

    /// The number of the last acknowledged push.
    let lastNumber: UInt64
    /// The checkpoint before anything was sealed.
    let checkpoint: [UInt8]?
    let outbox: Outbox
    let stamps: EffectiveStamps

    init(_ database: Database, _ layout: Layout, _ control: ControlRow, _ limits: PushLimits, now: Int64) throws {
        self.database = database
        self.layout = layout
        self.limits = limits
        self.now = now
        replica = control.replica
        lastNumber = control.pushNumber
        checkpoint = control.checkpoint
        outbox = Outbox(database: database)
        stamps = EffectiveStamps(database: database, replica: replica)
    }

    /// The handling of an outbox entry that names nothing: neither a row nor a confirmed slot.
    enum Nameless {
        /// Nothing is sealed, because the outbox has to be checked for damage first.
        case lookedInto
        /// Nothing is sealed. This also applies where content is gone or anything else has to be checked: the session seals it
        /// then.
        case left
        /// The outbox has been checked. A delete is sent, because its record may have been purged; missing content is journaled.
        case taken
    }

    /// The outcome of a sealing.
    struct Result {
        var pushes: [PushRequest] = []
        /// The number of times a transaction was divided.
        var splits = 0
        var damage = OutboxDamage()
        /// Whether something that follows from changes has to be derived again.
        var isUnsettled: Bool { damage != OutboxDamage() || refused > 0 || !unsettled.isEmpty }
        /// The number of records whose content cannot be sent, or that were written together with such a record.
        fileprivate(set) var refused = 0
        /// The entries whose changes are sent with another stamp than their pending one.
        var restamped: [Outbox.Restamped] = []
        /// Records of restamped entries from which something may follow because of the new stamp.
        var unsettled: [RecordKey] = []
        /// The confirmed slots of each change's record.
        var confirmed: [SlotStamps] = []
        /// The hash of each change's content; `nil` for a create or a delete.
        var hashes: [ContentHash?] = []

        /// Returns what may be cached of the sealed push, if it is the only one and holds whole transactions.
        ///
        /// - Parameter entries: All pending entries. Nothing is cached where a record has two changes, because the first alters
        ///   the confirmed slots that the second meets.
        func known(_ entries: [Outbox.Entry]) -> ConnectionCache.KnownPush? {
            guard let push = pushes.first, pushes.count == 1, splits == 0, !isUnsettled,
                entries.count == confirmed.count, entries.allSatisfy({ $0.put == nil || $0.delete == nil })
            else { return nil }
            return ConnectionCache.KnownPush(
                number: push.number, transactions: push.changeGroups, confirmed: confirmed, hashes: hashes)
        }
    }

    /// Values that have been read of records whose rows have not changed since.
    struct Known {
        let rows: RowStore
        /// The encoded visible content of some of these records.
        let contents: [RecordKey: [UInt8]]
    }

    /// Seals entries into pushes.
    ///
    /// - Parameters:
    ///   - entries: All pending entries.
    ///   - nameless: The handling of entries that name nothing. All are found before anything is refused: a refusal stays, and
    ///     the delete of a record that it has reverted may name nothing either.
    ///   - known: Values that need not be read again.
    /// - Returns: `nil` where an entry has to be checked first (``Nameless``). Nothing was sealed then.
    func seal(_ entries: [Outbox.Entry], _ nameless: Nameless, _ known: Known? = nil) throws -> Result? {
        var rows = try known?.rows ?? RowStore(database, layout)
        if rows.occupancy.hasMasks {
            if nameless == .left { return nil }
            try checkStoredReferences()
        }
        var nameless = nameless
        var transactions: [[Change]] = []
        var result = Result()
        var clock = HybridTimestamp(time: 0, replica: replica).time
        var sealed = 0
        var isFull = false
        let groups = groups(entries)
        for (place, var group) in groups.enumerated() {
            isFull = isFull || (sealed > 0 && sealed + group.count > limits.changesPerSealing)
            guard !isFull else {
                // Changes left for the next sealing are later than those that are sealed now.
                for entry in group {
                    _ = try finalTimes(of: entry, after: &clock, stamps.confirmed(entry.key), &result)
                }
                continue
            }
            var contents = try contents(of: group, rows, nameless, known)
            if nameless != .taken, try hasNameless(group, contents, rows) { return nil }
            let bad = try unsendable(group, contents, rows)
            if !bad.isEmpty || isContentGone(group, contents) {
                if nameless == .left { return nil }
                if nameless == .lookedInto, try hasNameless(groups[(place + 1)...], rows) { return nil }
                nameless = .taken
            }
            if !bad.isEmpty {
                try refuse(&group, &contents, bad, &result)
                rows = try RowStore(database, layout)
            }
            if isContentGone(group, contents) {
                let damaged = DamagedTransaction(database: database, layout: layout, replica: replica, now: now)
                try damaged.refuse(group, contents, &result.damage)
                // The refusal may have moved rows, so the store is stale.
                rows = try RowStore(database, layout)
                continue
            }
            let changes = try changes(of: group, contents, clock: &clock, &result)
            sealed += changes.count
            transactions.append(changes)
        }
        try outbox.setStamps(result.restamped, of: nameless == .left ? nil : entries.count)
        for key in result.unsettled { try outbox.unsettle(key) }
        // Later writes of other programs belong to another transaction.
        try StateStore(database: database).endSealing(at: clock)
        try pack(transactions, &result)
        return result
    }

    /// Packs transactions into the pushes of a result.
    private func pack(_ transactions: [[Change]], _ result: inout Result) throws {
        // The handling of damage may have discarded the checkpoint.
        let checkpoint = result.isUnsettled ? try StateStore(database: database).bytes(.checkpoint) : checkpoint
        var packer = PushPacker(from: lastNumber + 1, checkpoint, limits)
        for transaction in transactions {
            packer.beginTransaction(transaction.count)
            for change in transaction { packer.add(change) }
            packer.endTransaction()
        }
        packer.finish()
        result.pushes = packer.flush()
        result.splits = packer.splits
    }

    /// Returns the reasons for entries whose content no server or replica accepts, by their indexes in the group.
    private func unsendable(
        _ group: [Outbox.Entry], _ contents: [[UInt8]?], _ rows: RowStore
    ) throws -> [Int: String] {
        var bad: [Int: String] = [:]
        for (index, content) in contents.enumerated() {
            guard let content else { continue }
            bad[index] = rows.refusal(of: group[index].key, content, bytesMax: limits.bytesPerPut)
        }
        return bad
    }

    /// Journals content that cannot be sent, and reverts its records. All that a transaction of the library wrote together with
    /// it is refused, too. Changes of other programs are sent, because nothing tells which of them belong together.
    ///
    /// A delete after such content is sent, and so is all that its transaction wrote, unless that is refused for
    /// another record.
    private func refuse(
        _ group: inout [Outbox.Entry], _ contents: inout [[UInt8]?], _ bad: [Int: String], _ result: inout Result
    ) throws {
        var acknowledgement = try Acknowledgement(database, layout, now: now)
        let isDeleted = try group.indices.map { try bad[$0] != nil && isDeletedAfterwards(group[$0]) }
        let transactions = bad.keys.reduce(into: Set<Int64>()) { transactions, index in
            let entry = group[index]
            transactions.formUnion(entry.libraryTransactions.filter { !isDeleted[index] || $0 != entry.last })
        }
        var isRefused = group.indices.map { index in
            bad[index] != nil || !transactions.isDisjoint(with: group[index].libraryTransactions)
        }
        let isStillDeleted = group.indices.map { isDeleted[$0] && !transactions.contains(group[$0].last) }
        for (index, entry) in group.enumerated() where isRefused[index] {
            let reason =
                (bad[index] ?? "It was written together with a change that cannot be sent.")
                + (try UserColumns(of: entry.key, layout, database).sentence)
            for (slot, time) in entry.slots where slot == .put || !isStillDeleted[index] {
                try acknowledgement.revert(
                    entry.key, slot, stamp: HybridTimestamp(time: time, replica: replica),
                    put: slot == .put ? contents[index] : nil, as: .refused, reason: reason)
            }
            result.refused += 1
        }
        try acknowledgement.finish(current: [])
        // Reverting may have erased the confirmed slots, so the decision from before applies.
        for index in group.indices where isStillDeleted[index] {
            group[index].put = nil
            contents[index] = nil
            isRefused[index] = false
        }
        let kept = group.indices.filter { !isRefused[$0] }
        (group, contents) = (kept.map { group[$0] }, kept.map { contents[$0] })
    }

    /// Whether a record that the server has was deleted after it was edited. The delete can be sent whatever the edit was.
    private func isDeletedAfterwards(_ entry: Outbox.Entry) throws -> Bool {
        guard let put = entry.put, let delete = entry.delete, put < delete else { return false }
        return try stamps.confirmed(entry.key).put != nil
    }

    /// Groups the records whose local transactions overlap (decision 3). The writes of one transaction arrive as a whole, even
    /// where a later one has written some of its records again.
    private func groups(_ entries: [Outbox.Entry]) -> [[Outbox.Entry]] {
        var groups: [(last: Int64, entries: [Outbox.Entry])] = []
        for entry in entries {
            while groups.count > 1, groups[groups.count - 2].last >= entry.first {
                let last = groups.removeLast()
                groups[groups.count - 1].entries += last.entries
            }
            if groups.last.map({ $0.last >= entry.first }) ?? false {
                groups[groups.count - 1].entries.append(entry)
                groups[groups.count - 1].last = entry.last
            } else {
                groups.append((last: entry.last, entries: [entry]))
            }
        }
        return groups.map(\.entries)
    }

    private static var stampsEqualContent: Bool {
        #if ROOST_SEEDED_BUGS
            return SeededBug.equalContentStamps.isOn
        #else
            return false
        #endif
    }

    func changes(
        of group: [Outbox.Entry], _ contents: [[UInt8]?], clock: inout UInt64, _ result: inout Result
    ) throws -> [Change] {
        var changes: [Change] = []
        changes.reserveCapacity(group.count)
        for (entry, content) in zip(group, contents) {
            let confirmed = try stamps.confirmed(entry.key)
            let hash = confirmed.put == nil ? nil : content.map { ContentHash(of: $0) }
            if confirmed.own == .put, let hash, hash == confirmed.put?.hash, entry.isUnchanged, !Self.stampsEqualContent
            {
                // The write changed nothing, and its stamp would win over an edit made elsewhere.
                try outbox.forget(entry.key)
                continue
            }
            var entry = entry
            if confirmed.own == .put, let hash, hash == confirmed.put?.hash, let put = entry.put,
                let delete = entry.delete,
                put < delete
            {
                // The put before the delete changed nothing.
                try outbox.forget(entry.key, .put, stamp: UInt64(clamping: put))
                entry.put = nil
            }
            for (slot, time) in try finalTimes(of: entry, after: &clock, confirmed, &result) {
                let stamp = HybridTimestamp(time: time, replica: replica)
                switch slot {
                case .put:
                    let base = entry.base.map { $0 == Outbox.noBase ? nil : $0 } ?? confirmed.put?.stamp
                    changes.append(Change(key: entry.key, stamp: stamp, kind: .put(content ?? [], base: base)))
                case .delete: changes.append(Change(key: entry.key, stamp: stamp, kind: .delete))
                }
                result.confirmed.append(confirmed)
                result.hashes.append(slot == .put ? hash : nil)
            }
        }
        return changes
    }

    /// Returns the final times of an entry's changes. Each is later than the one before, whatever the clock said.
    func finalTimes(
        of entry: Outbox.Entry, after clock: inout UInt64, _ confirmed: @autoclosure () throws -> SlotStamps,
        _ result: inout Result
    ) throws -> [(slot: Outbox.Slot, time: UInt64)] {
        var slots = entry.slots
        var final = (put: entry.put, delete: entry.delete)
        for index in slots.indices {
            clock = max(slots[index].time, clock + 1)
            slots[index].time = clock
            switch slots[index].slot {
            case .put: final.put = Int64(clamping: clock)
            case .delete: final.delete = Int64(clamping: clock)
            }
        }
        guard final != (entry.put, entry.delete) else { return slots }
        result.restamped.append((entry.key, final.put, final.delete))
        // The greater stamp may win over a confirmed one that the smaller lost to, or move the cut of a cycle.
        let confirmed = try confirmed()
        let isInTree = layout.rules.treeEntities.contains(entry.key.entity)
        let before = stamps.own(confirmed, entry.put, entry.delete)
        if isInTree || stamps.own(confirmed, final.put, final.delete) != before { result.unsettled.append(entry.key) }
        return slots
    }

    /// Checks the table of stored masked references: a reference that the table has lost would be sent as nil (decision 57).
    func checkStoredReferences() throws {
        guard let fault = try OutboxCheck(database: database).fault(in: "roost_raw") else { return }
        throw ReplicaError(
            .corrupt,
            "Cannot send what waits: the table of references that are not shown is damaged (\(fault)). Nothing was sent. Keep the "
                + "file, and join the scope again with a new one.")
    }

    private func hasNameless(_ group: [Outbox.Entry], _ contents: [[UInt8]?], _ rows: RowStore) throws -> Bool {
        let nameless = NamelessEntries(rows: rows, stamps: stamps)
        return try zip(group, contents).contains { entry, content in
            try content == nil && nameless.contains(entry.key)
        }
    }

    /// Whether any entry of some groups names nothing.
    private func hasNameless(_ groups: ArraySlice<[Outbox.Entry]>, _ rows: RowStore) throws -> Bool {
        try groups.contains { try hasNameless($0, contents(of: $0, rows, .lookedInto, nil), rows) }
    }

    /// Whether the content of a pending put is not in the file any more.
    private func isContentGone(_ group: [Outbox.Entry], _ contents: [[UInt8]?]) -> Bool {
        zip(group, contents).contains { $0.put != nil && $1 == nil }
    }

    /// Returns the content of each entry's pending put; `nil` where there is none, or where the file does not hold it any more.
    private func contents(
        of group: [Outbox.Entry], _ rows: RowStore, _ nameless: Nameless, _ known: Known?
    ) throws -> [[UInt8]?] {
        var reindexed: Set<EntityID> = []
        return try group.map { entry in
            guard entry.put != nil else { return nil }
            if let content = known?.contents[entry.key] { return content }
            return nameless == .left
                ? try rows.encodedPut(of: entry.key) : try content(of: entry.key, rows, &reindexed)
        }
    }

    /// Reads the content of a pending put. A corrupt index hides intact rows, so it is rebuilt from them, once per entity.
    private func content(
        of key: RecordKey, _ rows: RowStore, _ reindexed: inout Set<EntityID>
    ) throws -> [UInt8]? {
        if let encoded = try contentOfRow(key, rows) { return encoded }
        guard let table = layout[key.entity], reindexed.insert(key.entity).inserted else { return nil }
        try database.executeEach("REINDEX \(table.visible)", "REINDEX \(table.hidden)")
        return try contentOfRow(key, rows)
    }

    /// Reads the content of a row. If the content stored alongside it is corrupt, the row is sent without it: no other change has
    /// to wait for a record that nobody can repair.
    private func contentOfRow(_ key: RecordKey, _ rows: RowStore) throws -> [UInt8]? {
        do {
            return try rows.encodedPut(of: key)
        } catch is ContentError {
            guard let table = layout[key.entity] else { return nil }
            try rows.write(extra: nil, of: key)
            try Journal(database: database, now: now).event(
                "damage",
                "Values of \(table.name) \(key.id) that the schema does not know were corrupt and are gone. The row is sent without them."
            )
            return try rows.encodedPut(of: key)
        }
    }
}

extension Change {
    /// The bytes of the encoded change: its content, and about 64 for the rest.
    var estimatedBytes: Int {
        if case .put(let encoded, _) = kind { encoded.count + 64 } else { 64 }
    }
}
