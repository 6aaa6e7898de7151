internal import RoostModel
internal import RoostProtocol

/// The progress of one push through its transactions.
struct PushWork {
    private(set) var head: ScopeHead
    private(set) var progress: StoredProgress
    private(set) var results: [PushReply.Result] = []
    private(set) var effects = PushEffects()
    private(set) var addition: LogAddition
    /// The sequence up to which the replica had everything.
    var seen: UInt64 = 0
    /// The sequence up to which the replica may not have its own changes, if it is beyond ``seen``. Without a checkpoint of
    /// this history the replica will do a full resynchronisation.
    var echo = UInt64.max
    /// The replica to which its own rows need not be sent.
    var author: ReplicaID
    /// Whether an edit of a record that is not stored counts as an edit of a purged record.
    var refusesEditsOfUnknown = false

    private var refusedKeys: [RecordKey] = []
    private let limits: Limits
    private let scope: ScopeKey
    private let hasPurged: Bool
    private let replica: ReplicaID
    private let transaction: any StoreTransaction

    init(
        limits: Limits, scope: StoredScope, replica: ReplicaID, progress: StoredProgress,
        in transaction: any StoreTransaction
    ) {
        self.limits = limits
        self.scope = scope.key
        hasPurged = scope.past.purged > 0
        self.replica = replica
        author = replica
        self.progress = progress
        self.transaction = transaction
        head = scope.head
        addition = LogAddition(to: scope)
    }

    /// Records that the push revealed a rollback.
    mutating func recordRollback(_ position: CheckpointSeal.Position?) {
        effects.rollback = position?.epoch
    }

    /// Stores, stages or refuses the next transaction of the push.
    mutating func take(_ item: PreparedPush.Transaction) throws {
        let continuation = progress.continuation
        let parts = continuation == .staged ? try transaction.stagedParts(of: replica, in: scope) : []
        if let refusal = try refusal(of: item, after: parts, continuation) ?? refusal(ofFormsIn: item) {
            try refuse(item, refusal, parts)
        } else if item.continues {
            let part = StagedPart(
                ordinal: parts.count, changes: item.changes.count, bytes: item.bytes, body: item.staged)
            let staged = try transaction.stagedBytes(in: scope)
            if let refusal = ScopeQuota(limits).refusal(ofStaging: part.body.count, besides: staged) {
                return try refuse(item, refusal, parts)
            }
            try transaction.stage(part, of: replica, in: scope)
            progress.continuation = .staged
            recordStamp(item)
            results.append(.staged)
        } else {
            try merge(item, parts)
        }
    }

    /// Returns the server's slots of the records in refused transactions, up to the limit of a reply.
    func currentRecords() throws -> [RecordState] {
        var states: [RecordState] = []
        var bytes = 0
        var visited: Set<RecordKey> = []
        for key in refusedKeys where visited.insert(key).inserted {
            guard let stored = try transaction.record(key, in: scope) else { continue }
            bytes += stored.message.count
            guard bytes <= limits.currentBytesMax else { break }
            states.append(try RecordState(protobuf: stored.message))
        }
        return states
    }

    private func refusal(
        of item: PreparedPush.Transaction, after parts: [StagedPart], _ continuation: StoredProgress.Continuation
    ) -> PushReply.Refusal? {
        if continuation == .refused {
            return .init(
                code: .badRequest,
                message:
                    "Cannot store the rest of a transaction whose earlier part was refused. Correct it, and push it "
                    + "from its beginning.")
        }
        if let refusal = item.refusal { return refusal }
        let changes = parts.reduce(item.changes.count) { $0 + $1.changes }
        let bytes = parts.reduce(item.bytes) { $0 + $1.bytes }
        if changes > limits.changesPerTransactionMax {
            return .init(
                code: .tooLarge,
                message: "Cannot store a transaction of \(changes) changes or more: the limit is "
                    + "\(limits.changesPerTransactionMax). Make it in smaller transactions.")
        }
        if bytes > limits.transactionBytesMax {
            return .init(
                code: .tooLarge,
                message: "Cannot store a transaction of \(bytes) bytes or more: the limit is "
                    + "\(limits.transactionBytesMax). Make it in smaller transactions.")
        }
        return nil
    }

    /// Returns the refusal of an edit that is not canonical; `nil` if the record has had such a put before.
    private func refusal(ofFormsIn item: PreparedPush.Transaction) throws -> PushReply.Refusal? {
        for (key, refusal) in item.earlierForms {
            guard let stored = try transaction.record(key, in: scope),
                let put = try RecordState(protobuf: stored.message).put,
                PutCheck.refusal(of: put.encoded, limits: limits) != nil
            else { return refusal }
        }
        return nil
    }

    private mutating func refuse(
        _ item: PreparedPush.Transaction, _ refusal: PushReply.Refusal, _ parts: [StagedPart]
    ) throws {
        for part in parts {
            refusedKeys += try PreparedPush.Transaction(staged: part).changes.map(\.change.key)
        }
        refusedKeys += item.changes.map(\.change.key)
        if !parts.isEmpty { try transaction.removeStagedParts(of: replica, in: scope) }
        progress.continuation = item.continues ? .refused : .none
        results.append(.refused(refusal))
    }

    private mutating func merge(_ item: PreparedPush.Transaction, _ parts: [StagedPart]) throws {
        let count = parts.reduce(item.changes.count) { $0 + $1.changes }
        var merge = TransactionMerge(in: scope, of: transaction, capacity: count, hasPurged: hasPurged)
        for part in parts {
            for change in try PreparedPush.Transaction(staged: part).changes { _ = try merge.apply(change) }
        }
        if let gone = gone(merge, nil) { return try refuse(item, gone, parts) }
        var outcomes: [PushReply.Outcome] = []
        for (index, change) in item.changes.enumerated() {
            if let met = try merge.apply(change) {
                outcomes.append(.init(index: index, kind: met.kind, other: met.other))
            }
            if let gone = gone(merge, index) { return try refuse(item, gone, parts) }
        }
        var next = head
        let rows = MergedRows(merge.merged, by: author, seen: seen, echo: echo, advancing: &next)
        if let refusal = ScopeQuota(limits).refusal(from: head, to: next) { return try refuse(item, refusal, parts) }
        try rows.write(to: transaction, in: scope, next)
        if !parts.isEmpty { try transaction.removeStagedParts(of: replica, in: scope) }
        head = next
        addition.add(rows.rows, head)
        progress.continuation = .none
        recordStamp(item)
        note(rows, merge.collisions)
        results.append(.accepted(sequence: head.sequence, outcomes: outcomes))
    }

    private func gone(_ merge: TransactionMerge, _ index: Int?) -> PushReply.Refusal? {
        guard refusesEditsOfUnknown, let key = merge.editedUnknown else { return nil }
        return .init(
            code: .gone,
            message:
                "Cannot store the change of record \(key): it was deleted long ago and has been purged. Make a new record.",
            index: index)
    }

    private mutating func recordStamp(_ item: PreparedPush.Transaction) {
        progress.stamp = max(progress.stamp, item.changes.last?.change.stamp.time ?? 0)
    }

    private mutating func note(_ rows: MergedRows, _ collisions: [TransactionMerge.Collision]) {
        effects.collisions += collisions.map { .init(record: $0.key, stamp: $0.stamp) }
        guard rows.count > 0 else { return }
        let isKnown = author == replica && rows.isKnownToAuthor && (effects.news == nil || effects.knownTo != nil)
        effects.knownTo = isKnown ? replica : nil
        effects.news = (effects.news?.lowerBound ?? head.sequence)...head.sequence
    }
}
