internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Applies the reply to a push to the replica, inside one transaction.
struct Acknowledgement {
    private let database: Database
    private let layout: Layout
    private let journal: Journal
    private let stamps: EffectiveStamps
    private let outbox: Outbox
    /// The digest of all confirmed slots, including the changes that the server has accepted.
    private(set) var digest: ScopeDigest
    private var refused: [RecordKey: Reversal.Refused] = [:]
    /// Content to be shown again, of records whose put had left the outbox while it was in flight.
    private var shownAgain: [RecordKey: [UInt8]] = [:]
    /// Records whose delete had left the outbox while it was in flight.
    private var deletedAgain: Set<RecordKey> = []
    /// The reason of the running full resynchronisation; `nil` if none runs.
    private let resyncReason: PullAnewReason?
    private var isPullingAnew: Bool { resyncReason != nil }
    /// Whether `roost_pulled` keeps the server's state of some records alongside the confirmed slots.
    private let hasServerStates: Bool
    /// The cached confirmed slots of the changes that are still to be confirmed; empty where they are not cached.
    private var known: ArraySlice<(confirmed: SlotStamps, hash: ContentHash?)> = []
    /// Whether all changes of the push have been removed from the outbox.
    private var isForgotten = false
    private var isAnyMissing: Bool?
    /// The number of changes that the server says are beaten, and of which the journal had no entry.
    private var beatenCount = 0

    init(_ database: Database, _ layout: Layout, now: Int64) throws {
        try self.init(database, layout, ControlRow(database), now: now)
    }

    init(_ database: Database, _ layout: Layout, _ control: ControlRow, now: Int64) throws {
        self.database = database
        self.layout = layout
        resyncReason = control.pullingAnew
        hasServerStates = try !database.isEmpty("roost_pulled")
        journal = Journal(database: database, now: now)
        outbox = Outbox(database: database)
        stamps = EffectiveStamps(database: database, replica: control.replica)
        digest = control.digest
    }

    /// Uses what sealing has cached of the push. Must be called first, and only if all transactions of the push are accepted.
    mutating func know(_ push: ConnectionCache.KnownPush) throws {
        #if DEBUG
            let read = try push.transactions.joined().map { try stamps.confirmed($0.key) }
            assert(read == push.confirmed, "What is known of a sealed push is not so.")
        #endif
        known = zip(push.confirmed, push.hashes).map { (confirmed: $0, hash: $1) }[...]
        isForgotten = try outbox.forgetAll(push.confirmed.count)
    }

    /// Confirms changes that the server has accepted.
    mutating func accept(
        _ changes: [Change], beaten: [Int: HybridTimestamp], replaced: [Int: HybridTimestamp]
    ) throws {
        for (index, change) in changes.enumerated() {
            try recordForServerStates(change)
            let (before, after) = try confirm(change)
            #if ROOST_SEEDED_BUGS
                if SeededBug.acknowledgeByRecord.isOn { try outbox.forget(change.key, change.slot) }
            #endif
            let forgotten =
                isForgotten ? .entry : try outbox.forget(change.key, change.slot, stamp: change.stamp.time)
            // A later put had beaten this one and was purged before this one arrived, or another program has dropped the table.
            if try forgotten == .nothing || isPullingAnew || !isForgotten && hasMissing(),
                case .put(let encoded, _) = change.kind, try stamps.pending(change.key).put == nil,
                try forgotten == .nothing ? after.put != before.put : isMissing(encoded, change, after)
            {
                shownAgain[change.key] = encoded
            }
            // A later delete had beaten this one and was purged, so the record may be shown.
            if forgotten == .nothing, change.slot == .delete, after.delete != before.delete {
                deletedAgain.insert(change.key)
            }
            // The record was written again meanwhile, from this put.
            if change.slot == .put, forgotten != .entry { try outbox.setStored(change.stamp, of: change.key) }
            if let winner = beaten[index] {
                // A page may have recorded it before the reply.
                let isNew = try journal.record(
                    .beaten, change.key, stamp: change.stamp, put: change.encodedPut, by: winner,
                    reason: "A later change from another device stands.")
                if isNew { beatenCount += 1 }
            }
            if let loser = replaced[index] {
                try journal.event(
                    "replaced",
                    "The edit of \(change.key) replaced one from \(loser.replica) that it had not seen."
                )
            }
        }
    }

