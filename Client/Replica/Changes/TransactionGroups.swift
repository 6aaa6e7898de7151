internal import GRDB

/// Which local transactions have to arrive together, as they were when this was made: those from the first that touched a record to the last
/// that did. One is found after the other.
struct TransactionGroups {
    /// The last transaction of each entry, with how many entries have it, in order.
    private let counts: Query
    /// The first and last transactions of the entries that have two, by the first.
    private let spans: Query
    private var nextCount: (transaction: Int64, count: Int)?
    private var nextSpan: (first: Int64, last: Int64)?

    init(_ database: Database) throws {
        counts = try database.query("SELECT txn, count(*) FROM roost_outbox GROUP BY txn ORDER BY txn")
        spans = try database.query("SELECT first, txn FROM roost_outbox WHERE first < txn ORDER BY first")
        try advanceCount()
        try advanceSpan()
    }

    func close() {
        counts.reset()
        spans.reset()
    }

    /// The group that begins with a transaction, which is the one after the group before.
    ///
    /// - Returns: The last transaction of the group, and how many entries it has.
    mutating func next(from transaction: Int64) throws -> (last: Int64, count: Int) {
        var group = (last: transaction, count: 0)
        while true {
            while let next = nextCount, next.transaction <= group.last {
                group.count += next.count
                try advanceCount()
            }
            // A span ends with a transaction that has an entry.
            guard let span = nextSpan, span.first <= group.last else { return group }
            group.last = max(group.last, span.last)
            try advanceSpan()
        }
    }

    private mutating func advanceCount() throws {
        nextCount = try counts.step() ? (counts.integer(0), Int(counts.integer(1))) : nil
    }

    private mutating func advanceSpan() throws {
        nextSpan = try spans.step() ? (spans.integer(0), spans.integer(1)) : nil
    }
}
