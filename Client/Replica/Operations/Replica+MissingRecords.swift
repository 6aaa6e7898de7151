internal import GRDB
internal import RoostMerge
internal import RoostModel

extension Replica {
    /// Deletes the records whose rows are missing, on this device and, with the next synchronisation, on all others.
    ///
    /// - Returns: The number of deleted records.
    /// - Throws: ``ReplicaError``; nothing is changed then.
    public func acceptMissingAsDeleted() throws -> Int {
        try engineWrite("delete what is missing") { database in
            let missing = MissingRecords(database: database, layout: layout)
            let keys = try missing.keys()
            let state = StateStore(database: database)
            var clock = try state.hybridClock
            let rows = try RowStore(database, layout)
            for key in keys {
                let time = clock.tick(wall: UInt64(clamping: now))
                try Outbox(database: database).addDeleteOfLostRow(key, time: time, rows)
            }
            try state.receive(clock.last)
            try missing.forgetAll()
            try Settlement(database: database, layout: layout).settle()
            try missing.resyncIfKeptIsGone()
            if !keys.isEmpty {
                try Journal(database: database, now: now).event(
                    "layout", "\(keys.count) records whose rows were missing were deleted, as the user asked.")
            }
            return keys.count
        }
    }

    /// Has the next synchronisation restore missing rows from the server.
    ///
    /// - Returns: The number of missing rows.
    /// - Throws: ``ReplicaError``; nothing is changed then.
    public func restoreMissing() throws -> Int {
        try engineWrite("restore what is missing") { database in
            let missing = MissingRecords(database: database, layout: layout)
            let count = try missing.keys().count
            guard count > 0 else { return 0 }
            try missing.forgetAll()
            if try StateStore(database: database).pullingAnew == nil {
                try ServerCopy(database: database).start(.damaged)
            }
            try Journal(database: database, now: now).event(
                "layout", "\(count) records whose rows were missing come back from the server, as the user asked.")
            return count
        }
    }
}