    /// Whether a table was dropped, and a full resynchronisation has not brought back rows whose changes were in flight.
    private mutating func hasMissing() throws -> Bool {
        if let isAnyMissing { return isAnyMissing }
        let isAny = try !database.isEmpty("roost_missing")
        isAnyMissing = isAny
        return isAny
    }

    /// Whether a put is the confirmed one of its record, and the record has no row. A page may have confirmed it before the reply.
    private func isMissing(_ encoded: [UInt8], _ change: Change, _ confirmed: SlotStamps) throws -> Bool {
        let rows = try RowStore(database, layout)
        guard try rows.place(of: change.key) == .nowhere, try !rows.isUnfit(change.key) else { return false }
        return confirmed.put == SlotStamps.PutStamp(stamp: change.stamp, hash: ContentHash(of: encoded))
    }

    /// Joins a change into the confirmed slots of its record.
    private mutating func confirm(_ change: Change) throws -> (before: SlotStamps, after: SlotStamps) {
        let known = known.popFirst()
        var own = SlotStamps()
        switch change.kind {
        case .put(let encoded, _):
            own.put = .init(stamp: change.stamp, hash: known?.hash ?? ContentHash(of: encoded))
        case .delete: own.delete = change.stamp
        }
        let before: SlotStamps
        var after: SlotStamps
        if let confirmed = known?.confirmed, confirmed != SlotStamps() {
            (before, after) = (confirmed, confirmed)
            if let put = own.put { _ = SlotMerge.merge(put, into: &after) }
            if let delete = own.delete { _ = SlotMerge.merge(delete: delete, into: &after) }
            if after != before { try stamps.replaceConfirmed(before, with: after, of: change.key) }
        } else {
            (before, after) = try stamps.joinConfirmed(own, of: change.key)
        }
        if after != before { digest.replace(before, with: after, of: change.key) }
        return (before, after)
    }

    /// Journals changes that the server did not store, and reverts their records.
    mutating func refuse(_ changes: [Change], reason: String) throws {
        for change in changes {
            try revert(
                change.key, change.slot, stamp: change.stamp, put: change.encodedPut, as: .refused, reason: reason)
        }
    }

    /// Journals one change that the server will not store, and reverts its record.
    mutating func revert(
        _ key: RecordKey, _ slot: Outbox.Slot, stamp: HybridTimestamp, put: [UInt8]?, as outcome: JournalEntry.Outcome,
        by: HybridTimestamp? = nil, reason: String
    ) throws {
        let pending = try stamps.pending(key)
        if slot == .put, pending.put?.time == stamp.time { try recordUntracked(over: put, of: key, stamp) }
        try outbox.forget(key, slot, stamp: stamp.time)
        try journal.record(outcome, key, stamp: stamp, put: put, by: by, reason: reason)
        // A change that a page has beaten meanwhile is not shown any more. The page is later than the reply, which may belong to
        // an earlier attempt.
        guard (slot == .put ? pending.put : pending.delete) != nil else { return }
        refused[key, default: Reversal.Refused()].isEdited =
            slot == .put || refused[key]?.isEdited == true
    }

    /// Journals content that another program has written past the triggers over a change in flight, because reverting the change
    /// erases that content.
    private func recordUntracked(over put: [UInt8]?, of key: RecordKey, _ stamp: HybridTimestamp) throws {
        let rows = try RowStore(database, layout)
        guard let put, let held = try rows.readablePut(of: key), held != put, try !rows.isIrregular(key) else { return }
        try journal.recordUntracked(
            held, of: key, over: stamp.time, outcome: "The change that it was written over was not stored.")
    }

