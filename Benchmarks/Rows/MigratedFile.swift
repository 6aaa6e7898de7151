import BenchmarkData
import Replica
import RoostModel

/// The migration of a file with 100,000 records to a later version of its schema.
struct MigratedFile {
    static let row = Row(
        names: ["migrate"],
        help: """
            A replica of 100,000 spendings is migrated: to a version with one attribute more and another with a new name, and to one
            with another delete rule.
            """, run: { try MigratedFile(context: $0).run() })

    let context: Context

    private var count: Int { context.amount(100_000, quick: 20_000) }

    private static let attributes = [
        (#""version": 1"#, #""version": 2"#), (#""name": "content""#, #""name": "title""#),
        (
            #""name": "paid", "type": "boolean"}"#,
            #""name": "paid", "type": "boolean"}, {"id": 7, "name": "place", "type": "string", "default": "here"}"#
        ),
    ]

    func run() throws -> [Figure] {
        [
            try migrate("attributes", "an attribute more and one renamed", Self.attributes),
            try migrate(
                "rule", "another delete rule", [(#""version": 1"#, #""version": 2"#), ("\"cascade\"", "\"nullify\"")]),
        ]
    }

    private func migrate(_ measure: String, _ work: String, _ edits: [(String, String)]) throws -> Figure {
        let schema = try Schema(json: edits.reduce(Workload.schema) { $0.replacing($1.0, with: $1.1) })
        let pairs = try (0..<context.amount(3, quick: 1)).map { _ in
            let file = try FilledReplica(context, people: count / 100, spendings: count)
            try file.close()
            let seconds = try Stopwatch.seconds {
                try Replica.migrate(at: file.path, by: MigrationPlan(to: schema), durability: .normal)
            }
            let plain = try Stopwatch.seconds { try copyTable(file.path) }
            context.remove(file.path)
            return (roost: seconds, plain: plain)
        }
        let seconds = Samples(pairs.map(\.roost))
        return Figure(
            row: "migrate", measure: measure, work: "\(work), \(count) records", durability: .normal, samples: seconds,
            unit: "s", bar: nil, baseline: .cost(Samples(pairs.map(\.plain)).median, "s", of: seconds.median))
    }

    /// Does a migration by hand in a plain table: a new table, filled from the old one in one statement, with its index.
    private func copyTable(_ path: String) throws {
        let raw = try RawDatabase(path, .normal)
        try raw.transaction {
            try raw.execute(
                """
                CREATE TABLE copy AS SELECT * FROM spending; CREATE UNIQUE INDEX copy_id ON copy(id);
                CREATE INDEX copy_person ON copy(person)
                """)
        }
    }
}
