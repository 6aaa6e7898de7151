internal import GRDB
internal import RoostModel

extension Replica {
    /// Sets the number of days for which the journal keeps its entries.
    ///
    /// - Parameter days: 0 keeps them forever.
    public func keepJournal(days: Int) throws {
        try engineWrite("set how long the journal is kept") {
            try StateStore(database: $0).set(.journalDays, .integer(Int64(days)))
        }
    }

    /// Removes journal entries that have exceeded their retention. Called by the process that holds the lease, after
    /// synchronising.
    ///
    /// - Parameter serverTime: The server's time, in milliseconds since 1970.
    /// - Returns: The number of removed entries.
    package func removeOldJournalEntries(at serverTime: UInt64) throws -> Int {
        let day = JournalRetention.day(serverTime)
        let (unseen, end) = try engineLook("look at the journal's age") { database in
            let retention = JournalRetention(database: database)
            return (try retention.unseen(on: day), try retention.end(on: day))
        }
        guard unseen != nil || end != nil else { return 0 }
        return try engineWrite("remove old journal entries") { database in
            let retention = JournalRetention(database: database)
            if let unseen { try retention.see(unseen, on: day) }
            return try end.map { try retention.remove(upTo: $0, now: now) } ?? 0
        }
    }
}
