internal import RoostModel
internal import RoostProtocol

/// The rows that a merged transaction leaves, under one new sequence.
struct MergedRows {
    /// Encoded rows; of more records than ``rowsMax`` they are encoded when they are written, one after the other.
    private(set) var rows: [LogAddition.Row]?
    /// Whether the pusher knows the whole of every row, so that none need be sent to it.
    private(set) var isKnownToAuthor = true
    /// How many rows there are.
    private(set) var count = 0

    /// More than one push may hold: a transaction that came in parts has more.
    static let rowsMax = 20_000

    private let merged: [TransactionMerge.Merged]
    private let sequence: UInt64
    private let replica: ReplicaID
    private let seen: UInt64
    private let echo: UInt64

    /// - Parameters:
    ///   - seen: The sequence up to which the pusher knew everything.
    ///   - echo: The sequence up to which it may not know its own changes either, where that is beyond `seen`: it pulls everything,
    ///     and has not come there.
    ///   - head: Is moved on by one sequence that holds the rows.
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

    /// Whether the pusher knows the record as it was: there was none, it had pulled it, or it wrote it itself. A purge that it has not
    /// heard of comes with a page, which must bring the record after the name.
    private func isKnown(_ record: TransactionMerge.Merged) -> Bool {
        record.stored.map { $0.sequence <= seen || $0.author == replica && $0.sequence > echo }
            ?? (record.purged <= seen)
    }

    private func row(_ record: TransactionMerge.Merged, isKnown: Bool) -> LogAddition.Row {
        let stored = StoredRecord(
            sequence: sequence, author: isKnown ? replica : .unregistered, message: record.state.protobuf())
        return LogAddition.Row(key: record.state.key, record: stored)
    }

    /// Stores the rows and the link of the chain that `head` has moved on to.
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
