internal import GRDB

/// The indexes and triggers of other programs on visible tables. Rebuilding a table drops them, so they are remembered and made
/// again.
struct UserSchemaObjects {
    private let database: Database
    enum Kind: String {
        case index
        case trigger
    }

    private let items: [(kind: Kind?, name: String, sql: String)]
    /// The condition for rows of `sqlite_schema` that belong to other programs.
    private static let isUsers = "sql IS NOT NULL AND NOT \(SchemaItem.isRoostsSQL)"

    /// Whether a visible table has an index of another program, which may refuse what the schema allows.
    ///
    /// - Parameter table: Its name, in lower case.
    static func hasIndex(on table: String, _ database: Database) throws -> Bool {
        let query = try database.query(
            "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND lower(tbl_name) = ? AND \(isUsers) LIMIT 1")
        query.bind(1, table)
        return try query.first { _ in true } ?? false
    }

    /// Drops the indexes and triggers on some tables, and remembers them.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables, in lower case.
    ///   - kinds: The kinds that are dropped.
    init(takenFrom tables: Set<String>, _ database: Database, _ kinds: Set<Kind> = [.index, .trigger]) throws {
        self.database = database
        let found = try Row.fetchAll(
            database,
            sql: """
                SELECT type, name, lower(tbl_name) AS tbl, sql FROM sqlite_schema
                WHERE type IN ('index', 'trigger') AND \(Self.isUsers) ORDER BY rowid
                """
        ).filter { row in tables.contains(row["tbl"]) && kinds.contains { $0.rawValue == row["type"] } }
        items = found.map { (Kind(rawValue: $0["type"]), $0["name"], $0["sql"]) }
        for row in found {
            let (type, name): (String, String) = (row["type"], row["name"])
            try database.executeOne("DROP \(type) \(SQLName.quoted(name))")
        }
    }

    var hasTriggers: Bool { items.contains { $0.kind == .trigger } }

    /// Makes the remembered items of one kind again.
    ///
    /// - Returns: A sentence for each item that the new tables refuse.
    /// - Throws: Any other error of SQLite, such as a full disk.
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
    /// Finds triggers and views of other programs that name a missing column or table. SQLite creates them without an error, and
    /// refuses each statement that needs them.
    ///
    /// - Returns: A sentence for each view, and for the triggers of each table.
    static func broken(_ database: Database) throws -> [String] {
        var sentences: [String] = []
        var triggers: [String: [String]] = [:]
        for item in try SchemaItem.all(database) where !item.isRoosts {
            if item.kind == .trigger { triggers[item.table, default: []].append("\"\(item.name)\"") }
            guard item.kind == .view, let reason = refusal(of: "SELECT * FROM \(SQLName.quoted(item.name))", database)
            else { continue }
            sentences.append("The view \"\(item.name)\", which is not Roost's, does not work any more (\(reason)).")
        }
        for (table, names) in triggers.sorted(by: { $0.key < $1.key }) {
            guard let reason = try writes(of: table, database).lazy.compactMap({ refusal(of: $0, database) }).first
            else { continue }
            sentences.append(
                """
                Of the triggers on "\(table)" that are not Roost's (\(names.joined(separator: ", "))), one names what is gone \
                (\(reason)). SQLite refuses writes of the table by other programs until you drop it or make it again.
                """)
        }
        return sentences
    }

    /// Returns statements that run any trigger of a table. They are only prepared.
    private static func writes(of table: String, _ database: Database) throws -> [String] {
        let name = SQLName.quoted(table)
        let columns = try Row.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
            .map { row -> String in
                let column = SQLName.quoted(row["name"])
                return "\(column) = \(column)"
            }
        return [
            "INSERT INTO \(name) DEFAULT VALUES", "UPDATE \(name) SET \(columns.joined(separator: ", "))",
            "DELETE FROM \(name)",
        ]
    }

    private static func refusal(of sql: String, _ database: Database) -> String? {
        do {
            _ = try database.makeStatement(sql: sql)
            return nil
        } catch {
            // Functions and modules of other programs are never present on this connection, so their absence is not a fault.
            let message = (error as? DatabaseError)?.message ?? ""
            return ["no such column", "no such table"].contains { message.utf8.firstRange(of: $0.utf8) != nil }
                ? message : nil
        }
    }
}
