internal import GRDB
package import RoostModel

/// What to do with a push that the server refuses whole because of its content.
extension Replica {
    /// Seals push `number` anew in smaller ones; its number was not used up.
    ///
    /// - Parameter isTooLarge: Whether the server refused it for its size.
    /// - Returns: `false` where it holds only one transaction; nothing is changed then.
    package func dividePush(
        _ number: UInt64, isTooLarge: Bool, decode: ([UInt8]) throws -> [[Change]]
    ) throws -> Bool {
        try engineWrite("seal smaller pushes") { database in
            guard let body = try body(of: number, database) else { return true }
            let division = try Quarantine(database: database).divide(try decode(body), isTooLarge: isTooLarge)
            return division == .smaller
        }
    }

    /// Takes the one transaction of push `number` out of the outbox, with all its parts, and journals it as refused. The
    /// others go on.
    ///
    /// - Returns: How many changes it had.
    package func setAside(
        _ number: UInt64, reason: String, decode: ([UInt8]) throws -> [[Change]]
    ) throws -> Int {
        try engineWrite("set a refused transaction aside", isTold: true) { database in
            let query = try database.query("SELECT number, body, staged, continues FROM roost_push ORDER BY number")
            let pushes = try query.all { row in
                (
                    number: UInt64(clamping: row.integer(0)), body: row.bytes(1), isStaged: row.integer(2) != 0,
                    continues: row.integer(3) != 0
                )
            }
            var changes: [Change] = []
            for push in pushes where push.isStaged { changes += try decode(push.body).last ?? [] }
            for push in pushes where !push.isStaged && push.number >= number {
                changes += try decode(push.body).first ?? []
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

    private func body(of number: UInt64, _ database: Database) throws -> [UInt8]? {
        let query = try database.query("SELECT body FROM roost_push WHERE number = ?")
        query.bind(1, number)
        return try query.first { $0.bytes(0) }
    }
}
