import BenchmarkData
import Replica
import RoostModel

/// The row "change" with none of Roost's code and no network: what SQLite alone takes for the rows that such a change reads and writes on
/// the three sides, in trees of the same shape and files of the same page sizes. A floor: nothing is encoded, hashed, merged or sent.
struct BareChange {
    /// About what a push of 100 edits takes.
    private static let push = [UInt8](repeating: 7, count: 6000)
    private static let devicePageBytes = 2048

    let context: Context
    let durability: Durability

    /// - Returns: Milliseconds for each round.
    func times(_ work: Workload) throws -> Samples {
        let paths = try ["editor", "reader", "store"].map { try context.freshPath($0) }
        defer { for path in paths { context.remove(path) } }
        let editor = try Device(paths[0], durability, work)
        let reader = try Device(paths[1], durability, work)
        let store = try Store(paths[2], durability, work)
        // Another program's, whose commit makes the editor read its pages anew.
        let other = try RawDatabase(paths[0], durability)
        let update = try other.prepareEdit()
        var times: [Double] = []
        for round in 0..<context.changeRounds {
            let edited = work.spendings.scattered(100, round: round)
            try other.edit(edited, with: update)
            let stamp = RecordID(high: UInt64(round) + 2, low: 1)
            times.append(
                try Stopwatch.seconds {
                    try editor.seal(edited)
                    try store.take(edited, sequence: round + 2)
                    try editor.confirm(edited, stamp)
                    try reader.take(edited, stamp)
                } * 1000)
        }
        return Samples(times)
    }

    /// A replica's rows, what is confirmed of each, and the push that waits.
    private struct Device {
        private let database: RawDatabase
        private let row, stamp, insert, remove, upsert, stampUpsert: RawStatement

        init(_ path: String, _ durability: Durability, _ work: Workload) throws {
            database = try RawDatabase(path, durability, pageBytes: BareChange.devicePageBytes)
            try database.createPlainTable(withIndex: true)
            try database.createStampTable()
            try database.execute("CREATE TABLE push(number INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            row = try database.prepare(
                "SELECT content, amount, currency, date, paid, person FROM spending WHERE id = ?1")
            stamp = try database.prepare("SELECT stamp, hash FROM stamp WHERE entity = 1 AND id = ?1")
            insert = try database.prepare("INSERT INTO push(number, body) VALUES (1, ?1)")
            remove = try database.prepare("DELETE FROM push")
            upsert = try database.prepareUpsert()
            stampUpsert = try database.prepareStampUpsert()
            try take(work.spendings, RecordID(high: 1, low: 1))
        }

        func seal(_ spendings: [Spending]) throws {
            try database.transaction {
                for spending in spendings {
                    for statement in [row, stamp] {
                        statement.bind(1, spending.id)
                        while try statement.step() { statement.touch(0) }
                    }
                }
                insert.bind(1, BareChange.push)
                try insert.run()
            }
        }

        func confirm(_ spendings: [Spending], _ stamp: RecordID) throws {
            try database.transaction {
                for spending in spendings { try confirm(spending, stamp) }
                try remove.run()
            }
        }

        func take(_ spendings: [Spending], _ stamp: RecordID) throws {
            try database.transaction {
                for spending in spendings {
                    try upsert.run(spending)
                    try confirm(spending, stamp)
                }
            }
        }

        private func confirm(_ spending: Spending, _ stamp: RecordID) throws {
            stampUpsert.bind(1, spending.id)
            stampUpsert.bind(2, stamp)
            stampUpsert.bind(3, spending.id)
            try stampUpsert.run()
        }
    }

    /// A server's records, and which of them each sequence wrote.
    private struct Store {
        /// About what an encoded record takes.
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
}
