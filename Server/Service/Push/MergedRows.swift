internal import RoostModel
internal import RoostProtocol

/// The rows that a merged transaction leaves, under one new sequence.
struct MergedRows {
    private(set) var rows: [LogAddition.Row] = []
    /// Whether the pusher knows the whole of every row, so that none need be sent to it.
    private(set) var isKnownToAuthor = true

    /// - Parameters:
    ///   - seen: The sequence up to which the pusher knew everything.
    ///   - echo: The sequence up to which it may not know its own changes either, where that is beyond `seen`: it pulls everything,
    ///     and has not come there.
    ///   - head: Is moved on by one sequence that holds the rows.
    init(
        _ merged: [TransactionMerge.Merged], by replica: ReplicaID, seen: UInt64, echo: UInt64,
        advancing head: inout ScopeHead
    ) {
        rows.reserveCapacity(merged.count)
        let sequence = head.sequence + 1
        for record in merged where record.isChanged {
            let message = record.state.protobuf()
            head.digest.replace(record.before, with: record.stamps, of: record.state.key)
            head.bytes += message.count - (record.stored?.message.count ?? 0)
            if record.stored == nil { head.records += 1 }
            // What came before is known to the pusher if nothing did, if it had pulled it, or if it wrote it itself. Of a
            // purge that it has not heard of it will hear with a page, which must bring the record after the name.
            let isKnown =
                record.stored.map { $0.sequence <= seen || $0.author == replica && $0.sequence > echo }
                ?? (record.purged <= seen)
            if !isKnown { isKnownToAuthor = false }
            let author = isKnown ? replica : ReplicaID.unregistered
            let stored = StoredRecord(sequence: sequence, author: author, message: message)
            rows.append(LogAddition.Row(key: record.state.key, record: stored))
        }
        head.advance()
    }

    /// Stores the rows and the link of the chain that `head` has moved on to.
    func write(to transaction: any StoreTransaction, in scope: ScopeKey, _ head: ScopeHead) throws {
        for row in rows { try transaction.put(row.record, row.key, in: scope) }
        try transaction.append(chain: head.shortChain, at: head.sequence, in: scope)
    }
}
