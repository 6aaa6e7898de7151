internal import GRDB
internal import RoostModel

/// The restoration of the hidden table, which follows the columns that other programs have added to the visible table.
extension TableRestoration {
    mutating func restoreHidden() throws {
        let additions = try UserAdditions.read(of: table, database).columns
        let visible = try TableColumn.all(of: table.table, database)
        let name = "roost_hidden_\(table.table)"
        let columns = try TableColumn.all(of: name, database)
        let keys = Set(columns.map(\.key))
        let wanted = (["id"] + table.columns.map(\.name)).map(SQLName.folded) + ["roost_deleted"]
        let isMade = columns.isEmpty || !wanted.allSatisfy(keys.contains)
        if isMade {
            if !columns.isEmpty { try rename(name, to: freeName("\(table.table)_hidden_replaced"), isFollowed: false) }
            try database.executeOne(TableSQL.createHidden(table))
            evidence = .replaced
            notices.append("The table \"\(name)\" was gone or another one, and was made again.")
        }
        if visible.contains(where: { $0.key == TableSQL.deletedColumn }) {
            notices.append(
                "The column \"\(TableSQL.deletedColumn)\" of \"\(table.table)\" has a name of Roost's: what it holds is lost where a delete hides a row. Give it another name."
            )
        }
        if !isMade { try renameHiddenColumns(columns, additions, wanted) }
        let there = Set(try TableColumn.all(of: name, database).map(\.key))
        for column in visible where there.contains(column.key) && additions.contains(column.name) {
            try setUnfitAside(column)
        }
        let kept = Set(wanted + additions.map(SQLName.folded))
        for column in isMade ? [] : columns where there.contains(column.key) && !kept.contains(column.key) {
            try setGoneAside(column)
        }
        for column in additions where !there.contains(SQLName.folded(column)) {
            // Rows that were already hidden get the value that visible rows got. SQLite adds no column with a computed default.
            try database.executeOne("ALTER TABLE \(table.hidden) ADD COLUMN \(SQLName.quoted(column)) ANY")
            if let standard = visible.first(where: { $0.name == column })?.defaultExpression {
                try database.executeOne("UPDATE \(table.hidden) SET \(SQLName.quoted(column)) = (\(standard))")
            }
        }
        try reload()
    }

    /// Moves values of the hidden table that the visible table does not accept into a table of their own. A program has dropped a
    /// column and added one of another type. No row could be shown again with these values.
    ///
    /// - Parameter column: The column of the visible table.
    private mutating func setUnfitAside(_ column: TableColumn) throws {
        let name = SQLName.quoted(column.name)
        if column.isRequired, let standard = column.defaultExpression {
            try database.executeOne("UPDATE \(table.hidden) SET \(name) = (\(standard)) WHERE \(name) IS NULL")
        }
        let isNoNumber = "(typeof(h.\(name)) = 'text' AND CAST(CAST(h.\(name) AS NUMERIC) AS TEXT) <> h.\(name))"
        let unfit: String
        switch column.type.uppercased() {
        case "INT", "INTEGER":
            unfit =
                "typeof(h.\(name)) = 'blob' OR \(isNoNumber) OR CAST(h.\(name) AS NUMERIC) <> CAST(h.\(name) AS INTEGER)"
        case "REAL": unfit = "typeof(h.\(name)) = 'blob' OR \(isNoNumber)"
        case "TEXT": unfit = "typeof(h.\(name)) = 'blob'"
        case "BLOB": unfit = "typeof(h.\(name)) NOT IN ('blob', 'null')"
        default: return
        }
        try setAside(
            column, where: unfit, insteadOf: column.defaultExpression ?? "NULL",
            { "has another type than before: it does not take \($0) values of rows that are out of sight" }
        )
    }

    /// Moves values of the hidden table whose column is gone from the visible table into a table of their own. A program may have
    /// dropped the column. No row could be shown again with these values.
    private mutating func setGoneAside(_ column: TableColumn) throws {
        try setAside(
            column, where: "h.\(SQLName.quoted(column.name)) IS NOT NULL", insteadOf: "NULL",
            { "is gone: rows that are out of sight held \($0) values in it" }
        )
    }

