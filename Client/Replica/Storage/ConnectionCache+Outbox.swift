internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel

extension ConnectionCache {
    /// Nothing in the outbox is unsettled: it need not be searched, which takes the longer the more waits.
    ///
    /// Others may have written something unsettled since, programs that know only SQL among them. The connection's own transactions with
    /// triggers know which records they write, and the marks say what the user's own triggers have inserted.
    struct SettledOutbox {
        /// How many entries a search passes in the time in which one is looked up.
        fileprivate static let entriesPerLook = 4

        /// What others had committed then.
        fileprivate let commits: ForeignCommits
        /// How many entries the outbox had when it was searched last, about.
        fileprivate var entries: Int
    }

    /// The only push that is sealed, of all that waits, with what sealing has read: its reply is taken in without reading that again, as
    /// long as nobody has written since.
    struct KnownPush {
        let number: UInt64
        let transactions: [[Change]]
        /// The confirmed slots of each change's record, transaction by transaction; no two changes are of one record.
        let confirmed: [SlotStamps]
        /// The hash of each change's content, where it is an edit.
        let hashes: [ContentHash?]

        /// What others had committed, and how many rows the connection had written, when it was sealed.
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

    /// To be asked inside a transaction that writes: nobody else commits meanwhile. A connection without a cache never knows.
    ///
    /// - Parameter looks: How many entries are to be looked up where this holds; `false` where a search takes less.
    func knowsOutboxSettled(for looks: Int = 0) throws -> Bool {
        guard let settled = connectionCache?.settled,
            looks * ConnectionCache.SettledOutbox.entriesPerLook <= settled.entries
        else { return false }
        return try foreignCommits() == settled.commits
    }

    /// Everything in the outbox is settled now, inside a transaction that writes.
    ///
    /// - Parameter entries: How many it has.
    func noteOutboxSettled(_ entries: Int) throws {
        guard let connectionCache else { return }
        connectionCache.settled = .init(commits: try foreignCommits(), entries: entries)
    }

    /// So many entries were looked up and settled, which may be new.
    func noteSettled(lookedUp entries: Int) { connectionCache?.settled?.entries += entries }

    /// Something may be unsettled from now on.
    func noteUnsettled() { connectionCache?.settled = nil }

    // MARK: The sealed push

    /// Keeps what was sealed, at the end of the transaction that did.
    func noteSealed(_ push: ConnectionCache.KnownPush) throws {
        guard let connectionCache else { return }
        var push = push
        push.state = (try foreignCommits(), writtenRows)
        connectionCache.sealed = push
    }

    /// Gives out what is known of a push, once. To be asked inside a transaction that writes: nobody else commits meanwhile.
    func takeSealed(_ number: UInt64) throws -> ConnectionCache.KnownPush? {
        guard let connectionCache, let sealed = connectionCache.sealed, let state = sealed.state else { return nil }
        connectionCache.sealed = nil
        guard sealed.number == number, state.rows == writtenRows, try state.commits == foreignCommits() else {
            return nil
        }
        return sealed
    }

    private var writtenRows: Int64 { sqlite3_total_changes64(sqliteConnection) }
}
