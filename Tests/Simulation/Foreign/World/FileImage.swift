internal import Foundation
internal import RoostModel

/// A row of a synchronised table, as a program of SQLite reads it.
struct ForeignRow: Hashable, Sendable {
    var rowid: Int64
    /// The values by column name. The user's own columns are included, the identifier is not.
    var columns: [String: ForeignValue]
}

/// All synchronised tables of a file, read by the foreign connection in one transaction.
struct FileImage: Sendable {
    /// An entry of `sqlite_schema`.
    struct Object: Hashable, Sendable {
        var type: String
        var name: String
        var table: String
        var sql: String

        /// Returns whether the object's SQL contains a text. It uses C's search: Swift's search of bytes took a third of a
        /// seed's time.
        func has(_ text: String) -> Bool { strstr(sql, text) != nil }
    }

    /// The rows of each table; `nil` for a table that does not exist, or has no identifiers.
    var tables: [EntityID: [RecordID: ForeignRow]] = [:]
    /// The hidden rows, with `roost_deleted`, which tells a deleted record from one hidden together with another.
    var hidden: [RecordKey: ForeignRow] = [:]
    var objects: [Object] = []
    /// The names of the columns of each table.
    var columns: [EntityID: [String]] = [:]
    /// Records that Roost keeps and cannot show.
    var unfit: Set<RecordKey> = []

    init() {}

    init(_ connection: ForeignConnection, _ tables: [ForeignTable]) throws {
        try connection.execute("BEGIN")
        defer { try? connection.execute("COMMIT") }
        objects = try connection.rows("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
            .map { Object(type: $0[0].string, name: $0[1].string, table: $0[2].string, sql: $0[3].string) }
        for table in tables {
            (columns[table.entity], self.tables[table.entity]) = try Self.rows(connection, table)
            readRenamed(table)
            for (id, row) in try Self.rows(connection, table, name: table.hidden).1 ?? [:] {
                hidden[RecordKey(entity: table.entity, id: id)] = row
            }
        }
        for row in (try? connection.rows("SELECT entity, id FROM roost_unfit")) ?? [] {
            guard case .integer(let entity) = row[0], let key = Self.key(EntityID(UInt32(entity)), row[1]) else {
                continue
            }
            unfit.insert(key)
        }
    }

    /// Corrects the reading of a column that was renamed and then added again, empty. Until Roost has filled the new column,
    /// its trigger names the renamed one, so that the value is read from there.
    private mutating func readRenamed(_ table: ForeignTable) {
        let trigger = objects.first { $0.name == "roost_update_\(table.entity)" && $0.table == table.name }
        guard let trigger, let names = columns[table.entity] else { return }
        for column in table.columns where names.contains(column.name) {
            let other = column.name + "_2"
            guard names.contains(other), trigger.has("OLD.\"\(other)\"") else {
                continue
            }
            tables[table.entity] = tables[table.entity]?.mapValues { row in
                var row = row
                let isEmpty = row.columns[column.name] == column.defaultValue
                if isEmpty { row.columns[column.name] = row.columns[other] }
                return row
            }
        }
    }

    private static func rows(
        _ connection: ForeignConnection, _ table: ForeignTable, name: String? = nil
    ) throws -> ([String]?, [RecordID: ForeignRow]?) {
        let read: (columns: [String], rows: [[ForeignValue]])
        do {
            read = try connection.table("SELECT rowid, * FROM main.\"\(name ?? table.name)\"")
        } catch let failure as ForeignConnection.Failure where failure.isOfSchema {
            return (nil, nil)
        }
        let names = Array(read.columns.dropFirst())
        guard let place = read.columns.firstIndex(of: "id") else { return (names, nil) }
        var rows: [RecordID: ForeignRow] = [:]
        for values in read.rows {
            guard case .integer(let rowid) = values[0], let key = key(table.entity, values[place]) else { continue }
            let columns = zip(read.columns, values).enumerated().filter { $0.offset > 0 && $0.offset != place }
            rows[key.id] = ForeignRow(
                rowid: rowid, columns: Dictionary(columns.map { ($0.element.0, $0.element.1) }) { $1 })
        }
        return (names, rows)
    }

    private static func key(_ entity: EntityID, _ value: ForeignValue) -> RecordKey? {
        guard case .blob(let bytes) = value, let id = RecordID(bytes: bytes) else { return nil }
        return RecordKey(entity: entity, id: id)
    }

    subscript(_ key: RecordKey) -> ForeignRow? { tables[key.entity]?[key.id] }

    /// Returns a record's row: the visible one, or one that a delete rule hides although its record is not deleted.
    func present(_ key: RecordKey) -> ForeignRow? {
        if let row = self[key] { return row }
        guard let row = hidden[key], row.columns["roost_deleted"] == .integer(0) else { return nil }
        return row
    }

    /// Returns the identifiers of a table's rows, visible and hidden ones.
    func ids(_ table: ForeignTable) -> Set<RecordID> {
        Set(tables[table.entity].map { Array($0.keys) } ?? [])
            .union(hidden.keys.filter { $0.entity == table.entity }.map(\.id))
    }

    /// Returns whether another table has taken this name: one that lacks several of Roost's columns, or that has none of
    /// Roost's triggers and either lacks a column or has the index of a data frame.
    func isReplaced(_ table: ForeignTable) -> Bool {
        guard let columns = columns[table.entity] else { return false }
        let missing = (["id"] + table.columns.map(\.name)).count { !columns.contains($0) }
        guard missing > 0 || columns.contains("index") else { return false }
        return missing > 1
            || !objects.contains { $0.type == "trigger" && $0.table == table.name && $0.name.hasPrefix("roost_") }
    }

    /// Returns whether Roost's triggers of a table exist for each kind of write, none of them overwritten.
    func isTracked(_ table: ForeignTable) -> Bool {
        ["insert", "update", "rename", "delete"].allSatisfy { hasTrigger($0, of: table) }
    }

    /// Returns whether Roost's trigger of a table for one kind of write exists and is not overwritten.
    func hasTrigger(_ kind: String, of table: ForeignTable) -> Bool {
        let name = "roost_\(kind)_\(table.entity)"
        return objects.contains { $0.name == name && $0.table == table.name && !$0.sql.hasSuffix(Self.overwrittenEnd) }
    }

    /// The end of the triggers that other programs put in place of Roost's.
    static let overwrittenEnd = "BEGIN SELECT 1; END"

    /// Returns whether a table has a unique index of the user's that Roost has not seen. No trigger then tracks the rows that
    /// a REPLACE evicts by it.
    func hasUnseenIndex(_ table: ForeignTable) -> Bool {
        let unique = objects.count { $0.type == "index" && $0.table == table.name && $0.sql.hasPrefix("CREATE UNIQUE") }
        let seen = objects.count {
            $0.type == "trigger" && $0.name.hasPrefix("roost_evict_\(table.entity)_") && $0.name.hasSuffix("_insert")
        }
        return unique > seen
    }
}

extension ForeignValue {
    /// The text of a text value; empty for other types.
    var string: String { if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { "" } }
}
