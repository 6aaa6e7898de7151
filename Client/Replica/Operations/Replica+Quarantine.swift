internal import GRDB
internal import RoostModel

/// Handling of a push that the server refuses as a whole because of its content.
extension Replica {
    /// Seals push `number` again in smaller pushes. Its number has not been used.
    ///
    /// - Parameter isTooLarge: Whether the server refused it for its size.
    /// - Returns: `false` if it holds only one transaction; nothing is changed then.
    package func dividePush(_ number: UInt64, isTooLarge: Bool) throws -> Bool {
        try engineWrite("seal smaller pushes") { database in
            let query = try database.query("SELECT body FROM roost_push WHERE number = ?")
            query.bind(1, number)
            guard let push = try query.first({ try $0.push(0) }) else { return true }
            let division = try Quarantine(database: database).divide(push.changeGroups, isTooLarge: isTooLarge)
            return division == .smaller
        }
    }

    /// Removes the only transaction of push `number` from the outbox, with all its parts, and journals it as refused. Other
    /// transactions stay in the outbox.
    ///
    /// - Returns: The number of changes in the transaction.
    package func setAside(_ number: UInt64, reason: String) throws -> Int {
        try engineWrite("set a refused transaction aside", isTold: true) { database in
            let query = try database.query("SELECT number, body, staged, continues FROM roost_push ORDER BY number")
            let pushes = try query.all { row in
                (
                    number: UInt64(clamping: row.integer(0)), changes: try row.push(1).changeGroups,
                    isStaged: row.integer(2) != 0, continues: row.integer(3) != 0
                )
            }
            var changes: [Change] = []
            for push in pushes where push.isStaged { changes += push.changes.last ?? [] }
            for push in pushes where !push.isStaged && push.number >= number {
                changes += push.changes.first ?? []
                if !push.continues { break }
            }
            var acknowledgement = try Acknowledgement(database, layout, now: now)
            try acknowledgement.refuse(changes, reason: reason)
            try acknowledgement.finish(current: [])
            try database.query("DELETE FROM roost_push WHERE staged = 0").run()
            try Quarantine(database: database).liftLimits()
            try Journal(database: database, now: now).event(
                "quarantine",
                "A transaction of \(changes.count) changes was set aside, for the server refuses it: \(reason) The journal "
                    + "keeps it.")
            return changes.count
        }
    }
}
