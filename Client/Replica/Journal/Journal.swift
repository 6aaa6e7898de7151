internal import GRDB
public import RoostModel

/// The outcome of a change that is not current, with its content.
public struct JournalEntry: Hashable, Sendable {
    /// The kinds of outcome.
    public enum Outcome: String, Hashable, Sendable {
        /// A change beaten by one with a greater stamp.
        case beaten
        /// A change that the server did not store.
        case refused
        /// A change that the server once had and no longer has.
        ///
        /// The server was restored from an older copy and does not accept the change again. Or this replica cannot tell a
        /// restored server from another cause: from a purge after a long absence, or from corruption after a full
        /// resynchronisation.
        case lost
        /// A change that was not sent, because its content is not in the file any more: it was corrupt, or another program took
        /// its row away past the triggers. Or content that a row held in place of the content that the server had confirmed.
        case damaged
        /// A write of another program's trigger to a synchronised table, which was reverted. The trigger ran while Roost wrote
        /// what it had pulled or derived.
        case reverted
        /// A change that is not shown because of a delete of another record.
        case hidden
        /// A delete of a record that stays visible while other records refer to it.
        case kept
        /// A change that is kept but does not fit this replica's schema.
        case unfit
    }

    /// The number by which the entry is restored; `nil` for a state that lasts only as long as its cause.
    public var ordinal: Int64?
    /// The time at which the outcome was noticed, in milliseconds since 1970; `nil` where ``ordinal`` is `nil`.
    public var at: Int64?
    /// The record that was changed.
    public var key: RecordKey
    /// The outcome of the change.
    public var outcome: Outcome
    /// The change's own stamp; `nil` where it has none, such as a reverted write.
    public var stamp: HybridTimestamp?
    /// The content, encoded; `nil` for a delete.
    public var put: [UInt8]?
    /// The stamp of the change that beat this one.
    public var by: HybridTimestamp?
    /// The reason, as a message for users.
    public var reason: String
    /// Whether a beaten change is current all the same: another change of its record has the same content and stands, or both
    /// have deleted the record. ``Replica/journal()`` leaves such entries out. Once the record has another content, its
    /// entry is listed.
    public var isCurrent = false
}

/// A writer of journal entries and events.
struct Journal {
    let database: Database
    /// Milliseconds since 1970.
    let now: Int64

    /// Records content that a row held without a tracked change, before the content is lost.
    ///
    /// - Parameters:
    ///   - content: The content of the row, encoded.
    ///   - time: The clock reading of the change that the content overwrote.
    ///   - outcome: A sentence that says why the content is not current.
    func recordUntracked(_ content: [UInt8], of key: RecordKey, over time: UInt64, outcome: String) throws {
        try record(
            .damaged, key, stamp: HybridTimestamp(time: time, replica: .unregistered), put: content,
            reason:
                "The row held this, and no change of it was tracked: another program wrote it past the triggers, a trigger of "
                + "another program wrote it while changes from elsewhere were taken in, or the file was damaged. \(outcome)"
        )
    }

    /// Records the outcome of a change, unless the journal has it.
    ///
    /// - Returns: Whether the entry is new.
    @discardableResult
    func record(
        _ outcome: JournalEntry.Outcome, _ key: RecordKey, stamp: HybridTimestamp, put: [UInt8]?,
        by: HybridTimestamp? = nil, reason: String
    ) throws -> Bool {
        // Corrupt content gets an entry in addition to that of its change, and a row may be corrupted more than once.
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

    /// The sentence before values that a row held and its put cannot have.
    private static let beyondContent = "This content lacks values that the row held."

    /// Returns the end of the reason of a beaten change, with the values of its row that its put cannot have. They exist
    /// nowhere else.
    static func reason(_ reason: String, beyondContent values: String?) -> String {
        values.map { "\(reason) \(beyondContent) \($0)" } ?? reason
    }

    /// Whether a reason has values that the content of its entry lacks. Such an entry never counts as current.
    static func saysMoreThanContent(_ reason: String) -> Bool {
        reason.utf8.firstRange(of: beyondContent.utf8) != nil
    }

    func event(_ kind: String, _ text: String) throws {
        let query = try database.query("INSERT INTO roost_event(at, kind, text) VALUES (?, ?, ?)")
        query.bind(1, now)
        query.bind(2, kind)
        query.bind(3, text)
        try query.run()
    }

    /// Logs a sentence about triggers, unless the last 20 such sentences contain it. Without this check each page would add it.
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

    /// Finds an entry of a change other than one of corrupt content. A change ends once, although both the push reply and the
    /// pull may report its end.
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
