internal import Objects
internal import RoostModel
internal import Terminal

/// Rows of values, printed as text or as JSON.
struct ValueTable {
    struct Column {
        let name: String
        let kind: Attribute.Kind
    }

    let columns: [Column]
    let rows: [[Value]]

    /// Returns the types of the values at the ends of paths. A record's value is its identifier.
    ///
    /// - Throws: ``FetchPredicateError`` if a path does not fit the schema.
    static func kinds(of paths: [String], _ entity: String, in schema: Schema) throws -> [Attribute.Kind] {
        var joins = try PathJoins(schema: schema, entity: entity)
        return try paths.map { path in
            if case .value(let kind) = try joins.expression(forPath: path).kind { kind } else { .uuid }
        }
    }

    /// The rows as JSON: an object for each row, with a member for each column.
    var json: [JSONValue] {
        rows.map { row in
            .object(zip(columns, row).map { JSONValue.Member($0.name, AttributeJSON.json($1, kind: $0.kind)) })
        }
    }

    /// The rows as text: the names of the columns, then the rows. Long values are truncated.
    var lines: [String] {
        let cells = rows.map { row in zip(columns, row).map { cell($1, $0.kind) } }
        let table = [columns.map { TextColumn.printable($0.name) }] + cells
        let widths = columns.indices.map { column in table.map { DisplayWidth.of($0[column]) }.max() ?? 0 }
        return table.map { row in
            let padded = row.indices.map { column in
                TextColumn.padded(row[column], to: widths[column], isRight: columns[column].kind.isNumber)
            }
            let line = padded.joined(separator: "  ").utf8
            let spaces = line.reversed().prefix { $0 == UInt8(ascii: " ") }.count
            return String(decoding: line.dropLast(spaces), as: UTF8.self)
        }
    }

    private func cell(_ value: Value, _ kind: Attribute.Kind) -> String {
        switch (value, kind) {
        case (.null, _): "nil"
        // Predicates and updates accept both forms. The textual form has years of four digits only.
        case (.integer(let milliseconds), .timestamp):
            CalendarText.hasText(milliseconds: milliseconds)
                ? CalendarText.utcText(milliseconds: milliseconds) : String(milliseconds)
        case (.string(let text), _): TextColumn.printable(text)
        default:
            TextColumn.printable(
                AttributeJSON.json(value, kind: kind).stringValue ?? AttributeJSON.json(value, kind: kind).text)
        }
    }
}

extension Attribute.Kind {
    fileprivate var isNumber: Bool { self == .integer || self == .double }
}

/// Formats texts for the columns of a terminal.
private enum TextColumn {
    /// The maximum length of a value: that of a UUID.
    static let charactersMax = 36

    static func printable(_ text: String) -> String {
        let shown = Console.printable(String(text.prefix(charactersMax + 1)))
        return shown.count > charactersMax ? shown.prefix(charactersMax - 1) + "…" : shown
    }

    static func padded(_ text: String, to width: Int, isRight: Bool) -> String {
        let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
        return isRight ? space + text : text + space
    }
}
