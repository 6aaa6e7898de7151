internal import GRDB
internal import RoostModel

/// How long the journal keeps what became of changes, with their content.
public struct JournalRetention {
    /// Where a replica says nothing else.
    public static let defaultDays = 365

    let database: Database

    /// 0 for ever.
    var days: Int {
        get throws { Int(try StateStore(database: database).integer(.journalDays) ?? Int64(Self.defaultDays)) }
    }

    /// Removes entries that are older, and says so.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: How many were removed.
    func removeOld(now: Int64) throws -> Int {
        let days = try days
        guard days > 0 else { return 0 }
        let query = try database.query("DELETE FROM roost_journal WHERE at < ?")
        query.bind(1, now - Int64(days) * 86_400_000)
        try query.run()
        let count = database.changesCount
        guard count > 0 else { return 0 }
        let state = StateStore(database: database)
        try state.set(.journalRemoved, .integer((try state.integer(.journalRemoved) ?? 0) + Int64(count)))
        try Journal(database: database, now: now).event(
            "journal", "\(count) entries of the journal were removed: they were older than \(days) days.")
        return count
    }
}

extension Replica {
    /// Sets for how many days the journal keeps its entries.
    ///
    /// - Parameter days: 0 for ever.
    public func keepJournal(days: Int) throws {
        try engineWrite("set how long the journal is kept") {
            try StateStore(database: $0).set(.journalDays, .integer(Int64(days)))
        }
    }

    /// Removes journal entries that are older than they are kept; for the process that holds the lease.
    ///
    /// - Returns: How many.
    package func removeOldJournalEntries() throws -> Int {
        let hasOld = try engineLook("look at the journal's age") { database in
            let days = try JournalRetention(database: database).days
            let query = try database.query("SELECT 1 FROM roost_journal WHERE at < ? LIMIT 1")
            query.bind(1, days > 0 ? now - Int64(days) * 86_400_000 : Int64.min)
            return try query.first { _ in true } ?? false
        }
        guard hasOld else { return 0 }
        return try engineWrite("remove old journal entries") { try JournalRetention(database: $0).removeOld(now: now) }
    }
}
