internal import GRDB

/// Indexes and triggers that somebody else has put on visible tables: they go with a table that is made anew.
struct UsersOwn {
    private let database: Database
    enum Kind: String {
        case index
        case trigger
    }

    private let items: [(kind: Kind?, name: String, sql: String)]
    /// Of `sqlite_schema`.
    private static let isUsers = "sql IS NOT NULL AND NOT \(SchemaItem.isRoostsSQL)"

    /// Whether a visible table has an index that may refuse what the schema allows.
    ///
    /// - Parameter table: Its name, in lower case.
    static func hasIndex(on table: String, _ database: Database) throws -> Bool {
        let query = try database.query(
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND lower(tbl_name) = ? AND \(isUsers) LIMIT 1")
        query.bind(1, table)
        return try query.first { _ in true } ?? false
    }

    /// Takes those on some tables away, and remembers them.
    ///
    /// - Parameter tables: Names, in lower case.
    init(takenFrom tables: Set<String>, _ database: Database) throws {
        self.database = database
        let found = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, lower(tbl_name) AS tbl, sql FROM sqlite_schema
                WHERE type IN ('index', 'trigger') AND \(Self.isUsers) ORDER BY rowid
                """
        ).filter { tables.contains($0["tbl"]) }
        items = found.map { (Kind(rawValue: $0["type"]), $0["name"], $0["sql"]) }
        for row in found {
            let (type, name): (String, String) = (row["type"], row["name"])
            try database.executeOne("DROP \(type) \(SQLName.quoted(name))")
        }
    }

    /// Makes those of one kind again.
    ///
    /// - Returns: A sentence for each that the new tables do not take.
    /// - Throws: What keeps the disk from taking one.
    func makeAgain(_ kind: Kind) throws -> [String] {
        try items.filter { $0.kind == kind }.compactMap { _, name, sql in
            do {
                try database.makeAgain(sql)
                return nil
            } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode) {
                let reason = error.message ?? "\(error)"
                return
                    "\"\(name)\", which is not Roost's, could not be made again on the new tables (\(reason)): \(sql)"
            }
        }
    }
}
