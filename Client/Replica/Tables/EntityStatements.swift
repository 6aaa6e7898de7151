/// The statements of one entity that are run for each record. `?1` is always the identifier.
struct EntityStatements: Sendable {
    /// The query for the location of a record. It returns ``visible`` for a visible record, else the deleted flag of the hidden
    /// row, and null where there is neither.
    let place: String
    let isHidden: String
    let visibleRow: String
    let hiddenRow: String
    let visibleReferences: String
    let hiddenReferences: String
    /// An insert of a new visible row; columns from `?2`.
    let insert: String
    /// An insert of the visible row, which does nothing where the row exists; columns from `?2`.
    let insertUnlessThere: String
    /// An insert of the visible row, which updates the row where it exists; columns from `?2`.
    let upsert: String
    /// An update of the existing visible row; columns from `?2`. It replaces ``upsert`` where other programs have triggers.
    /// SQLite runs BEFORE INSERT triggers before it checks whether the row exists, and one of them may delete it.
    let updateVisible: String
    /// An update of the attributes of the visible row where it exists and has these references. Parameters are numbered like the
    /// columns. `nil` where there are no attributes.
    let updateAttributes: String?
    /// The statements that write as many rows as a ``RowBatch`` has, each with its identifier and all columns; `nil` where a
    /// statement would have too many parameters. Rows before the first refused one stay written, which spares SQLite the pages
    /// for undoing them.
    let batches: Batches?
    /// An update of the existing hidden row; columns from `?2`.
    let updateHidden: String
    /// A copy of visible rows to the hidden table, with `?2` as their deleted flag. The caller appends a condition.
    let hide: String
    /// A copy of hidden rows to the visible table. The caller appends a condition and ``unlessThere``. As with ``batches``, rows
    /// before the first refused one stay written.
    let show: String
    let copyToHidden: String
    let copyToVisible: String
    let removeVisible: String
    let removeHidden: String
    let markHidden: String

    /// The result of ``place`` for a visible record; a deleted flag is 0 or 1.
    static let visible: Int64 = -1
    /// The clause that skips rows whose identifier exists already.
    static let unlessThere = " ON CONFLICT(id) DO NOTHING"

    struct Batches: Sendable {
        /// An insert of new rows.
        let insert: String
        /// An insert of missing rows that updates the attributes of existing rows with these references; `nil` where there are no
        /// attributes.
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
        // A default build of SQLite allows at most 32,766 parameters in a statement.
        guard (columns.count + 1) * RowBatch.size < 32_000 else { return nil }
        let rows = Array(repeating: row, count: RowBatch.size).joined(separator: ", ")
        // An entity may be named "Excluded", so the existing row has an alias of its own.
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
