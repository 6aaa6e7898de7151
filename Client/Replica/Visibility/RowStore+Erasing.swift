internal import GRDB
internal import RoostModel

extension RowStore {
    /// Deletes a record's rows, and everything stored alongside them.
    func erase(_ key: RecordKey) throws {
        try eraseBeside(key)
        guard let table = layout[key.entity] else { return }
        try run([table.sql.removeVisible, table.sql.removeHidden], key)
    }

    /// Deletes content that the current page replaces.
    ///
    /// A row with columns of other programs is hidden instead, like a deleted one, because the page does not contain their
    /// values.
    func putAway(_ key: RecordKey) throws {
        guard let table = layout[key.entity], !table.additions.columns.isEmpty else { return try erase(key) }
        var moves = RowMoves(database: database, layout: layout)
        switch try place(of: key) {
        case .nowhere: return try erase(key)
        case .visible: try moves.hide(key, isDeleted: true)
        case .hidden: try moves.mark(key, isDeleted: true)
        }
        try eraseBeside(key)
        try moves.finish()
        recordHidden(in: table)
    }

    private func eraseBeside(_ key: RecordKey) throws {
        try run(
            ["roost_raw", "roost_extra", "roost_unfit", "roost_kept", "roost_dropped"].map {
                "DELETE FROM \($0) WHERE entity = \(key.entity) AND id = ?"
            }, key)
    }

    private func run(_ statements: [String], _ key: RecordKey) throws {
        for sql in statements {
            _ = try UserTriggers.guarding(database, isDone: { $0 }) {
                let query = try database.query(sql)
                query.bind(1, key.id)
                try query.run()
                // A user trigger may have skipped the row.
                guard let table = layout[key.entity], sql == table.sql.removeVisible, table.additions.hasTriggers else {
                    return true
                }
                return try place(of: key) != .visible
            }
        }
    }
}
