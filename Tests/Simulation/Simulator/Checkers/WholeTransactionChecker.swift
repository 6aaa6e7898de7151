internal import RoostModel

/// I7: a transaction is visible completely or not at all. Each pair is written by one transaction, and its amounts add up to
/// zero.
enum WholeTransactionChecker {
    static func check(_ view: ReplicaView, device: Int) throws {
        var sums: [RecordID: Int64] = [:]
        for (key, row) in view.rows where key.entity == SampleSchema.debit || key.entity == SampleSchema.credit {
            if row.isVisible { sums[key.id, default: 0] += row.number }
        }
        for (id, sum) in sums where sum != 0 {
            throw Violation(.wholeTransaction, "replica \(device) shows half of the pair \(id)")
        }
    }

    static func check(_ server: ServerView) throws {
        var halves: [RecordID: Int] = [:]
        for (key, record) in server.records where record.state.put != nil {
            if key.entity == SampleSchema.debit || key.entity == SampleSchema.credit { halves[key.id, default: 0] += 1 }
        }
        for (id, count) in halves where count != 2 {
            throw Violation(.wholeTransaction, "the server has half of the pair \(id)")
        }
    }
}
