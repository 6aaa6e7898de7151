internal import GRDB

/// The groups of local transactions that have to arrive together, in a snapshot of the outbox. They are found one after the
/// other.
///
/// A group contains the transactions from the first that changed a record to the last that changed it.
struct TransactionGroups {
    /// The query for the last transactions of entries in order, each with the number of its entries.
    private let counts: Query
    /// The query for the first and last transactions of entries that have two, ordered by the first.
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

    /// Finds the group that starts with a transaction, which is the one after the previous group.
    ///
    /// - Returns: The last transaction of the group, and the number of its entries.
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