    private mutating func setAside(
        _ column: TableColumn, where condition: String, insteadOf value: String, _ reason: (Int64) -> String
    ) throws {
        let query = try database.query("SELECT count(*) FROM \(table.hidden) AS h WHERE \(condition)")
        guard let count = try query.first({ $0.integer(0) }), count > 0 else { return }
        let name = SQLName.quoted(column.name)
        let aside = freeName("\(table.table)_\(column.key)_before")
        try database.executeEach(
            "CREATE TABLE \(SQLName.quoted(aside)) AS SELECT h.\"id\", h.\(name) FROM \(table.hidden) AS h WHERE \(condition)",
            "UPDATE \(table.hidden) AS h SET \(name) = (\(value)) WHERE \(condition)")
        notices.append(
            "The column \"\(column.name)\" of \"\(table.table)\" \(reason(count)). They are in the table \"\(aside)\", which is yours."
        )
        try reload()
    }

    /// Renames columns of the hidden table as other programs have renamed those of the visible table.
    private mutating func renameHiddenColumns(
        _ columns: [TableColumn], _ additions: [String], _ wanted: [String]
    ) throws {
        let followed = columnsFollowed(columns.filter { !wanted.contains($0.key) }, additions)
        let renamed = followed ?? Self.renamed(columns, to: additions, wanted)
        // Names may be swapped.
        let names = Set(columns.map(\.key))
        let steps =
            renamed.contains { names.contains(SQLName.folded($0.new)) }
            ? renamed.enumerated().map { (old: $1.old, new: "roost_renamed_\($0)") }
                + renamed.enumerated().map { (old: "roost_renamed_\($0)", new: $1.new) } : renamed
        for step in steps where try !renameColumn(of: table.hidden, step.old, to: step.new) { return }
    }

    /// Returns the user columns that SQLite has renamed in the visible table. Roost's trigger that hides a deleted row has
    /// followed the renaming, and names the hidden table's column for each.
    ///
    /// - Parameters:
    ///   - hidden: The user columns of the hidden table. A column of Roost's keeps its name, whatever happened to it in the
    ///     visible table.
    ///   - visible: The columns that other programs have added to the visible table.
    /// - Returns: `nil` where the trigger is gone, or not as Roost has made it.
    private func columnsFollowed(
        _ hidden: [TableColumn], _ visible: [String]
    ) -> [(old: String, new: String)]? {
        let trigger = items.first { $0.kind == .trigger && $0.name == "roost_delete_\(table.entity)" && $0.isRoosts }
        guard let trigger, trigger.tableKey == table.table else { return nil }
        let start = "INSERT INTO \(table.hidden)("
        guard let found = trigger.sql.utf8.firstRange(of: start.utf8) else { return nil }
        var rest = trigger.sql.utf8[found.upperBound...]
        let names = SQLName.quotedNames(upToParenthesis: &rest)
        guard let values = rest.firstRange(of: "VALUES (".utf8) else { return nil }
        rest = rest[values.upperBound...]
        let read = SQLName.quotedNames(upToParenthesis: &rest)
        guard !names.isEmpty, names.count == read.count else { return nil }
        let (hidden, visible) = (Set(hidden.map(\.key)), Set(visible.map(SQLName.folded)))
        return zip(names, read).filter { old, new in
            SQLName.folded(old) != SQLName.folded(new) && hidden.contains(SQLName.folded(old))
                && visible.contains(SQLName.folded(new))
        }.map { (old: $0, new: $1) }
    }

    /// Returns the columns that other programs have renamed in the visible table, as their order tells: a new column at the index
    /// of one that is gone.
    ///
    /// - Parameters:
    ///   - hidden: The columns of the hidden table.
    ///   - visible: The columns that other programs have added to the visible table, in their order.
    ///   - wanted: The keys of Roost's columns.
    private static func renamed(
        _ hidden: [TableColumn], to visible: [String], _ wanted: [String]
    ) -> [(old: String, new: String)] {
        let before = hidden.filter { !wanted.contains($0.key) }.map(\.name)
        guard before.count == visible.count else { return [] }
        let (old, new) = (Set(before.map(SQLName.folded)), Set(visible.map(SQLName.folded)))
        return zip(before, visible).filter { before, visible in
            !new.contains(SQLName.folded(before)) && !old.contains(SQLName.folded(visible))
        }.map { (old: $0, new: $1) }
    }
}
