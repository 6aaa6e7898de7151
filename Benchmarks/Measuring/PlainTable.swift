import BenchmarkData
import Replica

/// The costs of a plain SQLite table for equal records: the baseline of Roost's figures.
///
/// The table has the columns, types and index of a replica's table, one raw connection, and no tracking.
struct PlainTable {
    let context: Context
    let durability: Durability

    private static let rounds = 3

    /// Measures records per second, written by upserts.
    func upserts(_ spendings: [Spending], perTransaction: Int = 1000) throws -> Double {
        let seconds = try (0..<Self.rounds).map { _ in
            try withTable { database in
                let upsert = try database.prepareUpsert()
                return try Stopwatch.seconds {
                    for start in stride(from: 0, to: spendings.count, by: perTransaction) {
                        try database.transaction {
                            for spending in spendings[start..<min(start + perTransaction, spendings.count)] {
                                try upsert.run(spending)
                            }
                        }
                    }
                }
            }
        }
        return Double(spendings.count) / Samples(seconds).median
    }

    /// Measures the milliseconds of each insert, each in its own transaction.
    func singleInserts(_ spendings: [Spending]) throws -> Samples {
        try withTable { database in
            let insert = try database.prepareInsert()
            return Samples(try spendings.map { spending in try Stopwatch.seconds { try insert.run(spending) } * 1000 })
        }
    }

    /// Measures records per second, read in the table's order.
    func reads(_ spendings: [Spending]) throws -> Double {
        try withFilledTable(spendings) { database in
            let select = try database.prepare("SELECT id, content, amount, currency, date, paid, person FROM spending")
            let seconds = try (0..<Self.rounds).map { _ in
                try Stopwatch.seconds {
                    while try select.step() { for column in 0..<7 { select.touch(Int32(column)) } }
                }
            }
            return Double(spendings.count) / Samples(seconds).median
        }
    }

    /// Measures the milliseconds of a transaction that edits 100 scattered records.
    func hundredUpdates(_ spendings: [Spending]) throws -> Double {
        try withFilledTable(spendings) { database in
            let update = try database.prepareEdit()
            let seconds = try (0..<20).map { round in
                let edited = spendings.scattered(100, round: round)
                return try Stopwatch.seconds { try database.edit(edited, with: update) }
            }
            return Samples(seconds).median * 1000
        }
    }

    /// Measures the seconds to delete all of a person's spendings by the index, and to insert them again.
    func deletedAndInserted(_ spendings: [Spending]) throws -> (delete: Double, insert: Double) {
        try withFilledTable(spendings) { database in
            let delete = try database.prepare("DELETE FROM spending WHERE person = ?1")
            delete.bind(1, spendings[0].person)
            let insert = try database.prepareInsert()
            let deleting = try Stopwatch.seconds { try delete.run() }
            let inserting = try Stopwatch.seconds {
                try database.transaction { for spending in spendings { try insert.run(spending) } }
            }
            return (deleting, inserting)
        }
    }

    private func withFilledTable<Result>(
        _ spendings: [Spending], _ body: (RawDatabase) throws -> Result
    ) throws -> Result {
        try withTable { database in
            let insert = try database.prepareInsert()
            try database.transaction { for spending in spendings { try insert.run(spending) } }
            return try body(database)
        }
    }

    private func withTable<Result>(_ body: (RawDatabase) throws -> Result) throws -> Result {
        let path = try context.freshPath("plain")
        defer { context.remove(path) }
        let database = try RawDatabase(path, durability)
        try database.createPlainTable(withIndex: true)
        return try body(database)
    }
}
