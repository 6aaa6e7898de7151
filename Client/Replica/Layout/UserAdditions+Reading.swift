internal import Foundation
internal import GRDB
internal import RoostModel

extension UserAdditions {
    /// Collations that every program has.
    private static let commonCollations: Set = ["BINARY", "NOCASE", "RTRIM"]

    /// Reads what other programs have added to the visible table of an entity, as the file has it now.
    static func read(of table: EntityTable, _ database: Database) throws -> UserAdditions {
        UserAdditions(
            columns: try columns(of: table, database), hasTriggers: try hasTriggers(table, database),
            uniqueIndexes: try uniqueIndexes(of: table, database))
    }

    private static func columns(of table: EntityTable, _ database: Database) throws -> [String] {
        #if ROOST_SEEDED_BUGS
            if SeededBug.userColumnsForgotten.isOn { return [] }
        #endif
        let own = Set((["id"] + table.columns.map(\.name)).map(SQLName.folded))
        return try TableColumn.all(of: table.table, database).filter { !$0.isGenerated && !own.contains($0.key) }.map(
            \.name)
    }

    private static func hasTriggers(_ table: EntityTable, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = ?
                  AND name NOT LIKE 'roost\\_%' ESCAPE '\\')
                """, arguments: [table.table]) ?? false
    }

    private static func uniqueIndexes(of table: EntityTable, _ database: Database) throws -> [UniqueIndex] {
        let indexes = try Row.fetchAll(
            database, sql: "SELECT name, origin FROM pragma_index_list(?) WHERE \"unique\" = 1 ORDER BY name",
            arguments: [table.table])
        return try indexes.filter { $0["origin"] != "pk" }.map { row in
            let name: String = row["name"]
            let terms = try Row.fetchAll(
                database, sql: "SELECT name, coll FROM pragma_index_xinfo(?) WHERE key = 1 ORDER BY seqno",
                arguments: [name])
            return UniqueIndex(
                name: name,
                terms: terms.compactMap { term in
                    guard let column: String = term["name"], let collation: String = term["coll"],
                        commonCollations.contains(collation.uppercased())
                    else { return nil }
                    return UniqueIndex.Term(column: column, collation: collation)
                })
        }
    }
}

/// A column of a table as the file has it.
struct TableColumn: Hashable {
    let name: String
    /// As it was declared.
    let type: String
    let isRequired: Bool
    /// The expression of its default; `nil` for none.
    let defaultValue: String?
    /// Its place in the primary key, from 1; 0 where it is not part of it.
    let keyPosition: Int
    /// Whether it is computed from others, and takes no values.
    let isGenerated: Bool

    /// By which columns are compared, as SQLite does: case of ASCII letters does not matter.
    var key: String { SQLName.folded(name) }

    /// How it is declared in a table of Roost's, with what makes no difference for its values left out.
    var declaration: String {
        let types: Set = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
        let strict = types.contains(type.uppercased()) ? type : "ANY"
        let required = isRequired && defaultValue != nil ? " NOT NULL" : ""
        return "\(SQLName.quoted(name)) \(strict)\(required)\(defaultExpression.map { " DEFAULT (\($0))" } ?? "")"
    }

    /// The default as an expression. A name, quoted or not, is taken for a text where it stands alone, and for a column in parentheses.
    var defaultExpression: String? {
        guard let text = defaultValue, let first = text.first else { return nil }
        let keywords: Set = ["true", "false", "null", "current_time", "current_date", "current_timestamp"]
        if text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }) {
            let isText = (first.isLetter || first == "_") && !keywords.contains(text.lowercased())
            return isText ? SQLName.literal(text) : text
        }
        let ends: [Character: Character] = ["\"": "\"", "`": "`", "[": "]"]
        guard let end = ends[first], text.count >= 2, text.last == end else { return text }
        let inside = String(text.dropFirst().dropLast())
        guard end != "]" else { return SQLName.literal(inside) }
        // A name that ends before is part of an expression.
        let name = inside.components(separatedBy: "\(end)\(end)")
        return name.contains { $0.contains(end) } ? text : SQLName.literal(name.joined(separator: String(end)))
    }

    /// All columns of a table, in their order; none where there is no such table.
    static func all(of table: String, _ database: Database) throws -> [TableColumn] {
        try Row.fetchAll(
            database,
            sql: "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?) ORDER BY cid",
            arguments: [table]
        ).map { row in
            TableColumn(
                name: row["name"], type: row["type"], isRequired: row["notnull"], defaultValue: row["dflt_value"],
                keyPosition: row["pk"], isGenerated: (row["hidden"] as Int) != 0)
        }
    }
}
