internal import GRDB

/// What can be read of SQLite's list of tables, indexes, views and triggers: from its start up to the damage, and from its end back to it.
struct ItemList {
    struct Item: Hashable {
        var type: String
        var name: String
        /// The statement that made it.
        var sql: String
    }

    /// In the order in which they were made, without what SQLite makes by itself.
    private(set) var items: [Item] = []
    /// How many numbers are missing up to the last: of items that cannot be read, or are there no more.
    private(set) var gaps = 0
    /// Whether all could be read, as far as SQLite says.
    let isWhole: Bool

    init(of database: Database) {
        var rows: [Int64: Item]
        (rows, isWhole) = Self.read(database, "ASC")
        if !isWhole {
            let end = Self.read(database, "DESC").rows
            // Without an end, nothing says how many there were.
            if end.isEmpty { gaps = .max / 2 }
            rows.merge(end) { first, _ in first }
        }
        gaps += Int(rows.keys.max() ?? 0) - rows.count
        items = rows.sorted { $0.key < $1.key }.map(\.value).filter { !$0.sql.isEmpty && !$0.name.hasPrefix("sqlite_") }
    }

    /// - Returns: By their numbers, and whether there are no more.
    private static func read(_ database: Database, _ order: String) -> (rows: [Int64: Item], isWhole: Bool) {
        var rows: [Int64: Item] = [:]
        do {
            let query = try database.query(
                "SELECT rowid, type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY rowid \(order)")
            while try query.step() {
                rows[query.integer(0)] = Item(type: query.text(1), name: query.text(2), sql: query.text(3))
            }
            return (rows, true)
        } catch {
            return (rows, false)
        }
    }
}
