internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// A merge of one transaction's changes into their records, in memory, so that the transaction can still be refused as a
/// whole.
struct TransactionMerge {
    /// A record before and after the merge.
    struct Merged {
        /// Facts about the stored record; `nil` if there is none.
        let stored: Stored?
        /// The sequence at which the record was purged, if its identifier is still kept; 0 if not.
        let purged: UInt64
        let before: SlotStamps
        var stamps: SlotStamps
        var state: RecordState

        var isChanged: Bool { stamps != before }

        /// Facts about a stored record that its state does not contain.
        struct Stored {
            let sequence: UInt64
            let author: ReplicaID
            let bytes: Int
        }
    }

    /// A change whose stamp already identifies another content: two replicas share an identity.
    struct Collision {
        let key: RecordKey
        let stamp: HybridTimestamp
    }

    /// The outcome of a change, and the stamp of the concurrent change that its author had not seen.
    typealias Met = (kind: PushReply.Outcome.Kind, other: HybridTimestamp)

    private(set) var merged: [Merged] = []
    private(set) var collisions: [Collision] = []
    /// The first edited record without any stored data. It has been purged, if the scope has ever purged any.
    private(set) var editedUnknown: RecordKey?
    private var places: [RecordKey: Int] = [:]
    private let scope: ScopeKey
    private let snapshot: any StoreSnapshot
    private let hasPurged: Bool

    /// Creates an empty merge.
    ///
    /// - Parameter hasPurged: Whether identifiers of purged records of the scope may be stored.
    init(in scope: ScopeKey, of snapshot: any StoreSnapshot, capacity: Int, hasPurged: Bool = false) {
        self.scope = scope
        self.hasPurged = hasPurged
        self.snapshot = snapshot
        merged.reserveCapacity(capacity)
        places.reserveCapacity(capacity)
    }

    /// Merges one change.
    ///
    /// - Returns: The concurrent change of another replica that the author had not seen, if there was one.
    mutating func apply(_ prepared: PreparedPush.Change) throws -> Met? {
        let change = prepared.change
        let place = try place(of: change.key)
        switch (change.kind, prepared.hash) {
        case (.put(let encoded, let base), let hash?):
            // A delete in the same transaction does not change that the record is unknown.
            if editedUnknown == nil, base != nil, merged[place].stored == nil, merged[place].stamps.put == nil {
                editedUnknown = change.key
            }
            let slot = RecordState.PutSlot(stamp: change.stamp, base: base, encoded: encoded)
            let (met, isCollision) = Self.put(slot, hash, &merged[place])
            if isCollision { collisions.append(Collision(key: change.key, stamp: change.stamp)) }
            return met
        default:
            return Self.delete(change.stamp, &merged[place])
        }
    }

    private mutating func place(of key: RecordKey) throws -> Int {
        if let place = places[key] { return place }
        let stored = try snapshot.record(key, in: scope)
        var state = RecordState(key: key)
        if let stored {
            do {
                state = try RecordState(protobuf: stored.message)
            } catch {
                throw StoreError.damaged("record \(key) is no Record message")
            }
        }
        let stamps = state.stamps
        places[key] = merged.count
        let purged = hasPurged && stored == nil ? try snapshot.purgedSequence(of: key, in: scope) ?? 0 : 0
        merged.append(
            Merged(
                stored: stored.map(Merged.Stored.init), purged: purged, before: stamps, stamps: stamps, state: state))
        return merged.count - 1
    }

    private static func put(
        _ slot: RecordState.PutSlot, _ hash: ContentHash, _ record: inout Merged
    ) -> (met: Met?, isCollision: Bool) {
        let held = record.stamps.put
        var met: Met?
        let outcome = SlotMerge.merge(.init(stamp: slot.stamp, hash: hash), into: &record.stamps)
        switch outcome {
        case .repeated: return (nil, false)
        case .beaten: return (held.map { (.beaten, $0.stamp) }, false)
        case .collision(isCurrent: false): return ((.beaten, slot.stamp), true)
        case .collision(isCurrent: true): record.state.put = slot
        case .current:
            record.state.put = slot
            if let held, held.stamp != slot.base, held.stamp.replica != slot.stamp.replica {
                met = (.replaced, held.stamp)
            }
        }
        if let delete = record.stamps.delete, delete > slot.stamp { met = (.beaten, delete) }
        return (met, outcome != .current)
    }

    private static func delete(_ stamp: HybridTimestamp, _ record: inout Merged) -> Met? {
        let held = record.stamps.delete
        switch SlotMerge.merge(delete: stamp, into: &record.stamps) {
        case .repeated, .collision: return nil
        case .beaten: return held.map { (.beaten, $0) }
        case .current: record.state.delete = stamp
        }
        if let put = record.stamps.put?.stamp, put > stamp { return (.beaten, put) }
        return nil
    }
}

extension TransactionMerge.Merged.Stored {
    fileprivate init(_ record: StoredRecord) {
        self.init(sequence: record.sequence, author: record.author, bytes: record.message.count)
    }
}
