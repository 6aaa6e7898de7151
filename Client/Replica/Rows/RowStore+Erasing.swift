internal import GRDB
internal import RoostModel

extension RowStore {
    /// Takes every trace of a record's content away.
    func erase(_ key: RecordKey) throws {
        var places = ["roost_raw", "roost_extra", "roost_unfit", "roost_kept", "roost_dropped"].map {
            "DELETE FROM \($0) WHERE entity = \(key.entity) AND id = ?"
        }
        if let table = layout[key.entity] {
            places += [table.sql.removeVisible, table.sql.removeHidden]
        }
        for sql in places {
            _ = try UserTriggers.guarding(database, isDone: { $0 }) {
                let query = try database.query(sql)
                query.bind(1, key.id)
                try query.run()
                // A trigger of another program may have passed over the row.
                guard let table = layout[key.entity], sql == table.sql.removeVisible, table.additions.hasTriggers else {
                    return true
                }
                return try place(of: key) != .visible
            }
        }
    }
}
