internal import GRDB
package import RoostModel

/// Recovery of slots that a restored server has lost (protocol.md §7.7).
extension Replica {
    /// Returns the number of records that are still to be brought back.
    package func lostCount() throws -> Int {
        try engineLook("count what the server has lost") { try LostRecords(database: $0).count }
    }

    /// Returns the next records to bring back, each with the slots that the server has lost.
    package func nextLost(limit: Int, bytesMax: Int) throws -> [RecordState] {
        #if ROOST_SEEDED_BUGS
            let limit = SeededBug.recoveryIgnoresLimit.isOn ? 1000 : limit
        #endif
        return try engineLook("read what the server has lost") {
            try LostRecords(database: $0).next(limit: limit, bytesMax: bytesMax)
        }
    }

    /// Records that the server has some lost records again.
    ///
    /// - Parameter purged: The records among them that the server skipped because it has purged them. The replica forgets
    ///   them, except for what other devices have written since. A delete that may be later than the purged one stays, to be
    ///   brought back alone.
    package func broughtBack(_ states: [RecordState], purged: [RecordKey] = []) throws {
        try engineWrite("note what the server has again", isTold: !purged.isEmpty) { database in
            let lost = LostRecords(database: database)
            let pulled = ServerCopy(database: database)
            if !purged.isEmpty {
                var page = try PageApplication(database, layout, count: purged.count, now: now)
                for key in purged { try page.passOver(lost: key) }
                _ = try page.finish()
            }
            for state in states {
                // The server may have lost another slot of the record since, or the record's delete is still to be brought
                // back.
                guard try lost.state(of: state.key) == state else { continue }
                try lost.forget(state.key)
                try pulled.forget(state.key)
            }
            guard try lost.isEmpty else { return }
            try Journal(database: database, now: now).event(
                "history", "The server has everything again that it had lost and this replica still held.")
        }
    }

    /// Discards the lost slots instead of bringing them back: the server's slots become the confirmed ones. This device's
    /// own changes are resent as new changes if it may write. All others are journaled as lost, with their content.
    ///
    /// - Parameter mayWrite: Whether this device's role allows changes.
    /// - Returns: The number of records with a journaled change, and the number of records with a resent change.
    package func giveUpLost(mayWrite: Bool) throws -> (journaled: Int, renewed: Int) {
        try engineWrite("give up what the server has lost", isTold: true) { database in
            var surrender = try LostSurrender(database, layout, now: now, mayWrite: mayWrite)
            try surrender.run()
            return (surrender.journaled, surrender.renewed)
        }
    }
}
