internal import GRDB
internal import RoostModel

/// A table that stores a set of record keys.
enum RecordKeyTable: String {
    case kept = "roost_kept"
    case dropped = "roost_dropped"

    func all(_ database: Database) throws -> Set<RecordKey> {
        let query = try database.query("SELECT entity, id FROM \(rawValue)")
        var keys: Set<RecordKey> = []
        while try query.step() {
            if let key = query.key(0) { keys.insert(key) }
        }
        return keys
    }

    /// Replaces the content of the table with `keys`.
    func replace(with keys: Set<RecordKey>, _ database: Database) throws {
        let before = try all(database)
        try each(before.subtracting(keys), "DELETE FROM \(rawValue) WHERE entity = ? AND id = ?", database)
        try each(keys.subtracting(before), "INSERT INTO \(rawValue)(entity, id) VALUES (?, ?)", database)
    }

    private func each(_ keys: Set<RecordKey>, _ sql: String, _ database: Database) throws {
        for key in keys {
            let query = try database.query(sql)
            query.bind(1, key.entity.rawValue)
            query.bind(2, key.id)
            try query.run()
        }
    }
}
