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
    /// `nil` for the one of the file.
    var replica: ReplicaID?

    /// - Parameter moving: Called before rows are written, where any may have to be.
    /// - Returns: Whether there was anything to settle.
    @discardableResult
    func settle(moving: () throws -> Void = {}) throws -> Bool {
        let found = try unsettled()
        guard !found.waiting.isEmpty else { return false }
        let rows = try RowStore(database, layout)
        let stamps = EffectiveStamps(
            database: database, replica: try replica ?? found.replica ?? StateStore(database: database).replica)
        var changed: [RecordKey: OwnState] = [:]
        for (key, put, delete) in found.waiting { changed[key] = stamps.own(try stamps.confirmed(key), put, delete) }
        try rows.eachUnfit(of: changed.keys) { key in
            // What was kept aside is over where a local put is in its place; else it is not visible, whatever its slots say.
            if try rows.place(of: key) == .nowhere { changed[key] = .absent } else { try rows.forgetUnfit(key) }
        }
        try Visibility(rows: rows, stamps: stamps).update(
            changed.map { ChangedRecord(key: $0, own: $1) }, moving: moving)
        try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled = 1").run()
        return true
    }

    /// The changes that are only marked, and with them who this replica is, which takes less here than by itself.
    private func unsettled() throws -> (waiting: [(key: RecordKey, put: Int64?, delete: Int64?)], replica: ReplicaID?) {
        let query = try database.query(
            """
            SELECT entity, id, put_stamp, del_stamp, (SELECT value FROM roost_state WHERE name = 'replica')
            FROM roost_outbox WHERE unsettled = 1
            """)
        var waiting: [(key: RecordKey, put: Int64?, delete: Int64?)] = []
        var replica: ReplicaID?
        while try query.step() {
            if replica == nil { replica = ReplicaID(query.text(4)) }
            if let key = query.key(0) { waiting.append((key, query.optionalInteger(2), query.optionalInteger(3))) }
        }
        return (waiting, replica)
    }
}
