import BenchmarkData
import Replica
import RoostModel

/// A server's records, and a log of the records that each sequence wrote.
struct BareStore {
    /// A message with the approximate size of an encoded record.
    private static let message = [UInt8](repeating: 7, count: 130)

    private let database: RawDatabase
    private let record, upsert, log, outdate: RawStatement

    init(_ path: String, _ durability: Durability, _ work: Workload) throws {
        database = try RawDatabase(path, durability)
        try database.execute(
            """
            CREATE TABLE record(row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, entity INTEGER NOT NULL, id BLOB NOT NULL,
              sequence INTEGER NOT NULL, author INTEGER NOT NULL, message BLOB NOT NULL, UNIQUE(scope, entity, id));
            CREATE TABLE log(scope INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL,
              PRIMARY KEY(scope, sequence, row)) WITHOUT ROWID;
            CREATE TABLE outdated(
              ordinal INTEGER PRIMARY KEY, scope INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL)
            """)
        record = try database.prepare(
            "SELECT sequence, author, message FROM record WHERE scope = 1 AND entity = 1 AND id = ?1")
        upsert = try database.prepare(
            """
            INSERT INTO record(scope, entity, id, sequence, author, message) VALUES (1, 1, ?1, ?2, 1, ?3)
            ON CONFLICT(scope, entity, id) DO UPDATE SET sequence = excluded.sequence, message = excluded.message
            """)
        log = try database.prepare("INSERT INTO log(scope, sequence, row) VALUES (1, ?1, ?2)")
        outdate = try database.prepare("INSERT INTO outdated(scope, sequence, row) VALUES (1, ?1, ?2)")
        for start in stride(from: 0, to: work.spendings.count, by: 1000) {
            let end = min(start + 1000, work.spendings.count)
            try take(Array(work.spendings[start..<end]), sequence: start / 1000 - 1000)
        }
    }

    func take(_ spendings: [Spending], sequence: Int) throws {
        try database.transaction {
            for (place, spending) in spendings.enumerated() {
                record.bind(1, spending.id)
                while try record.step() { record.touch(2) }
                upsert.bind(1, spending.id)
                upsert.bind(2, Int64(sequence))
                upsert.bind(3, Self.message)
                try upsert.run()
                for entry in [log, outdate] {
                    entry.bind(1, Int64(sequence))
                    entry.bind(2, Int64(place))
                    try entry.run()
                }
            }
        }
    }
}
