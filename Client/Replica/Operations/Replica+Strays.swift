internal import GRDB
internal import RoostMerge
internal import RoostModel

extension Replica {
    /// Makes local changes of untracked rows: visible or hidden rows that no confirmed put and no pending change accounts
    /// for. Another program wrote them past the triggers, for example with its own triggers on its own connection, or with
    /// all triggers disabled.
    ///
    /// A row whose identifier differs in one byte from that of a missing row with the same content is corrupt. It is left to
    /// the next full resynchronisation.
    ///
    /// - Returns: The number of local changes made.
    func adoptStrays() throws -> Int {
        let isAny = try engineLook("look for untracked rows", isSnapshot: true) { database in
            try checkVersion(of: database)
            return try ScrubState(database: database).isComparable && !RowStore(database, layout).strays().isEmpty
        }
        guard isAny else { return 0 }
        return try engineWrite("keep untracked rows") { database in
            let rows = try RowStore(database, layout)
            let state = StateStore(database: database)
            var clock = try state.hybridClock
            var count = 0
            for key in try rows.strays() {
                // A hidden row that is marked as deleted has been erased before, or its delete is pending.
                guard try [.visible, .hidden(isDeleted: false)].contains(rows.place(of: key)),
                    let content = try rows.readablePut(of: key), try !isMisnamed(key, content, rows, database)
                else { continue }
                try Outbox(database: database).add(key, .put, time: clock.tick(wall: UInt64(clamping: now)))
                count += 1
            }
            try state.receive(clock.last)
            try Settlement(database: database, layout: layout).settle()
            if count > 0 {
                recordFoundChanges()
                try Journal(database: database, now: now).event(
                    "layout", "\(count) rows that were written without being tracked are local changes now.")
            }
            return count
        }
    }

    private func isMisnamed(_ key: RecordKey, _ content: [UInt8], _ rows: RowStore, _ database: Database) throws -> Bool
    {
        let hash = ContentHash(of: content)
        let query = try database.query("SELECT f.id FROM roost_fact AS f WHERE f.entity = ? AND f.hash = ?")
        query.bind(1, key.entity.rawValue)
        query.bind(2, hash.bytes)
        let alike = try query.all { $0.id(0) }.compactMap(\.self)
        return try alike.contains { id in
            try zip(id.bytes, key.id.bytes).count(where: { $0 != $1 }) == 1
                && rows.place(of: RecordKey(entity: key.entity, id: id)) == .nowhere
        }
    }
}
