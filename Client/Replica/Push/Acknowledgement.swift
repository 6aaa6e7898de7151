internal import GRDB
internal import RoostMerge
internal import RoostModel

/// Takes the reply to a push into the replica, inside one transaction.
struct Acknowledgement {
    private let database: Database
    private let layout: Layout
    private let journal: Journal
    private let stamps: EffectiveStamps
    private let outbox: Outbox
    /// That of all confirmed slots, with what the server has taken.
    private(set) var digest: ScopeDigest
    private var refused: [RecordKey: Reversal.Refused] = [:]
    /// What is shown again of records whose put had left the outbox while it was under way.
    private var shownAgain: [RecordKey: [UInt8]] = [:]
    /// Records whose delete had left the outbox while it was under way.
    private var deletedAgain: Set<RecordKey> = []
    /// Why a full resynchronisation runs; `nil` if none does.
    private let resyncReason: PullAnewReason?
    private var isPullingAnew: Bool { resyncReason != nil }
    /// Whether the server's state of some records is looked after beside the confirmed slots.
    private let hasServerStates: Bool
    /// The confirmed slots of the changes that are still to come, if they are known.
    private var known: ArraySlice<(confirmed: SlotStamps, hash: ContentHash?)> = []
    /// Whether all of them have been taken out of the outbox.
    private var isForgotten = false
    private var isAnyMissing: Bool?

    /// The values that ``init(_:_:_:now:)`` needs.
    static let stateNames: [StateStore.Name] = [.replica, .pullingAnew, .damaged, .digest]
    private static let state = StateSnapshot.Names(stateNames)

    init(_ database: Database, _ layout: Layout, now: Int64) throws {
        try self.init(database, layout, StateSnapshot(Self.state, in: database), now: now)
    }

    /// - Parameter state: With the values of ``stateNames``.
    init(_ database: Database, _ layout: Layout, _ state: StateSnapshot, now: Int64) throws {
        self.database = database
        self.layout = layout
        resyncReason = try state.pullingAnew
        hasServerStates = try !database.isEmpty("roost_pulled")
        journal = Journal(database: database, now: now)
        outbox = Outbox(database: database)
        stamps = EffectiveStamps(database: database, replica: try state.replica)
        digest = try state.digest
    }

    /// To be told before anything else what sealing has read of the push, all of whose transactions are accepted.
    mutating func know(_ push: ConnectionCache.KnownPush) throws {
        #if DEBUG
            let read = try push.transactions.joined().map { try stamps.confirmed($0.key) }
            assert(read == push.confirmed, "What is known of a sealed push is not so.")
        #endif
        known = zip(push.confirmed, push.hashes).map { (confirmed: $0, hash: $1) }[...]
        isForgotten = try outbox.forgetAll(push.confirmed.count)
    }

    /// The changes are the server's now.
    mutating func accept(
        _ changes: [Change], beaten: [Int: HybridTimestamp], replaced: [Int: HybridTimestamp]
    ) throws {
        for (index, change) in changes.enumerated() {
            try noteForServerStates(change)
            let (before, after) = try confirm(change)
            #if ROOST_SEEDED_BUGS
                if SeededBug.acknowledgeByRecord.isOn { try outbox.forget(change.key, change.slot) }
            #endif
            let forgotten =
                isForgotten ? .entry : try outbox.forget(change.key, change.slot, stamp: change.stamp.time)
            // A later put had beaten it, and that one was purged before this one arrived; or another program has dropped its table.
            if try forgotten == .nothing || isPullingAnew || !isForgotten && hasMissing(),
                case .put(let encoded, _) = change.kind, after.put != before.put,
                try stamps.pending(change.key).put == nil,
                try forgotten == .nothing || isMissing(change.key)
            {
                shownAgain[change.key] = encoded
            }
            // A later delete had beaten it, and that one was purged: the record may be shown.
            if forgotten == .nothing, change.slot == .delete, after.delete != before.delete {
                deletedAgain.insert(change.key)
            }
            // Written again meanwhile: that content was made from this one.
            if change.slot == .put, forgotten != .entry { try outbox.setStored(change.stamp, of: change.key) }
            if let winner = beaten[index] {
                try journal.record(
                    .beaten, change.key, stamp: change.stamp, put: change.encodedPut, by: winner,
                    reason: "A later change from another device stands.")
            }
            if let loser = replaced[index] {
                try journal.event(
                    "replaced",
                    "The edit of \(change.key) replaced one from \(loser.replica) that it had not seen."
                )
            }
        }
    }

    /// Whether a table was dropped, and pulling everything has not brought back rows whose changes were under way.
    private mutating func hasMissing() throws -> Bool {
        if let isAnyMissing { return isAnyMissing }
        let isAny = try !database.isEmpty("roost_missing")
        isAnyMissing = isAny
        return isAny
    }

