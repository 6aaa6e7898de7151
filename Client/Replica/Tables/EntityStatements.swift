/// The statements of one entity that are run for each record. `?1` is always the identifier.
struct EntityStatements: Sendable {
    /// Where the record lies: ``visible`` for in sight, else the deleted mark of the hidden row, and null for neither.
    let place: String
    let isHidden: String
    let visibleRow: String
    let hiddenRow: String
    let visibleReferences: String
    let hiddenReferences: String
    /// Writes a new visible row; columns from `?2`.
    let insert: String
    /// Writes the visible row, new or not; columns from `?2`.
    let insertUnlessThere: String
    let upsert: String
    /// Writes the visible row that is there; columns from `?2`. Where other programs have triggers, it takes the place of ``upsert``:
    /// SQLite runs BEFORE INSERT triggers before it looks whether the row is there, and one of them may delete it.
    let updateVisible: String
    /// Writes the attributes of the visible row that is there and has these references, numbered as the columns are; `nil`
    /// where there are no attributes.
    let updateAttributes: String?
    /// Writes as many rows as a ``RowBatch`` has, each with its identifier and all columns; `nil` where that is too much for a statement.
    /// They write the rows before the first that is refused, which spares SQLite keeping pages to undo them with.
    let batches: Batches?
    /// Writes the hidden row that is there; columns from `?2`.
    let updateHidden: String
    /// Copies visible rows to the hidden table, with `?2` as their deleted mark; a condition is to follow.
    let hide: String
    /// Copies hidden rows to the visible table; a condition is to follow, and ``unlessThere``. It writes the rows before the first that is
    /// refused, as ``batches``.
    let show: String
    let copyToHidden: String
    let copyToVisible: String
    let removeVisible: String
    let removeHidden: String
    let markHidden: String

    /// What ``place`` says of a visible record; a deleted mark is 0 or 1.
    static let visible: Int64 = -1
    /// Passes over rows whose identifier is there already.
    static let unlessThere = " ON CONFLICT(id) DO NOTHING"

    struct Batches: Sendable {
        /// New rows.
        let insert: String
        /// Attributes of rows that have these references, and rows that are not there; `nil` where there are no attributes.
        let edit: String?
    }

    /// - Parameter additions: Names of columns that other programs have added to the visible table.
    init(table: String, columns: [EntityTable.Column], additions: [String] = []) {
        let visible = SQLName.quoted(table)
        let hidden = SQLName.quoted("roost_hidden_\(table)")
        let names = columns.map(\.quoted)
        let list = (["id"] + columns.map(\.name)).map(SQLName.quoted).joined(separator: ", ")
        let kept = ["id"] + columns.map(\.name) + additions
        let keptList = kept.map(SQLName.quoted).joined(separator: ", ")
        let references = columns.filter { $0.rule != nil }
        let places = (1...(names.count + 1)).map { "?\($0)" }.joined(separator: ", ")
        let numbered = names.enumerated().map { "\($1) = ?\($0 + 2)" }.joined(separator: ", ")
        let attributes = columns.enumerated().filter { $1.rule == nil }.map { "\($1.quoted) = ?\($0 + 2)" }
        let same = columns.enumerated().filter { $1.rule != nil }.map { " AND \(visible).\($1.quoted) IS ?\($0 + 2)" }
        func select(_ columns: [String], from source: String) -> String {
            let list = columns.isEmpty ? "1" : columns.map { SQLName.column($0, of: source) }.joined(separator: ", ")
            return "SELECT \(list) FROM \(source) WHERE \(source).\"id\" = ?1"
        }
        updateAttributes =
            attributes.isEmpty
            ? nil
            : "UPDATE \(visible) SET \(attributes.joined(separator: ", ")) WHERE \(visible).\"id\" = ?1\(same.joined())"
        batches = Self.batches(visible, list, columns)
        isHidden = "SELECT \(hidden).roost_deleted FROM \(hidden) WHERE \(hidden).\"id\" = ?1"
        place =
            "SELECT coalesce((SELECT \(Self.visible) FROM \(visible) WHERE \(visible).\"id\" = ?1), (\(isHidden)))"
        visibleRow = select(["id"] + columns.map(\.name), from: visible)
        hiddenRow = select(["id"] + columns.map(\.name), from: hidden)
        visibleReferences = select(references.map(\.name), from: visible)
        hiddenReferences = select(references.map(\.name), from: hidden)
        insert = "INSERT INTO \(visible)(\(list)) VALUES (\(places))"
        insertUnlessThere = insert + Self.unlessThere
        upsert =
            "INSERT INTO \(visible)(\(list)) VALUES (\(places)) ON CONFLICT(\"id\") "
            + (numbered.isEmpty ? "DO NOTHING" : "DO UPDATE SET \(numbered)")
        let assignments = numbered.isEmpty ? "\"id\" = \"id\"" : numbered
        updateVisible = "UPDATE \(visible) SET \(assignments) WHERE \(visible).\"id\" = ?1"
        updateHidden = "UPDATE \(hidden) SET \(assignments) WHERE \(hidden).\"id\" = ?1"
        func keptColumns(of source: String) -> String {
            kept.map { SQLName.column($0, of: source) }.joined(separator: ", ")
        }
        hide =
            "INSERT OR REPLACE INTO \(hidden)(\(keptList), roost_deleted) SELECT \(keptColumns(of: visible)), ?2 FROM \(visible)"
        let show = "INTO \(visible)(\(keptList)) SELECT \(keptColumns(of: hidden)) FROM \(hidden)"
        self.show = "INSERT OR FAIL \(show)"
        copyToHidden = "\(hide) WHERE \(visible).\"id\" = ?1"
        copyToVisible = "INSERT \(show) WHERE \(hidden).\"id\" = ?1" + Self.unlessThere
        removeVisible = "DELETE FROM \(visible) WHERE \(visible).\"id\" = ?1"
        removeHidden = "DELETE FROM \(hidden) WHERE \(hidden).\"id\" = ?1"
        markHidden = "UPDATE \(hidden) SET roost_deleted = ?2 WHERE \(hidden).\"id\" = ?1"
    }

    private static func batches(_ visible: String, _ list: String, _ columns: [EntityTable.Column]) -> Batches? {
        let row = "(\(Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")))"
        // Of SQLite's own making a statement has 32,766 places at most.
        guard (columns.count + 1) * RowBatch.size < 32_000 else { return nil }
        let rows = Array(repeating: row, count: RowBatch.size).joined(separator: ", ")
        // An entity may be named "Excluded": the row that is there has a name of its own.
        let insert = "INSERT OR FAIL INTO \(visible) AS roost_row(\(list)) VALUES \(rows)"
        let attributes = columns.filter { $0.rule == nil }.map { "\($0.quoted) = excluded.\($0.quoted)" }
        let same = columns.filter { $0.rule != nil }.map { "roost_row.\($0.quoted) IS excluded.\($0.quoted)" }
        guard !attributes.isEmpty else { return Batches(insert: insert, edit: nil) }
        let condition = same.isEmpty ? "" : " WHERE \(same.joined(separator: " AND "))"
        return Batches(
            insert: insert,
            edit: "\(insert) ON CONFLICT(id) DO UPDATE SET \(attributes.joined(separator: ", "))\(condition)")
    }
}
