internal import GRDB
internal import RoostModel

/// Derives what follows from local changes that triggers have only marked.
///
/// Triggers hide the children of a deleted record at once. What they cannot know (a record that comes back and brings its
/// children, a child of a hidden parent, a hierarchy more than one level deep) is settled here: at the end of a
/// transaction of Roost's own, and before each push or pull for those of other programs.
struct Settlement {
    let database: Database
    let layout: Layout
    /// `nil` to look it up where there is something to settle.
    var replica: ReplicaID?

    /// - Parameter moving: Called before rows are written, where any may have to be.
    /// - Returns: Whether there was anything to settle.
    @discardableResult
    func settle(moving: () throws -> Void = {}) throws -> Bool {
        let waiting = try unsettled()
        guard !waiting.isEmpty else { return false }
        let rows = try RowStore(database, layout)
        let replica = try replica ?? StateStore(database: database).replica
        let stamps = EffectiveStamps(database: database, replica: replica)
        var changed: [RecordKey: OwnState] = [:]
        for (key, put, delete) in waiting { changed[key] = stamps.own(try stamps.confirmed(key), put, delete) }
        try rows.eachUnfit(of: changed.keys) { key in
            // What was kept aside is over where a local put is in its place; else it is not visible, whatever its slots say.
            if try rows.place(of: key) == .nowhere { changed[key] = .absent } else { try rows.forgetUnfit(key) }
        }
        try Visibility(rows: rows, stamps: stamps).update(
            changed.map { ChangedRecord(key: $0, own: $1) }, moving: moving)
        try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled = 1").run()
        return true
    }

    private func unsettled() throws -> [(key: RecordKey, put: Int64?, delete: Int64?)] {
        let query = try database.query("SELECT entity, id, put_stamp, del_stamp FROM roost_outbox WHERE unsettled = 1")
        return try query.all { row in
            row.key(0).map { ($0, row.optionalInteger(2), row.optionalInteger(3)) }
        }.compactMap { $0 }
    }
}
