internal import GRDB
internal import RoostModel

/// The journal entries for content that triggers of other programs wrote into synchronised tables while Roost wrote there, and
/// that was reverted.
///
/// A trigger such as `updated_at` writes each row that is pulled. So the journal keeps only the latest of these entries for each
/// record, and removes the oldest ones once they are too many or too large (decision 215).
struct RevertedEntries {
    static let entriesMax = 1000
    static let bytesMax = 16 << 20
    /// The sentence reported where older entries were removed.
    static let forgotten =
        "What triggers of other programs wrote is in the journal for the last \(entriesMax) records and 16 MiB only; older entries "
        + "were forgotten."

    /// The stamp by which the journal's index finds these entries, because a write of a trigger has no stamp of its own.
    private static let stamp = HybridTimestamp(time: 0, replica: .unregistered)

    private struct Entry {
        let ordinal: Int64
        let bytes: Int
    }

    private let journal: Journal
    private var database: Database { journal.database }
    private var entries: [RecordKey: Entry] = [:]
    private var bytes = 0
    /// The entries, oldest first. An entry that was replaced since is skipped.
    private var order: ArraySlice<(ordinal: Int64, key: RecordKey)> = []

    /// Reads the reverted entries of the journal.
    init(_ database: Database, now: Int64) throws {
        journal = Journal(database: database, now: now)
        let query = try database.query(
            """
            SELECT j.ordinal, j.entity, j.id, ifnull(length(j.put), 0) FROM roost_journal AS j
            WHERE j.stamp = ? AND j.outcome = ? ORDER BY j.ordinal
            """)
        query.bind(1, Self.stamp)
        query.bind(2, JournalEntry.Outcome.reverted.rawValue)
        for entry in try query.all({ ($0.integer(0), $0.key(1), Int($0.integer(3))) }) {
            if let key = entry.1 { insert(Entry(ordinal: entry.0, bytes: entry.2), key) }
        }
    }

    /// Records a write of a trigger before it is reverted.
    ///
    /// - Parameter content: The content of the row, encoded; `nil` where the trigger deleted it.
    /// - Returns: Whether older entries were removed.
    mutating func record(_ content: [UInt8]?, of key: RecordKey) throws -> Bool {
        if let entry = entries[key] {
            if try holds(entry, key, content) { return false }
            try remove(entry, key)
        }
        let what = content == nil ? "deleted the record" : "wrote this"
        try journal.insert(
            .reverted, key, stamp: Self.stamp, put: content,
            reason:
                "A trigger of another program \(what) while Roost wrote what it had pulled or derived. It was reverted."
        )
        insert(Entry(ordinal: database.lastInsertedRowID, bytes: content?.count ?? 0), key)
        var isForgetting = false
        while entries.count > Self.entriesMax || bytes > Self.bytesMax && entries.count > 1,
            let oldest = order.popFirst()
        {
            guard let entry = entries[oldest.key], entry.ordinal == oldest.ordinal else { continue }
            try remove(entry, oldest.key)
            isForgetting = true
        }
        return isForgetting
    }

    private mutating func insert(_ entry: Entry, _ key: RecordKey) {
        entries[key] = entry
        bytes += entry.bytes
        order.append((entry.ordinal, key))
    }

    /// The condition that selects one entry. A savepoint of the caller may have rolled the entry back, so its number alone does
    /// not identify it.
    private static let condition = "j.ordinal = ? AND j.entity = ? AND j.id = ? AND j.outcome = ?"

    private func bind(_ entry: Entry, _ key: RecordKey, _ query: Query) {
        query.bind(1, entry.ordinal)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        query.bind(4, JournalEntry.Outcome.reverted.rawValue)
    }

    private func holds(_ entry: Entry, _ key: RecordKey, _ content: [UInt8]?) throws -> Bool {
        let query = try database.query("SELECT 1 FROM roost_journal AS j WHERE \(Self.condition) AND j.put IS ?")
        bind(entry, key, query)
        query.bind(5, content) { query.bind($0, $1) }
        return try query.first { _ in true } ?? false
    }

    private mutating func remove(_ entry: Entry, _ key: RecordKey) throws {
        let query = try database.query("DELETE FROM roost_journal AS j WHERE \(Self.condition)")
        bind(entry, key, query)
        try query.run()
        entries[key] = nil
        bytes -= entry.bytes
    }
}
