internal import GRDB
internal import RoostModel

/// How long the journal keeps what became of changes, with their content.
///
/// An entry's age is counted from the first synchronisation after it, by the server's clock: the device's own may be years off, and
/// must not empty the journal.
public struct JournalRetention {
    /// Where a replica says nothing else.
    public static let defaultDays = 365

    private static let dayMilliseconds: Int64 = 86_400_000

    let database: Database

    /// 0 for ever.
    var days: Int {
        get throws { Int(try StateStore(database: database).integer(.journalDays) ?? Int64(Self.defaultDays)) }
    }

    /// The day of a moment, in milliseconds since 1970.
    static func day(_ time: UInt64) -> Int64 { Int64(clamping: time) / dayMilliseconds }

    /// The last entry there is, if it was not seen on this day or before.
    func unseen(on day: Int64) throws -> Int64? {
        let query = try database.query(
            """
            SELECT max(ordinal) FROM roost_journal
            WHERE NOT EXISTS (SELECT 1 FROM roost_journal_day WHERE day >= ?)
            """)
        query.bind(1, day)
        return try query.first { $0.optionalInteger(0) } ?? nil
    }

    /// Up to which entry the journal is too old on this day; `nil` where none is.
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

    /// Notes which entries there are on this day.
    func see(_ last: Int64, on day: Int64) throws {
        let query = try database.query("INSERT OR IGNORE INTO roost_journal_day(day, last) VALUES (?, ?)")
        query.bind(1, day)
        query.bind(2, last)
        try query.run()
    }

    /// Removes the entries up to `end`, and says so.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: How many were removed.
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
