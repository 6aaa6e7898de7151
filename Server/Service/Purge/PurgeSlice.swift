internal import RoostMerge
internal import RoostModel
internal import RoostProtocol

/// The execution of a plan, one slice in each transaction, concurrently with other writes.
///
/// A group of which a record was changed or referred to since the plan was made stays. The next plan decides about it.
struct PurgeSlice: Sendable {
    private let plan: PurgePlan
    private let namesPerSequence: Int
    /// The sequence up to which the scope was checked for changes since the plan.
    private var checked: UInt64
    private var touched: Set<RecordKey> = []

    /// Creates the first slice.
    ///
    /// - Parameter namesPerSequence: ``Limits/namesPerSequenceMax``.
    init(_ plan: PurgePlan, namesPerSequence: Int) {
        self.plan = plan
        self.namesPerSequence = namesPerSequence
        checked = plan.scope.head.sequence
    }

    /// Purges some groups of the plan.
    ///
    /// - Returns: The number of purged records, and the next slice; `nil` if the plan is no longer valid for the scope.
    func purge(
        _ groups: Slice<PurgeGroups>, in transaction: any StoreTransaction, now: UInt64
    ) throws -> (records: Int, next: PurgeSlice)? {
        guard var scope = try transaction.scope(plan.scope.key), scope.epoch == plan.scope.epoch,
            scope.schemaVersion == plan.scope.schemaVersion, !scope.past.isRecovering(at: now)
        else { return nil }
        var next = self
        try next.look(after: checked, in: transaction)
        let keys = groups.filter { next.touched.isDisjoint(with: $0) }.flatMap { $0 }
        guard !keys.isEmpty else { return (0, next) }
        for start in stride(from: 0, to: keys.count, by: namesPerSequence) {
            let end = min(start + namesPerSequence, keys.count)
            try Self.remove(keys[start..<end], from: &scope, transaction)
        }
        scope.past.purged = scope.head.sequence
        try transaction.update(scope.head, of: scope.key)
        try transaction.update(epoch: scope.epoch, scope.past, of: scope.key)
        next.checked = scope.head.sequence
        return (keys.count, next)
    }

    private mutating func look(after sequence: UInt64, in snapshot: any StoreSnapshot) throws {
        try snapshot.forEachRecord(in: plan.scope.key, after: sequence) { _, _, message in
            let state = try PurgePlan.read(message)
            touched.insert(state.key)
            guard let put = state.put else { return true }
            for reference in try Put(encoded: put.encoded).references {
                guard let rule = plan.rules.rule(state.key.entity, reference.relationship) else { continue }
                touched.insert(RecordKey(entity: rule.destination, id: reference.target))
            }
            return true
        }
    }

    /// Removes records under one new sequence.
    private static func remove(
        _ keys: ArraySlice<RecordKey>, from scope: inout StoredScope, _ transaction: any StoreTransaction
    ) throws {
        let sequence = scope.head.sequence + 1
        for key in keys {
            guard let stored = try transaction.record(key, in: scope.key) else { continue }
            let state = try stored.message.withUnsafeBytes { try PurgePlan.read($0) }
            scope.head.digest.replace(state.stamps, with: SlotStamps(), of: key)
            scope.head.records -= 1
            scope.head.bytes -= stored.message.count
            try transaction.remove(key, in: scope.key)
            try transaction.putPurged(key, at: sequence, in: scope.key)
        }
        scope.head.advance()
        try transaction.append(chain: scope.head.shortChain, at: sequence, in: scope.key)
    }
}
