internal import GRDB

/// Indexes and triggers that somebody else has put on the visible tables: they go with a table that is made anew.
struct UsersOwn {
    private let database: Database
    private let items: [(name: String, sql: String)]

    init(_ database: Database, _ layout: Layout) throws {
        self.database = database
        let tables = Set(layout.tables.map(\.table))
        items = try Row.fetchAll(
            database,
            sql: """
                SELECT name, lower(tbl_name) AS tbl, sql FROM sqlite_schema
                WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND name NOT LIKE 'roost\\_%' ESCAPE '\\' ORDER BY rowid
                """
        ).compactMap { row in
            tables.contains(row["tbl"]) ? (row["name"], row["sql"]) : nil
        }
    }

    /// Makes those anew that are gone.
    ///
    /// - Returns: A sentence for each that the new tables do not take.
    func makeAgain() -> [String] {
        items.compactMap { name, sql in
            do {
                let isThere =
                    try database.query("SELECT 1 FROM sqlite_schema WHERE name = '\(name.replacing("'", with: "''"))'")
                    .first { _ in true } != nil
                if !isThere { try database.execute(sql: sql) }
                return nil
            } catch {
                return "\"\(name)\", which is not Roost's, could not be made again on the new tables (\(error)): \(sql)"
            }
        }
    }
}
