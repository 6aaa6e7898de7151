internal import GRDB
internal import RoostModel

extension UserAdditions {
    /// The collations that every program has.
    private static let commonCollations: Set = ["BINARY", "NOCASE", "RTRIM"]

    /// Reads the additions of other programs to the visible table of an entity, as the file has them now.
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
        return try TableColumn.all(of: table.table, database).filter {
            !$0.isGenerated && !own.contains($0.key) && $0.key != TableSQL.deletedColumn
        }.map(\.name)
    }

    private static func hasTriggers(_ table: EntityTable, _ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database,
            sql: """
                SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = ?
                  AND NOT \(SchemaItem.isRoostsSQL))
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

/// A column of a table, as the file declares it.
struct TableColumn: Hashable {
    let name: String
    /// The declared type.
    let type: String
    let isRequired: Bool
    /// The expression of the default; `nil` for none.
    let defaultValue: String?
    /// The position in the primary key, from 1; 0 where the column is not part of it.
    let keyPosition: Int
    /// Whether the column is computed from others and accepts no values.
    let isGenerated: Bool

    /// The name by which columns are compared, in which the case of ASCII letters does not matter, as in SQLite.
    var key: String { SQLName.folded(name) }

    /// Returns the name by which SQL reads the number of a row next to these columns, one of which may be named "rowid"; `nil`
    /// where no name is left.
    static func rowNumber(beside columns: [TableColumn]) -> String? {
        ["rowid", "_rowid_", "oid"].first { name in !columns.contains { $0.key == name } }
    }

    /// The declaration of the column in a table of Roost's, without the parts that make no difference to its values.
    var declaration: String {
        let types: Set = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
        let strict = types.contains(type.uppercased()) ? type : "ANY"
        let required = isRequired && defaultValue != nil ? " NOT NULL" : ""
        return "\(SQLName.quoted(name)) \(strict)\(required)\(defaultExpression.map { " DEFAULT (\($0))" } ?? "")"
    }

    /// The default as an expression. SQLite treats a name, quoted or not, as text where it stands alone, and as a column inside
    /// parentheses.
    ///
    /// Works on bytes, as SQLite does: a quote followed by a combining mark is one `Character`.
    var defaultExpression: String? {
        guard let text = defaultValue, let first = text.utf8.first else { return nil }
        let keywords: Set = ["true", "false", "null", "current_time", "current_date", "current_timestamp"]
        if text.utf8.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "$") }) {
            let isText = Self.isLetter(first) && !keywords.contains(SQLName.folded(text))
            return isText ? SQLName.literal(text) : text
        }
        let ends = [
            UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "`"): UInt8(ascii: "`"),
            UInt8(ascii: "["): UInt8(ascii: "]"),
        ]
        guard let end = ends[first], text.utf8.count >= 2, text.utf8.last == end else { return text }
        let inside = text.utf8.dropFirst().dropLast()
        guard first == end else { return SQLName.literal(String(decoding: inside, as: UTF8.self)) }
        var name: [UInt8] = []
        var isDoubled = false
        for byte in inside {
            // A name that ends earlier is part of an expression.
            if isDoubled, byte != end { return text }
            if byte != end || isDoubled { name.append(byte) }
            isDoubled = byte == end && !isDoubled
        }
        return isDoubled ? text : SQLName.literal(String(decoding: name, as: UTF8.self))
    }

    /// Whether a byte is a letter of names in SQL: an ASCII letter, the underscore, or any byte beyond ASCII.
    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns all columns of a table in their order; none where there is no such table.
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
