internal import Replica
internal import Session

/// Work on the replica's file that follows a last page: old journal entries are removed, and contents are compared with their hashes.
struct Upkeep {
    private var scrubbing: Scrubbing
    /// Whether the journal was searched for old entries in this session.
    private var hasShortened = false

    init(_ mode: SyncMode) { scrubbing = Scrubbing(mode) }

    /// Shortens the journal, once a session.
    ///
    /// - Returns: The number of removed entries.
    mutating func shortenJournal(of replica: Replica, at serverTime: UInt64) throws -> Int {
        guard !hasShortened else { return 0 }
        let removed = try replica.removeOldJournalEntries(at: serverTime)
        hasShortened = true
        return removed
    }

    /// Compares some contents with their hashes, as ``Scrubbing/findsDamage(in:at:)``.
    mutating func findsDamage(in replica: Replica, at now: Moment) throws -> Bool {
        try scrubbing.findsDamage(in: replica, at: now)
    }
}