    /// Refuses edits of records that the server has purged, and resends the other changes of their transaction without them.
    ///
    /// The server refused the transaction because of these edits. All that other programs write between two transactions of
    /// Roost's own is one transaction (decision 3), and a create must not be lost with an unrelated edit.
    ///
    /// - Parameters:
    ///   - index: The index of the change that the server names as such an edit; `nil` if it names none.
    ///   - current: The server's slots of the records of the transaction.
    ///   - isWhole: Whether a record that is not in `current` is not on the server. `false` where the reply had no room for all
    ///     records.
    mutating func refuseGone(
        _ changes: [Change], at index: Int?, reason: String, current: [RecordState], isWhole: Bool
    ) throws {
        let known = Set(current.map(\.key))
        let edits = changes.enumerated().filter { place, change in
            guard case .put(_, base: .some) = change.kind, isWhole || index == nil || place == index else {
                return false
            }
            return !known.contains(change.key)
        }.map(\.element)
        guard !edits.isEmpty else { return try refuse(changes, reason: reason) }
        // Content that a page has brought since the edit was made is not gone: the reply may belong to an earlier attempt.
        let gone = try edits.filter { try stamps.confirmed($0.key).put?.stamp == $0.base }
        try refuse(edits, reason: reason)
        for edit in gone { refused[edit.key]?.isGone = true }
        let state = StateStore(database: database)
        var clock = try state.hybridClock
        let sent = Set(changes.map(\.stamp))
        let refused = Set(edits.map(\.stamp))
        let again = try changes.filter { !refused.contains($0.stamp) }.map { ($0, try stamps.pending($0.key)) }
        for (change, pending) in again {
            if let delete = try laterDelete(than: change) {
                try revert(
                    change.key, .put, stamp: change.stamp, put: change.encodedPut, as: .beaten, by: delete,
                    reason: "A later delete from another device stands.")
                continue
            }
            // The new stamp is later than all that the server has stored of this replica meanwhile.
            try sendAgain(change, pending, sent, &clock)
        }
        try state.receive(clock.last)
    }

    /// Refuses only the change that the server names, and resends the others without it. This applies to transactions that other
    /// programs wrote, because nothing tells which of their changes belong together.
    ///
    /// - Parameter index: The index of the change that the server names.
    /// - Returns: Whether this applies and is done; otherwise nothing has changed.
    mutating func refuseAlone(_ changes: [Change], at index: Int, reason: String) throws -> Bool {
        guard changes.count > 1, changes.indices.contains(index),
            try changes.allSatisfy({ try !outbox.isOfLibrary($0.key) })
        else { return false }
        let pendings = try changes.map { try stamps.pending($0.key) }
        try refuse([changes[index]], reason: reason)
        let state = StateStore(database: database)
        var clock = try state.hybridClock
        let sent = Set(changes.map(\.stamp))
        for (place, change) in changes.enumerated() where place != index {
            try sendAgain(change, pendings[place], sent, &clock)
        }
        try state.receive(clock.last)
        return true
    }

    /// Returns the confirmed delete of a put's record, if it is later than the put and wins. With a new stamp, the put would undo
    /// it.
    private func laterDelete(than change: Change) throws -> HybridTimestamp? {
        guard change.slot == .put else { return nil }
        let confirmed = try stamps.confirmed(change.key)
        guard let delete = confirmed.delete, delete > change.stamp, confirmed.own != .put else { return nil }
        return delete
    }

