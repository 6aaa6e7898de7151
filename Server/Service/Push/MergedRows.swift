internal import RoostModel
internal import RoostProtocol

/// The rows of a merged transaction, under one new sequence.
struct MergedRows {
    /// The encoded rows; `nil` for more records than ``rowsMax``, whose rows are encoded one by one when they are written.
    private(set) var rows: [LogAddition.Row]?
    /// Whether the pusher has the whole content of every row, so that none need be sent to it.
    private(set) var isKnownToAuthor = true
    /// The number of rows.
    private(set) var count = 0

    /// The maximum number of rows in memory, more than one push may have. Only a transaction of several parts exceeds it.
    static let rowsMax = 20_000

    private let merged: [TransactionMerge.Merged]
    private let sequence: UInt64
    private let replica: ReplicaID
    private let seen: UInt64
    private let echo: UInt64

    /// Makes the rows.
    ///
    /// - Parameters:
    ///   - seen: The sequence up to which the pusher had everything.
    ///   - echo: If beyond `seen`, the sequence up to which the pusher may not have its own changes either, because its
    ///     full resynchronisation has not reached them.
    ///   - head: The scope's head, which is advanced by one sequence that contains the rows.
    init(
        _ merged: [TransactionMerge.Merged], by replica: ReplicaID, seen: UInt64, echo: UInt64,
        advancing head: inout ScopeHead
    ) {
        (self.merged, self.replica, self.seen, self.echo) = (merged, replica, seen, echo)
        sequence = head.sequence + 1
        var rows: [LogAddition.Row] = []
        let areMany = merged.count > Self.rowsMax
        if !areMany { rows.reserveCapacity(merged.count) }
        for record in merged where record.isChanged {
            let isKnown = isKnown(record)
            let row = row(record, isKnown: isKnown)
            head.digest.replace(record.before, with: record.stamps, of: record.state.key)
            head.bytes += row.record.message.count - (record.stored?.bytes ?? 0)
            if record.stored == nil { head.records += 1 }
            if !isKnown { isKnownToAuthor = false }
            count += 1
            if !areMany { rows.append(row) }
        }
        self.rows = areMany ? nil : rows
        head.advance()
    }

    /// Whether the pusher had the record before the push: the record did not exist, the pusher had pulled it, or it wrote
    /// it itself. A purge that it has not learned of comes with a page, in which the record has to follow the identifier.
    private func isKnown(_ record: TransactionMerge.Merged) -> Bool {
        record.stored.map { $0.sequence <= seen || $0.author == replica && $0.sequence > echo }
            ?? (record.purged <= seen)
    }

    private func row(_ record: TransactionMerge.Merged, isKnown: Bool) -> LogAddition.Row {
        let stored = StoredRecord(
            sequence: sequence, author: isKnown ? replica : .unregistered, message: record.state.protobuf())
        return LogAddition.Row(key: record.state.key, record: stored)
    }

    /// Stores the rows, and the link of the chain to which `head` has advanced.
    func write(to transaction: any StoreTransaction, in scope: ScopeKey, _ head: ScopeHead) throws {
        if let rows {
            for row in rows { try transaction.put(row.record, row.key, in: scope) }
        } else {
            for record in merged where record.isChanged {
                let row = row(record, isKnown: isKnown(record))
                try transaction.put(row.record, row.key, in: scope)
            }
        }
        try transaction.append(chain: head.shortChain, at: head.sequence, in: scope)
    }
}