    private func isMissing(_ key: RecordKey) throws -> Bool {
        let rows = try RowStore(database, layout)
        return try rows.place(of: key) == .nowhere && !rows.isUnfit(key)
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

    /// The server did not store the changes: they go to the journal, and the records back to what they were.
    mutating func refuse(_ changes: [Change], reason: String) throws {
        for change in changes {
            try takeBack(
                change.key, change.slot, stamp: change.stamp, put: change.encodedPut, as: .refused, reason: reason)
        }
    }

    /// One change will not be the server's: it goes to the journal, and its record back to what it was.
    mutating func takeBack(
        _ key: RecordKey, _ slot: Outbox.Slot, stamp: HybridTimestamp, put: [UInt8]?, as outcome: JournalEntry.Outcome,
        by: HybridTimestamp? = nil, reason: String
    ) throws {
        let pending = try stamps.pending(key)
        if slot == .put, pending.put?.time == stamp.time { try recordUntracked(over: put, of: key, stamp) }
        try outbox.forget(key, slot, stamp: stamp.time)
        try journal.record(outcome, key, stamp: stamp, put: put, by: by, reason: reason)
        // What a page has beaten meanwhile is not shown any more: the page is later than what the reply says, which may be
        // that of an earlier attempt.
        guard (slot == .put ? pending.put : pending.delete) != nil else { return }
        refused[key, default: Reversal.Refused()].isEdited =
            slot == .put || refused[key]?.isEdited == true
    }

    /// Journals content that another program has written past the triggers over a change in flight: reverting the change erases it.
    private func recordUntracked(over put: [UInt8]?, of key: RecordKey, _ stamp: HybridTimestamp) throws {
        let rows = try RowStore(database, layout)
        guard let put, let held = try rows.readablePut(of: key), held != put, try !rows.isIrregular(key) else { return }
        try journal.recordUntracked(
            held, of: key, over: stamp.time, outcome: "The change that it was written over was not stored.")
    }

    /// The server did not store the changes because some are edits of records that it has purged: those go to the journal, the
    /// others are sent again without them. What several programs write between two looks is one transaction (decision 3), and
    /// a create must not go with an edit that it has nothing to do with.
    ///
    /// - Parameters:
    ///   - index: The change of which the server says that it is such an edit; `nil` if it does not say which.
    ///   - current: The server's slots of the records that the transaction names.
    ///   - isWhole: Whether a record that is not in `current` is not on the server: not so where the reply had no room.
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
        // Not what a page has brought since the edit was made: the reply may be that of an earlier attempt.
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
                try takeBack(
                    change.key, .put, stamp: change.stamp, put: change.encodedPut, as: .beaten, by: delete,
                    reason: "A later delete from another device stands.")
                continue
            }
            // Later than what the server has stored of this replica meanwhile.
            try sendAgain(change, pending, sent, &clock)
        }
        try state.receive(clock.last)
    }

    /// The server did not store the changes because of one of them, and other programs wrote them: nobody knows which of them belong
    /// together, and so the others are sent again without it.
    ///
    /// - Parameter index: The place of the change that the server names.
    /// - Returns: Whether that was so, and is done.
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

    /// What has deleted a put's record since it was written: with a new stamp, the put would bring it back.
    private func laterDelete(than change: Change) throws -> HybridTimestamp? {
        guard change.slot == .put else { return nil }
        let confirmed = try stamps.confirmed(change.key)
        guard let delete = confirmed.delete, delete > change.stamp, confirmed.own != .put else { return nil }
        return delete
    }

    /// Gives a change a new stamp, and what was written to its record since a later one. They are as little later as they can be: the
    /// changes were made when they were, and not now.
    ///
    /// - Parameter pending: What waited before any stamp was given.
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
        // A later put may be where a cycle is cut.
        if layout.rules.treeEntities.contains(change.key.entity) { try outbox.unsettle(change.key) }
    }

    /// Whether all that was taken in so far leaves the rows as they are.
    var takesNothingBack: Bool { refused.isEmpty && shownAgain.isEmpty && deletedAgain.isEmpty }

    /// Takes refused records back to the server's slots, and derives what follows.
    ///
    /// - Parameters:
    ///   - current: The server's slots of refused records; one that is missing here has none.
    ///   - values: What else is to be set.
    ///   - offset: What the clock has learned, in milliseconds.
    /// - Returns: How many changes of this device these slots were found to beat.
    @discardableResult
    mutating func finish(
        current: [RecordState], setting values: [(name: StateStore.Name, value: Value)] = [], offset: Int64? = nil
    ) throws -> Int {
        guard !takesNothingBack else {
            try StateStore(database: database).set(values + [(.digest, .bytes(digest.bytes))], offset: offset)
            return 0
        }
        var reversal = try Reversal(database, layout, digest: digest, now: journal.now)
        let states = Dictionary(current.map { ($0.key, $0) }) { first, _ in first }
        for (key, encoded) in shownAgain.sorted(by: { $0.key < $1.key }) { try reversal.show(encoded, of: key) }
        for key in deletedAgain.sorted() { try reversal.derive(key) }
        for (key, refused) in refused.sorted(by: { $0.key < $1.key }) {
            try reversal.takeBack(key, to: states[key], refused)
        }
        return try reversal.finish(setting: values, offset: offset)
    }

    /// The confirmed slots of a record while a full resynchronisation runs. The server omits the record from its pages if the push was sealed
    /// before: the checkpoint of the push says that this replica has them. Corrupt content is left out, and the digest differs.
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

    /// What the server took in from here while everything is pulled anew is not in a page again.
    private func noteForServerStates(_ change: Change) throws {
        let pulled = PulledAnew(database: database)
        if let resyncReason {
            try pulled.join(change.state)
            if resyncReason == .damaged { try pulled.join(confirmedState(of: change.key)) }
        } else if hasServerStates {
            try pulled.joinIfThere(change.state)
        }
    }
}
