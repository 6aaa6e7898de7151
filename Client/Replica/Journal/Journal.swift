internal import GRDB
public import RoostModel

/// What became of a change that is not current.
public struct JournalEntry: Hashable, Sendable {
    /// What became of the change.
    public enum Outcome: String, Hashable, Sendable {
        /// A greater stamp stands.
        case beaten
        /// The server did not store it.
        case refused
        /// The server had it and does not have it any more: it was restored from an older copy and takes nothing back, or this
        /// replica was away for too long to tell that from a purge, or had to pull everything anew, where nothing tells it from damage.
        case lost
        /// The file was damaged: it was not sent, for its content is not in the file any more; or a row held it that should have held
        /// what the server had confirmed.
        case damaged
        /// A trigger of another program wrote it into a synchronised table while Roost wrote what it had pulled or derived.
        case reverted
        /// Not shown because of a delete of another record.
        case hidden
        /// Deleted, but shown while others refer to it.
        case kept
        /// Kept, but does not fit this replica's schema.
        case unfit
    }

    /// Names the entry for restoring; `nil` for states that last only as long as their cause.
    public var ordinal: Int64?
    /// Milliseconds since 1970 when it was noticed; `nil` with `ordinal`.
    public var at: Int64?
    /// The record that was changed.
    public var key: RecordKey
    /// What became of the change.
    public var outcome: Outcome
    /// The change's own stamp; `nil` where it has none, such as one that was reverted.
    public var stamp: HybridTimestamp?
    /// The content, encoded; `nil` for a delete.
    public var put: [UInt8]?
    /// The change that beat it.
    public var by: HybridTimestamp?
    /// Why, for people.
    public var reason: String
}

/// Writes the journal.
struct Journal {
    let database: Database
    /// Milliseconds since 1970.
    let now: Int64

    /// Records content that a row held without a tracked change, before the content is lost.
    ///
    /// - Parameters:
    ///   - content: The content of the row, encoded.
    ///   - time: The reading of the change that the content was written over.
    ///   - outcome: A sentence that says why the content is not current.
    func recordUntracked(_ content: [UInt8], of key: RecordKey, over time: UInt64, outcome: String) throws {
        try record(
            .damaged, key, stamp: HybridTimestamp(time: time, replica: .unregistered), put: content,
            reason:
                "The row held this, and no change of it was tracked: another program wrote it past the triggers, a trigger of "
                + "another program wrote it while changes from elsewhere were taken in, or the file was damaged. \(outcome)"
        )
    }

    /// Writes down what became of a change.
    ///
    /// - Returns: Whether it is told for the first time.
    @discardableResult
    func record(
        _ outcome: JournalEntry.Outcome, _ key: RecordKey, stamp: HybridTimestamp, put: [UInt8]?,
        by: HybridTimestamp? = nil, reason: String
    ) throws -> Bool {
        // Damaged content is an entry beside that of the change, and a row may be damaged more than once.
        let isKnown = try outcome == .damaged ? contains(stamp, key, put) : contains(stamp, key)
        guard !isKnown else { return false }
        try insert(outcome, key, stamp: stamp, put: put, by: by, reason: reason)
        return true
    }

    func insert(
        _ outcome: JournalEntry.Outcome, _ key: RecordKey, stamp: HybridTimestamp, put: [UInt8]?,
        by: HybridTimestamp? = nil, reason: String
    ) throws {
        let query = try database.query(
            """
            INSERT INTO roost_journal(at, entity, id, outcome, stamp, put, by_stamp, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        query.bind(1, now)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        query.bind(4, outcome.rawValue)
        query.bind(5, stamp)
        query.bind(6, put) { query.bind($0, $1) }
        query.bind(7, by) { query.bind($0, $1) }
        query.bind(8, reason)
        try query.run()
    }

    func event(_ kind: String, _ text: String) throws {
        let query = try database.query("INSERT INTO roost_event(at, kind, text) VALUES (?, ?, ?)")
        query.bind(1, now)
        query.bind(2, kind)
        query.bind(3, text)
        try query.run()
    }

    /// Logs a sentence about triggers, unless the log has it among its last ones: each page would add it.
    func report(trigger sentence: String) throws {
        let query = try database.query(
            "SELECT text FROM roost_event WHERE kind = 'trigger' ORDER BY ordinal DESC LIMIT 20")
        guard try !query.all({ $0.text(0) }).contains(sentence) else { return }
        try event("trigger", sentence)
    }

    private func contains(_ stamp: HybridTimestamp, _ key: RecordKey, _ put: [UInt8]?) throws -> Bool {
        let query = try database.query(
            "SELECT 1 FROM roost_journal WHERE stamp = ? AND entity = ? AND id = ? AND put IS ?")
        query.bind(1, stamp)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        query.bind(4, put) { query.bind($0, $1) }
        return try query.first { _ in true } ?? false
    }

    /// A change ends once: the push reply and the pull may both tell of it.
    private func contains(_ stamp: HybridTimestamp, _ key: RecordKey) throws -> Bool {
        let query = try database.query(
            """
            SELECT 1 FROM roost_journal WHERE stamp = ? AND entity = ? AND id = ? AND (outcome <> ? OR put IS NULL)
            """)
        query.bind(1, stamp)
        query.bind(2, key.entity.rawValue)
        query.bind(3, key.id)
        query.bind(4, JournalEntry.Outcome.damaged.rawValue)
        return try query.first { _ in true } ?? false
    }
}
