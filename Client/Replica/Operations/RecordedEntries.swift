internal import GRDB
internal import RoostModel

/// A reader of the stored journal entries. It marks the beaten changes that are current all the same.
///
/// Two devices may write the same content of a record, or both delete it. One change beats the other, and nothing is lost
/// while the record stays as both have left it. The entry of the beaten change is stored nevertheless: a third change may
/// beat the winner without having seen either (decision 237).
struct RecordedEntries {
    private static let columns = "ordinal, at, entity, id, outcome, stamp, put, by_stamp, reason"

    private let database: Database
    private let rows: RowStore
    private let stamps: EffectiveStamps

    init(_ database: Database, _ layout: Layout, _ stamps: EffectiveStamps) throws {
        self.database = database
        self.stamps = stamps
        rows = try RowStore(database, layout)
    }

    /// Reads all entries, in order of time.
    func all() throws -> [JournalEntry] {
        let query = try database.query("SELECT \(Self.columns) FROM roost_journal ORDER BY ordinal")
        return try query.all(Self.entry).compactMap(\.self).map(marked)
    }

    /// Reads the entry with a number; `nil` where there is none.
    func entry(_ ordinal: Int64) throws -> JournalEntry? {
        let query = try database.query("SELECT \(Self.columns) FROM roost_journal WHERE ordinal = ?")
        query.bind(1, ordinal)
        return try (query.first(Self.entry) ?? nil).map(marked)
    }

    /// Counts the beaten changes that are not current.
    ///
    /// - Parameter limit: The number of beaten changes to look at, the newest ones.
    func countBeaten(last limit: Int = .max) throws -> Int {
        let query = try database.query(
            "SELECT \(Self.columns) FROM roost_journal WHERE outcome = ? ORDER BY ordinal DESC LIMIT ?")
        query.bind(1, JournalEntry.Outcome.beaten.rawValue)
        query.bind(2, limit)
        var count = 0
        while try query.step() {
            if let entry = Self.entry(query), try !isCurrent(entry) { count += 1 }
        }
        return count
    }

    private static func entry(_ row: Query) -> JournalEntry? {
        guard let key = row.key(2), let outcome = JournalEntry.Outcome(rawValue: row.text(4)) else { return nil }
        return JournalEntry(
            ordinal: row.integer(0), at: row.integer(1), key: key, outcome: outcome,
            stamp: outcome == .reverted ? nil : row.stamp(5), put: row.optionalBytes(6), by: row.stamp(7),
            reason: row.text(8))
    }

    private func marked(_ entry: JournalEntry) throws -> JournalEntry {
        var entry = entry
        entry.isCurrent = try isCurrent(entry)
        return entry
    }

    /// Whether another change than the beaten one has its content, and stands.
    ///
    /// The contents are compared as a whole: a put has all properties of its record, and a property that it lacks is nil.
    /// Where the record's newest change is the beaten one itself, what beat it has not arrived yet.
    private func isCurrent(_ entry: JournalEntry) throws -> Bool {
        guard entry.outcome == .beaten, let stamp = entry.stamp, !Journal.saysMoreThanContent(entry.reason) else {
            return false
        }
        let (put, delete) = try stamps.of(entry.key)
        let own = OwnState(put: put, delete: delete)
        guard let content = entry.put else { return own != .put && delete != stamp }
        // A deleted record may still be shown, because a record that refers to it keeps it by a deny rule.
        guard let put, put != stamp, try own == .put || rows.place(of: entry.key) == .visible else { return false }
        return try holds(content, entry.key, put)
    }

    /// Whether the newest put of a record has a content.
    private func holds(_ content: [UInt8], _ key: RecordKey, _ put: HybridTimestamp) throws -> Bool {
        if let confirmed = try stamps.confirmed(key).put, confirmed.stamp == put {
            return confirmed.hash == ContentHash(of: content)
        }
        return try rows.readablePut(of: key) == content && rows.faults[key] == nil
    }
}
