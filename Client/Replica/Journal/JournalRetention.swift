internal import GRDB
internal import RoostModel

/// The retention of journal entries and their content.
///
/// An entry's age is counted from the first synchronisation after it, by the server's clock. The device's own clock may be years
/// off, and must not empty the journal.
public struct JournalRetention {
    /// The retention period, in days, of a replica without a setting of its own.
    public static let defaultDays = 365

    private static let dayMilliseconds: Int64 = 86_400_000

    let database: Database

    /// The retention period in days; 0 keeps entries for ever.
    var days: Int {
        get throws { Int(try StateStore(database: database).integer(.journalDays) ?? Int64(Self.defaultDays)) }
    }

    /// Returns the day since 1970 of a time in milliseconds since 1970.
    static func day(_ time: UInt64) -> Int64 { Int64(clamping: time) / dayMilliseconds }

    /// Returns the ordinal of the last entry, unless entries were already recorded for this day or a later one.
    ///
    /// - Returns: `nil` also where the journal is empty.
    func unseen(on day: Int64) throws -> Int64? {
        let query = try database.query(
            """
            SELECT max(ordinal) FROM roost_journal
            WHERE NOT EXISTS (SELECT 1 FROM roost_journal_day WHERE day >= ?)
            """)
        query.bind(1, day)
        return try query.first { $0.optionalInteger(0) } ?? nil
    }

    /// Returns the ordinal of the last entry that is past the retention period on this day; `nil` where none is.
    func end(on day: Int64) throws -> Int64? {
        let days = try days
        guard days > 0 else { return nil }
        let query = try database.query(
            """
            SELECT max(last) FROM roost_journal_day WHERE day < ?
            AND EXISTS (SELECT 1 FROM roost_journal WHERE ordinal <= last)
            """)
        query.bind(1, day - Int64(days))
        return try query.first { $0.optionalInteger(0) } ?? nil
    }

    /// Records the last entry that exists on this day.
    func see(_ last: Int64, on day: Int64) throws {
        let query = try database.query("INSERT OR IGNORE INTO roost_journal_day(day, last) VALUES (?, ?)")
        query.bind(1, day)
        query.bind(2, last)
        try query.run()
    }

    /// Removes the entries up to `end`, and logs an event.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The number of removed entries.
    func remove(upTo end: Int64, now: Int64) throws -> Int {
        let query = try database.query("DELETE FROM roost_journal WHERE ordinal <= ?")
        query.bind(1, end)
        try query.run()
        let count = database.changesCount
        let seen = try database.query("DELETE FROM roost_journal_day WHERE last <= ?")
        seen.bind(1, end)
        try seen.run()
        guard count > 0 else { return 0 }
        let state = StateStore(database: database)
        try state.set(.journalRemoved, .integer((try state.integer(.journalRemoved) ?? 0) + Int64(count)))
        try Journal(database: database, now: now).event(
            "journal", "\(count) entries of the journal were removed: they were older than \(try days) days.")
        return count
    }
}
