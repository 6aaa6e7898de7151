import BenchmarkData
import Foundation
import GRDB
import Objects
import RoostModel

/// The work of a program that uses GRDB without objects: manual SQL on a replica's file, and rows decoded into structs.
struct PlainRows {
    /// The columns of a spending.
    struct PlainSpending {
        var id: UUID
        var content: String
        var amount: Int64
        var currency: String
        var date: String
        var isPaid: Bool
        var person: UUID

        init(_ row: GRDB.Row) {
            id = row[0]
            content = row[1]
            amount = row[2]
            currency = row[3]
            date = row[4]
            isPaid = row[5]
            person = row[6]
        }
    }

    private static let columns = "id, content, amount, currency, date, paid, person"

    private let queue: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16384")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func all() throws -> [PlainSpending] {
        try queue.read { database in
            var spendings: [PlainSpending] = []
            let rows = try GRDB.Row.fetchCursor(database, sql: "SELECT \(Self.columns) FROM spending ORDER BY id")
            while let row = try rows.next() { spendings.append(PlainSpending(row)) }
            return spendings
        }
    }

    /// Reads the names and counts of all sections, and the records of the first rows with their content.
    func firstScreen(_ count: Int) throws -> [RecordID] {
        try queue.read { database in
            let rows = try GRDB.Row.fetchCursor(
                database,
                sql:
                    "SELECT p.id, p.name, s.rows FROM (SELECT person, count(*) AS rows FROM spending GROUP BY person) s "
                    + "JOIN person p ON p.id = s.person")
            var sections: [(id: UUID, name: String, count: Int)] = []
            while let row = try rows.next() { sections.append((row[0], row[1], row[2])) }
            sections.sort { NameOrder.compare($0.name, $1.name) == .orderedAscending }
            var shown: [PlainSpending] = []
            for section in sections where shown.count < count {
                shown += try GRDB.Row.fetchAll(
                    database,
                    sql: "SELECT \(Self.columns) FROM spending WHERE person = ? ORDER BY amount, id LIMIT ?",
                    arguments: [section.id, count - shown.count]
                ).map { PlainSpending($0) }
            }
            return shown.compactMap { RecordID($0.id.uuidString) }
        }
    }

    /// Edits one spending and reads the identifiers of the list again, in order.
    func editAndList(_ id: RecordID, amount: Int64, by path: String?) throws -> [UUID] {
        try queue.write { database in
            try database.execute(
                sql: "UPDATE spending SET amount = ? WHERE id = ?", arguments: [amount, Data(id.bytes)])
        }
        return try list(by: path)
    }

    /// Reads the identifiers of all rows of a list, in order.
    func list(by path: String?) throws -> [UUID] {
        try queue.read { database in
            let sql =
                path == nil
                ? "SELECT id FROM spending ORDER BY amount, id"
                : "SELECT s.id FROM spending s JOIN person p ON p.id = s.person ORDER BY p.name, s.amount, s.id"
            return try UUID.fetchAll(database, sql: sql)
        }
    }

    func insert(_ spendings: [Spending]) throws {
        let rows = spendings.map { (id: Data($0.id.bytes), person: Data($0.person.bytes), spending: $0) }
        try queue.write { database in
            let insert = try database.makeStatement(
                sql: "INSERT INTO spending(\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)")
            for (id, person, spending) in rows {
                try insert.execute(arguments: [
                    id, spending.content, spending.amount, spending.currency, spending.date, spending.isPaid, person,
                ])
            }
        }
    }
}
