import BenchmarkData
import Replica

/// Inserts into a replica's table by plain SQL, compared with inserts into a table without tracking.
///
/// One raw connection without any of Roost's code does both, interleaved. The triggers in the file are the difference. The
/// replica's table also has checks that the plain one lacks: that identifiers have 16 bytes, and that days exist.
struct TrackedInserts {
    static let row = Row(
        names: ["insert"],
        help: """
            Inserts by plain SQL into a replica's table, as multiples of a plain table's time: 10,000 and 100,000 in one
            transaction, 1,000 in one each; against a plain table with the replica's index on the reference, and without. Beside it
            the replica's table, with its checks, and one trigger that writes the identifier into a second table, which is the
            simplest tracking; and the same of a plain table with the index.
            """, run: { try TrackedInserts(context: $0).run() })

    private enum Table: CaseIterable {
        case tracked
        /// A replica's table with its checks. In place of its triggers, it has one that records which records exist.
        case checked
        /// A plain table with the index, and an equal trigger.
        case noted
        case indexed
        case plain
    }

    private struct Shape {
        var title: String
        var count: Int
        var isOneTransaction: Bool
        var rounds: Int
        var bound: Double
    }

    let context: Context

    func run() throws -> [Figure] {
        var figures: [Figure] = []
        for shape in shapes {
            for durability in [Durability.normal, .full] { figures += try measure(shape, durability) }
        }
        return figures
    }

    private var shapes: [Shape] {
        var shapes = [
            Shape(
                title: "10,000 in one transaction", count: 10_000, isOneTransaction: true,
                rounds: context.amount(15, quick: 3), bound: 2.0),
            Shape(
                title: "1,000 transactions of one", count: 1000, isOneTransaction: false,
                rounds: context.amount(7, quick: 3), bound: 1.6),
        ]
        if !context.isQuick {
            shapes.insert(
                Shape(
                    title: "100,000 in one transaction", count: 100_000, isOneTransaction: true, rounds: 5, bound: 2.0),
                at: 1)
        }
        return shapes
    }

    private func measure(_ shape: Shape, _ durability: Durability) throws -> [Figure] {
        let work = Workload(people: max(1, shape.count / Person.spendingsEach), spendings: shape.count, seed: 8)
        var times: [Table: [Double]] = [:]
        for _ in 0..<shape.rounds {
            for table in Table.allCases { times[table, default: []].append(try time(table, work, shape, durability)) }
        }
        return [(Table.indexed, "plain with the index"), (.plain, "plain without index")].map { other, name in
            func ratios(_ table: Table) -> [Double] { zip(times[table] ?? [], times[other] ?? []).map { $0 / $1 } }
            let speeds = [Table.tracked, other].map { Double(shape.count) / Samples(times[$0] ?? []).median }
            let measured = Samples(ratios(.tracked))
            return Figure(
                row: "insert", measure: "\(shape.title), \(name)", work: "\(shape.title), against \(name)",
                durability: durability, samples: measured, unit: "×", bar: .atMost(shape.bound),
                baseline: .init(value: speeds[1], unit: "records/s", ratio: measured.median),
                floor: .cost(Samples(ratios(.checked)).median, "×", of: measured.median),
                detail: """
                    \(Report.number(speeds[0]))/s; floor: a replica's checks and one trigger, \
                    without the checks \(Report.number(Samples(ratios(.noted)).median)) ×; rounds in turns
                    """
            )
        }
    }

    private func time(_ table: Table, _ work: Workload, _ shape: Shape, _ durability: Durability) throws -> Double {
        let path = try context.freshPath("insert")
        defer { context.remove(path) }
        let database: RawDatabase
        switch table {
        case .tracked, .checked:
            try context.makeReplica(path, durability).close()
            database = try RawDatabase(path, durability)
            if table == .checked {
                try database.dropTriggers()
                try database.recordChanges()
            }
            try database.insert(work.people)
        case .noted:
            database = try RawDatabase(path, durability, pageBytes: ReplicaFile.pageBytes)
            try database.createPlainTable(withIndex: true)
            try database.recordChanges()
        case .indexed, .plain:
            database = try RawDatabase(path, durability)
            try database.createPlainTable(withIndex: table == .indexed)
        }
        let insert = try database.prepareInsert()
        return try Stopwatch.seconds {
            if shape.isOneTransaction { try database.execute("BEGIN IMMEDIATE") }
            for spending in work.spendings { try insert.run(spending) }
            if shape.isOneTransaction { try database.execute("COMMIT") }
        }
    }
}