    /// Gives a change a new stamp, and a later one to the other change of its record, if that was written since. Each is the
    /// least possible stamp, because the changes were made at their time and not now.
    ///
    /// - Parameter pending: The record's pending changes before any stamp was given.
    private func sendAgain(
        _ change: Change, _ pending: EffectiveStamps.Pending, _ sent: Set<HybridTimestamp>, _ clock: inout HybridClock
    ) throws {
        let (held, other) = change.slot == .put ? (pending.put, pending.delete) : (pending.delete, pending.put)
        guard held == change.stamp else { return }
        try outbox.restamp(change.key, change.slot, change.stamp.time, as: clock.tick(wall: 0))
        if let other, other > change.stamp, !sent.contains(other) {
            let slot: Outbox.Slot = change.slot == .put ? .delete : .put
            try outbox.restamp(change.key, slot, other.time, as: clock.tick(wall: 0))
        }
        // A later put may be the one at which a cycle is cut.
        if layout.rules.treeEntities.contains(change.key.entity) { try outbox.unsettle(change.key) }
    }

    /// Whether all outcomes so far leave the rows as they are.
    var revertsNothing: Bool { refused.isEmpty && shownAgain.isEmpty && deletedAgain.isEmpty }

    /// Reverts refused records to the server's slots, and derives what follows.
    ///
    /// - Parameters:
    ///   - current: The server's slots of refused records. A record without an entry has no slots there.
    ///   - values: Further values to set.
    ///   - offset: The offset of the server's clock that came with the reply, in milliseconds.
    /// - Returns: The number of changes of this device that were found to be beaten.
    @discardableResult
    mutating func finish(
        current: [RecordState], setting values: [(name: StateStore.Name, value: Value)] = [], offset: Int64? = nil
    ) throws -> Int {
        guard !revertsNothing else {
            try StateStore(database: database).set(values + [(.digest, .data(digest.bytes))], offset: offset)
            return beatenCount
        }
        var reversal = try Reversal(database, layout, digest: digest, now: journal.now)
        let states = Dictionary(current.map { ($0.key, $0) }) { first, _ in first }
        for (key, encoded) in shownAgain.sorted(by: { $0.key < $1.key }) { try reversal.show(encoded, of: key) }
        for key in deletedAgain.sorted() { try reversal.derive(key) }
        for (key, refused) in refused.sorted(by: { $0.key < $1.key }) {
            try reversal.revert(key, to: states[key], refused)
        }
        return try beatenCount + reversal.finish(setting: values, offset: offset)
    }

    /// Returns the confirmed slots of a record while a full resynchronisation runs. The server omits the record from its pages if
    /// the push was sealed before, because the checkpoint of the push says that this replica has the slots. Corrupt content is
    /// left out, so that the digest differs.
    private func confirmedState(of key: RecordKey) throws -> RecordState {
        let confirmed = try stamps.confirmed(key)
        var state = RecordState(key: key, delete: confirmed.delete)
        if let put = confirmed.put, let encoded = try RowStore(database, layout).readablePut(of: key),
            ContentHash(of: encoded) == put.hash
        {
            state.put = .init(stamp: put.stamp, base: nil, encoded: encoded)
        }
        return state
    }

    /// Joins an accepted change into the stored server states: the pages of a running full resynchronisation do not bring it
    /// again.
    ///
    /// The other slot of its record is joined as it is confirmed here, unless a page has brought the record. A wrong
    /// slot lasts until the next full resynchronisation, which the digest starts. A missing slot would last as long,
    /// and its content would be erased.
    private func recordForServerStates(_ change: Change) throws {
        let pulled = ServerCopy(database: database)
        if let resyncReason {
            let isBrought = try pulled.state(of: change.key) != nil
            try pulled.join(change.state)
            if !isBrought, mayOmit(resyncReason) { try pulled.join(confirmedState(of: change.key)) }
        } else if hasServerStates {
            try pulled.joinIfThere(change.state)
        }
    }

    /// Whether the server may omit the record of a push that was sealed before a full resynchronisation. It takes the
    /// checkpoint of the push for no proof if the history has changed, or if this replica was away for too long
    /// (protocol.md §7.3).
    private func mayOmit(_ reason: PullAnewReason) -> Bool {
        switch reason {
        case .differs, .damaged, .refused: true
        case .historyChanged, .expired: false
        }
    }
}
