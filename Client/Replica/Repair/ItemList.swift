internal import GRDB
internal import RoostModel

/// The readable part of SQLite's schema table (tables, indexes, views and triggers): from its start up to the corruption,
/// and from its end back to it.
struct ItemList {
    struct Item: Hashable {
        var type: String
        var name: String
        /// The SQL statement that created the item.
        var sql: String
    }

    /// The items in order of creation, without those that SQLite creates itself.
    let items: [Item]
    /// Whether all items could be read, as far as SQLite reports.
    let isWhole: Bool
    /// The readable items by rowid; `nil` if it is unknown how many there were.
    private let numbers: [Int64: Item]?

    /// A limit far above the number of items in any file. A greater rowid is corrupt.
    private static let numberMax: Int64 = 100_000

    init(of database: Database) {
        var rows: [Int64: Item]
        (rows, isWhole) = Self.read(database, "ASC")
        var hasEnd = true
        if !isWhole {
            let end = Self.read(database, "DESC").rows
            hasEnd = !end.isEmpty
            rows.merge(end) { first, _ in first }
        }
        numbers = hasEnd && rows.keys.allSatisfy((1...Self.numberMax).contains) ? rows : nil
        items = rows.sorted { $0.key < $1.key }.map(\.value).filter {
            !$0.sql.isEmpty && !$0.name.begins(with: "sqlite_")
        }
    }

    /// Returns how many items may be missing between the readable ones.
    ///
    /// - Parameter fresh: The list of a new file. Creating a file always skips certain rowids, which do not count as missing
    ///   here, unless VACUUM has renumbered this list since.
    func unread(beside fresh: ItemList) -> Int {
        guard let numbers, let others = fresh.numbers else { return .max }
        func missing(_ numbers: [Int64: Item]) -> Set<Int64> {
            Set(1...max(1, numbers.keys.max() ?? 1)).subtracting(numbers.keys)
        }
        func place(_ numbers: [Int64: Item]) -> Int64? { numbers.first { $0.value.name == "roost_journal" }?.key }
        let isNumberedAlike = place(numbers).map { $0 == place(others) } ?? false
        return missing(numbers).subtracting(isNumberedAlike ? missing(others) : []).count
    }

    /// - Returns: The items by rowid, and whether all were read.
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
