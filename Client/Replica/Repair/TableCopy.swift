internal import GRDB

/// Copies the readable rows of one table of a corrupt file: from its start up to the corruption, and from its end back to
/// it.
struct TableCopy {
    private let source: Database
    private let fresh: Database
    private let table: String
    private let target: Shape
    /// The columns in the corrupt file; `nil` if the table cannot be found.
    private let found: Shape?

    init(of table: String, from source: Database, to fresh: Database) throws {
        self.source = source
        self.fresh = fresh
        self.table = table
        target = try Shape(of: table, in: fresh)
        let found = try Self.readable { try Shape(of: table, in: source) }
        self.found = found.flatMap { $0.columns.isEmpty ? nil : $0 }
    }

    /// Whether the table has columns that the new one does not have.
    var hasMoreColumns: Bool { found.map { $0.columns.count > target.columns.count } ?? false }

    /// Copies the readable rows.
    ///
    /// - Returns: Whether all rows could be read and copied.
    /// - Throws: An error if the new file cannot be written.
    func run() throws -> Bool {
        guard let found else { return false }
        let columns = Self.pairs(found.columns, target.columns)
        let number = zip([found.rowID].compactMap(\.self), [target.rowID].compactMap(\.self))
        let (from, to) = (number.map(\.0) + columns.map(\.from), number.map(\.1) + columns.map(\.to))
        if try copy(from, to, found.order, "ASC") { return columns.count == target.columns.count || isOfEarlierFormat }
        _ = try copy(from, to, found.order, "DESC")
        return false
    }

    /// Pairs the columns by name; by position if a name is corrupt.
    private static func pairs(_ from: [String], _ to: [String]) -> [(from: String, to: String)] {
        from.allSatisfy(Set(to).contains) ? from.map { ($0, $0) } : Array(zip(from, to))
    }

    /// Whether columns may be missing because they were added in a later format.
    private var isOfEarlierFormat: Bool {
        let version = (try? FileFormat.version(source)) ?? nil
        return version.map { $0 < FileFormat.current } ?? false
    }

    /// - Returns: Whether all rows were read and inserted.
    private func copy(_ from: [String], _ to: [String], _ order: [String], _ direction: String) throws -> Bool {
        let order = order.map { "\(SQLName.quoted($0)) \(direction)" }.joined(separator: ", ")
        // Bypasses indexes, which may be the corrupt part.
        let select = "SELECT \(list(from)) FROM \(SQLName.quoted(table)) NOT INDEXED ORDER BY \(order)"
        guard let reading = try Self.readable({ try source.query(select) }) else { return false }
        let places = to.map { _ in "?" }.joined(separator: ", ")
        let writing = try fresh.query(
            "INSERT OR IGNORE INTO \(SQLName.quoted(table))(\(list(to))) VALUES (\(places))")
        var isWhole = true
        while true {
            guard let isRow = try Self.readable({ try reading.step() }) else { return false }
            guard isRow else { return isWhole }
            for column in from.indices { writing.bind(Int32(column + 1), columnOf: reading, Int32(column)) }
            do {
                try writing.run()
                if fresh.changesCount == 0 { isWhole = false }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // The row is corrupt: it has a value that its column cannot have.
                isWhole = false
            }
        }
    }

    private func list(_ columns: [String]) -> String {
        columns.map(SQLName.quoted).joined(separator: ", ")
    }

    /// - Returns: `nil` if the file is corrupt here: a page, or a table's SQL.
    private static func readable<Result>(_ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode) {
            return nil
        }
    }

    /// The columns of a table, and the order of its rows in its pages.
    private struct Shape {
        var columns: [String]
        /// The name that reads the rowid; `nil` if a column is the rowid, or there is none.
        var rowID: String?
        var order: [String]

        init(of table: String, in database: Database) throws {
            let info = try Row.fetchAll(
                database, sql: "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", arguments: [table])
            let key = info.map { (place: $0["pk"] as Int, name: $0["name"] as String, type: $0["type"] as String) }
                .filter { $0.place > 0 }.sorted { $0.place < $1.place }
            columns = info.map { $0["name"] }
            let hasNoRowID =
                try Bool.fetchOne(
                    database, sql: "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
                    arguments: [table])
                ?? false
            let isAlias = key.count == 1 && key[0].type.uppercased() == "INTEGER"
            guard !hasNoRowID && !isAlias else {
                order = key.map(\.name)
                return
            }
            let taken = Set(columns.map { $0.lowercased() })
            rowID = ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
            order = (rowID ?? columns.first).map { [$0] } ?? []
        }
    }
}
