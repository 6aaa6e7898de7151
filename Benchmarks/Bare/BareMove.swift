import BenchmarkData
import Replica

/// The row "cascade" without anything specific to Roost: a parent's rows are moved to a hidden table and back, in B-trees of
/// equal shape. It is a lower bound: no parent is deleted, and nothing is derived or tracked.
struct BareMove {
    /// The times of both moves, in seconds.
    struct Times {
        var hide: Double
        var show: Double
    }

    let context: Context
    let durability: Durability

    func times(_ spendings: [Spending]) throws -> Times {
        let path = try context.freshPath("bare")
        defer { context.remove(path) }
        let database = try RawDatabase(
            path, durability, pageBytes: ReplicaFile.pageBytes, cacheMebibytes: ReplicaFile.cacheMebibytes)
        try database.createPlainTable(withIndex: true)
        try database.createHiddenTable()
        let insert = try database.prepareInsert()
        try database.transaction { for spending in spendings { try insert.run(spending) } }
        let person = spendings[0].person
        func move(from: String, to: String) throws -> Double {
            let copy = try database.prepareCopy(from: from, to: to)
            let remove = try database.prepare("DELETE FROM \(from) WHERE person = ?1")
            for statement in [copy, remove] { statement.bind(1, person) }
            return try Stopwatch.seconds {
                try database.transaction {
                    try copy.run()
                    try remove.run()
                }
            }
        }
        return Times(hide: try move(from: "spending", to: "hidden"), show: try move(from: "hidden", to: "spending"))
    }
}
