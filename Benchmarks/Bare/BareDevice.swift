import BenchmarkData
import Replica
import RoostModel

/// A replica's rows, the confirmed state of each, and the pending push.
struct BareDevice {
    private let database: RawDatabase
    private let row, stamp, insert, remove, upsert, stampUpsert: RawStatement

    init(_ path: String, _ durability: Durability) throws {
        database = try RawDatabase(
            path, durability, pageBytes: ReplicaFile.pageBytes, cacheMebibytes: ReplicaFile.cacheMebibytes)
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
    }

    func seal(_ spendings: [Spending], as push: [UInt8]) throws {
        try database.transaction {
            for spending in spendings {
                for statement in [row, stamp] {
                    statement.bind(1, spending.id)
                    while try statement.step() { statement.touch(0) }
                }
            }
            insert.bind(1, push)
            try insert.run()
        }
    }

    func confirm(_ spendings: [Spending], _ stamp: RecordID) throws {
        try database.transaction {
            for spending in spendings { try confirm(spending, stamp) }
            try remove.run()
        }
    }

    func take(_ spendings: ArraySlice<Spending>, _ stamp: RecordID) throws {
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
