internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel

extension ConnectionCache {
    /// The cached result that no entry of the outbox is unsettled. It saves a search that takes longer the more changes are
    /// pending.
    ///
    /// A commit of another connection invalidates it, because any program, even one that knows only SQL, may write unsettled
    /// changes. The connection's own transactions with triggers know which records they write, and the marks list the inserts of
    /// user triggers.
    ///
    /// Plain path: ``Settlement`` searches the outbox. `SettledOutboxTests` writes what invalidates the cache, and builds with
    /// assertions search each time.
    struct SettledOutbox {
        /// The number of entries that a search visits in the time that a lookup of one entry takes.
        fileprivate static let entriesPerLook = 4

        /// The commits of other connections at the time of the search.
        fileprivate let commits: ForeignCommits
        /// The approximate number of entries in the outbox, from the last search and the lookups since.
        fileprivate var entries: Int
    }

    /// The only sealed push, made of all pending changes, with the data that sealing has read. Its reply is applied without
    /// reading that data again, as long as nothing has been written since.
    ///
    /// Plain path: ``Acknowledgement`` reads the push, the slots and the outbox from the file. `KnownPushTests` compares the two.
    struct KnownPush {
        let number: UInt64
        let transactions: [[Change]]
        /// The confirmed slots of each change's record, transaction by transaction. No record has two changes.
        let confirmed: [SlotStamps]
        /// The hash of each change's content; `nil` where the change is not an edit.
        let hashes: [ContentHash?]

        /// The commits of other connections, and the number of rows that this connection had written, when the push was sealed.
        fileprivate var state: (commits: ForeignCommits, rows: Int64)?

        init(number: UInt64, transactions: [[Change]], confirmed: [SlotStamps], hashes: [ContentHash?]) {
            self.number = number
            self.transactions = transactions
            self.confirmed = confirmed
            self.hashes = hashes
        }
    }
}

extension Database {
    // MARK: The settled outbox

    /// Returns whether the cache shows that no entry of the outbox is unsettled. Must be called inside a write transaction, so
    /// that no other connection commits meanwhile. A connection without a cache returns `false`.
    ///
    /// - Parameter looks: The number of entries to be looked up where the result is `true`. It is `false` where a search takes
    ///   less time.
    func knowsOutboxSettled(for looks: Int = 0) throws -> Bool {
        guard let settled = connectionCache?.settled,
            looks * ConnectionCache.SettledOutbox.entriesPerLook <= settled.entries
        else { return false }
        return try foreignCommits() == settled.commits
    }

    /// Records that no entry of the outbox is unsettled. Must be called inside a write transaction.
    ///
    /// - Parameter entries: The number of entries in the outbox.
    func recordOutboxSettled(_ entries: Int) throws {
        guard let connectionCache else { return }
        connectionCache.settled = .init(commits: try foreignCommits(), entries: entries)
    }

    /// Records that `entries` entries, some of them possibly new, were looked up and settled.
    func recordSettled(lookedUp entries: Int) { connectionCache?.settled?.entries += entries }

    /// Records that the outbox may have unsettled entries from now on.
    func recordUnsettled() { connectionCache?.settled = nil }

    // MARK: The sealed push

    /// Caches a sealed push, at the end of the transaction that sealed it.
    func recordSealed(_ push: ConnectionCache.KnownPush) throws {
        guard let connectionCache else { return }
        var push = push
        push.state = (try foreignCommits(), writtenRows)
        connectionCache.sealed = push
    }

    /// Returns the cached data of a push, once. Must be called inside a write transaction, so that no other connection commits
    /// meanwhile.
    func consumeSealed(_ number: UInt64) throws -> ConnectionCache.KnownPush? {
        guard let connectionCache, let sealed = connectionCache.sealed, let state = sealed.state else { return nil }
        connectionCache.sealed = nil
        guard sealed.number == number, state.rows == writtenRows, try state.commits == foreignCommits() else {
            return nil
        }
        return sealed
    }

    private var writtenRows: Int64 { sqlite3_total_changes64(sqliteConnection) }
}
