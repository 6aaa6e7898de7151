internal import GRDB
package import RoostModel

/// Bringing back what a restored server has lost (protocol.md §7.7).
extension Replica {
    /// How many records wait to be brought back.
    package func lostCount() throws -> Int {
        try engineLook("count what the server has lost") { try LostRecords(database: $0).count }
    }

    /// The next records to bring back, each with the slots that the server has lost.
    package func nextLost(limit: Int, bytesMax: Int) throws -> [RecordState] {
        #if ROOST_SEEDED_BUGS
            let limit = SeededBug.recoveryIgnoresLimit.isOn ? 1000 : limit
        #endif
        return try engineLook("read what the server has lost") {
            try LostRecords(database: $0).next(limit: limit, bytesMax: bytesMax)
        }
    }

    /// Notes that the server has these again.
    ///
    /// - Parameter purged: Those of them that it passed over because it has purged them: they are forgotten, but for what others
    ///   have made anew of them since. A delete waits on, to be brought back alone: it may be a later one than what was purged.
    package func broughtBack(_ states: [RecordState], purged: [RecordKey] = []) throws {
        try engineWrite("note what the server has again", isTold: !purged.isEmpty) { database in
            let lost = LostRecords(database: database)
            let pulled = PulledAnew(database: database)
            if !purged.isEmpty {
                var page = try PageApplication(database, layout, count: purged.count, now: now)
                for key in purged { try page.passOver(lost: key) }
                _ = try page.finish()
            }
            for state in states {
                // Something else may have been lost of it since, or its delete waits on.
                guard try lost.state(of: state.key) == state else { continue }
                try lost.forget(state.key)
                try pulled.forget(state.key)
            }
            guard try lost.isEmpty else { return }
            try Journal(database: database, now: now).event(
                "history", "The server has everything again that it had lost and this replica still held.")
        }
    }

    /// Gives up bringing back: the confirmed slots become the server's. This device's own changes go as new ones, unless it
    /// may not write; everything else is journaled as lost, with its content.
    ///
    /// - Parameter mayWrite: Whether this device's role allows changes.
    /// - Returns: How many records had a change that is journaled, and how many go anew.
    package func giveUpLost(mayWrite: Bool) throws -> (journaled: Int, renewed: Int) {
        try engineWrite("give up what the server has lost", isTold: true) { database in
            var surrender = try LostSurrender(database, layout, now: now, mayWrite: mayWrite)
            try surrender.run()
            return (surrender.journaled, surrender.renewed)
        }
    }
}
