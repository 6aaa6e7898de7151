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
        guard try !KnownSettled.holds(on: database) else {
            assert(isAllSettled)
            return false
        }
        return try settleAll(moving)
    }

    private func settleAll(_ moving: () throws -> Void) throws -> Bool {
        let found = try unsettled()
        if !found.waiting.isEmpty {
            try derive(found.waiting, found.replica, moving)
            try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE unsettled = 1").run()
        }
        try KnownSettled.note(found.passed, on: database)
        return !found.waiting.isEmpty
    }

    /// The same at the end of a transaction with triggers: where all else is known to be settled, only what it wrote is looked up.
    ///
    /// - Parameter written: The records that it wrote.
    func settle(_ written: some Collection<RecordKey>, moving: () throws -> Void) throws {
        guard try KnownSettled.holds(on: database, for: written.count) else {
            _ = try settleAll(moving)
            return
        }
        let look = try database.query(
            "SELECT put_stamp, del_stamp FROM roost_outbox WHERE entity = ? AND id = ? AND unsettled = 1")
        let waiting = try written.compactMap { key in
            look.bind(1, key.entity.rawValue)
            look.bind(2, key.id)
            return try look.first { Waiting(key: key, put: $0.optionalInteger(0), delete: $0.optionalInteger(1)) }
        }
        if !waiting.isEmpty {
            try derive(waiting, nil, moving)
            let mark = try database.query("UPDATE roost_outbox SET unsettled = 0 WHERE entity = ? AND id = ?")
            for change in waiting {
                mark.bind(1, change.key.entity.rawValue)
                mark.bind(2, change.key.id)
                try mark.run()
            }
        }
        KnownSettled.note(lookedUp: written.count, on: database)
        assert(isAllSettled)
    }

    /// A change that is only marked.
    private struct Waiting {
        var key: RecordKey
        var put: Int64?
        var delete: Int64?
    }

    private func derive(_ waiting: [Waiting], _ known: ReplicaID?, _ moving: () throws -> Void) throws {
        let rows = try RowStore(database, layout)
        let stamps = EffectiveStamps(
            database: database, replica: try replica ?? known ?? StateStore(database: database).replica)
        var changed: [RecordKey: OwnState] = [:]
        for change in waiting {
            changed[change.key] = stamps.own(try stamps.confirmed(change.key), change.put, change.delete)
        }
        try rows.eachUnfit(of: changed.keys) { key in
            // What was kept aside is over where a local put is in its place; else it is not visible, whatever its slots say.
            if try rows.place(of: key) == .nowhere { changed[key] = .absent } else { try rows.forgetUnfit(key) }
        }
        try Visibility(rows: rows, stamps: stamps).update(
            changed.map { ChangedRecord(key: $0, own: $1) }, moving: moving)
    }

    /// What is only marked, and with it who this replica is, which takes less here than by itself.
    private func unsettled() throws -> (waiting: [Waiting], replica: ReplicaID?, passed: Int) {
        let query = try database.query(
            """
            SELECT entity, id, put_stamp, del_stamp, (SELECT value FROM roost_state WHERE name = 'replica')
            FROM roost_outbox WHERE unsettled = 1
            """)
        var waiting: [Waiting] = []
        var replica: ReplicaID?
        while try query.step() {
            if replica == nil { replica = ReplicaID(query.text(4)) }
            guard let key = query.key(0) else { continue }
            waiting.append(Waiting(key: key, put: query.optionalInteger(2), delete: query.optionalInteger(3)))
        }
        return (waiting, replica, query.rowsPassed())
    }

    /// What is known, looked at: in builds with assertions. A file that cannot be read says so wherever it is read next.
    private var isAllSettled: Bool { (try? unsettled().waiting.isEmpty) ?? true }
}
