package import Replica
internal import RoostMerge
package import RoostModel
internal import RoostProtocol

/// A scope in memory, the smallest thing through which replicas can exchange records. It merges pushes and sends everything in a
/// pull.
package final class MemoryScope {
    /// The slots of all records of the scope.
    package private(set) var states: [RecordKey: RecordState] = [:]
    package let limits: PushLimits

    /// - Parameter states: The initial records, such as an older copy of another scope's.
    package init(_ states: [RecordKey: RecordState] = [:], changesPerPush: Int = 1000) {
        self.states = states
        limits = PushLimits(
            changesPerPush: changesPerPush, bytesPerPush: 1 << 20, changesPerTransaction: 100_000,
            bytesPerTransaction: 1 << 24)
    }

    /// The digest of replicas that have all records.
    package var digest: ScopeDigest {
        var digest = ScopeDigest()
        for (key, state) in states { digest.replace(SlotStamps(), with: state.stamps, of: key) }
        return digest
    }

    /// Pushes all pending changes of `replica`, then applies all records to it.
    ///
    /// - Parameters:
    ///   - refuse: Returns the reason for which a transaction is refused, or `nil`.
    ///   - sendsCurrent: Whether the reply contains the slots of refused records.
    package func synchronise(
        _ replica: Replica, sendsCurrent: Bool = true, refuse: ([Change]) -> String? = { _ in nil }
    ) throws {
        try push(replica, sendsCurrent: sendsCurrent) { changes in refuse(changes).map { ($0, false) } }
        try pull(replica)
    }

    /// Applies all records to `replica`, as one page.
    ///
    /// - Parameter checkpoint: The checkpoint of the page, which live results read.
    package func pull(_ replica: Replica, checkpoint: [UInt8]? = nil) throws {
        _ = try replica.apply(states.values.sorted { $0.key < $1.key }, checkpoint: checkpoint, serverTime: nil)
    }

    /// Merges records that a replica brings back.
    package func recover(_ lost: [RecordState]) {
        for state in lost {
            if let put = state.put {
                merge(Change(key: state.key, stamp: put.stamp, kind: .put(put.encoded, base: nil)))
            }
            if let delete = state.delete { merge(Change(key: state.key, stamp: delete, kind: .delete)) }
        }
    }

    /// Removes a record.
    package func purge(_ key: RecordKey) { states[key] = nil }

    /// Pushes the pending changes of `replica`.
    ///
    /// - Parameter count: The maximum number of pushes.
    package func push(
        _ replica: Replica, atMost count: Int = .max, sendsCurrent: Bool = true,
        refuse: ([Change]) -> (reason: String, isGone: Bool)? = { _ in nil }
    ) throws {
        var left = count
        while left > 0, let push = try next(replica) {
            left -= 1
            var results: [PushReply.Result] = []
            var current: [RecordState] = []
            for part in push.transactions {
                if part.continues {
                    staged += part.changes
                    results.append(.staged)
                } else if let (reason, isGone) = refuse(staged + part.changes) {
                    if sendsCurrent { current += (staged + part.changes).compactMap { states[$0.key] } }
                    staged = []
                    results.append(.refused(reason, code: isGone ? .gone : .forbidden))
                } else {
                    for change in staged + part.changes { merge(change) }
                    staged = []
                    results.append(.stored)
                }
            }
            try replica.acknowledge(push.number, results, current: current)
        }
    }

    private var staged: [Change] = []

    private func next(_ replica: Replica) throws -> PushRequest? {
        try replica.sealPushes(limits: limits).push.map { try PushRequest(protobuf: $0.body) }
    }

    private func merge(_ change: Change) {
        var state = states[change.key] ?? RecordState(key: change.key)
        var slots = state.stamps
        switch change.kind {
        case .put(let encoded, let base):
            let put = SlotStamps.PutStamp(stamp: change.stamp, hash: ContentHash(of: encoded))
            if SlotMerge.merge(put, into: &slots) == .current {
                state.put = .init(stamp: change.stamp, base: base, encoded: encoded)
            }
        case .delete:
            _ = SlotMerge.merge(delete: change.stamp, into: &slots)
            state.delete = slots.delete
        }
        states[change.key] = state
    }
}
