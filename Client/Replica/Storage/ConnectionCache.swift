internal import GRDB
internal import RoostSQLite

/// What a connection knows of the file, so that it does not read it again: what others have committed, that its tables are those that the
/// schema demands, that the outbox is settled, and what was sealed last.
///
/// Nobody has to make it invalid. `Database.inOneTransaction` and `Database.unlessItFails` say when a transaction begins, commits
/// and is rolled back; what other connections have committed is compared with each question; and what is unsettled on this connection goes
/// through ``Outbox``, which says so (`Database.noteUnsettled()`).
///
/// Connections that were opened without one know nothing, and read. Unchecked: see `ConnectionPlace`.
final class ConnectionCache: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<ConnectionCache>()

    private var isInTransaction = false
    /// What others have committed, in the transaction that runs: until it ends, the connection sees nothing that they commit.
    private var commits: ForeignCommits?
    /// What others had committed when the tables were last seen to be those of the layout.
    private var tablesSeen: ForeignCommits?
    var settled: SettledOutbox?
    var sealed: KnownPush?

    /// Gives the one connection that is opened with `configuration` a cache.
    static func keep(in configuration: inout Configuration) {
        connectionPlace.keep(ConnectionCache(), in: &configuration)
    }

    fileprivate static func of(_ database: Database) -> ConnectionCache? { connectionPlace.kept(by: database) }

    // MARK: Hooks

    /// To be called when a transaction has begun.
    func transactionBegan() {
        isInTransaction = true
        commits = nil
    }

    /// To be called before a transaction commits.
    func transactionCommits() {
        isInTransaction = false
        commits = nil
    }

    /// To be called before a transaction is rolled back.
    func transactionRollsBack() {
        transactionCommits()
        writesRollBack()
    }

    /// To be called before a savepoint is rolled back.
    func writesRollBack() {
        settled = nil
        sealed = nil
    }

    // MARK: Commits of others

    fileprivate func commits(_ read: () throws -> ForeignCommits) rethrows -> ForeignCommits {
        guard isInTransaction else { return try read() }
        if let commits {
            assert((try? read()).map { $0 == commits } ?? true, "Another connection's commit is seen in a transaction.")
            return commits
        }
        let commits = try read()
        self.commits = commits
        return commits
    }

    fileprivate func checkTables(_ commits: ForeignCommits, _ check: () throws -> Void) rethrows {
        guard tablesSeen != commits else { return }
        try check()
        tablesSeen = commits
    }
}

extension Database {
    /// `nil` for a connection that keeps none.
    var connectionCache: ConnectionCache? { ConnectionCache.of(self) }

    /// What others have committed so far. A transaction reads it once.
    func foreignCommits() throws -> ForeignCommits {
        guard let connectionCache else { return try readForeignCommits() }
        return try connectionCache.commits { try readForeignCommits() }
    }

    private func readForeignCommits() throws -> ForeignCommits {
        ForeignCommits(version: try query("PRAGMA data_version").first { $0.integer(0) } ?? 0)
    }

    /// Calls `check` unless it has passed on this connection and nobody else has committed since: what a connection makes itself changes no
    /// table of an entity while it is in use.
    func checkTablesOnce(_ check: () throws -> Void) throws {
        guard let connectionCache else { return try check() }
        // Asked first: what is committed between the two is then found by the next one who asks.
        try connectionCache.checkTables(try foreignCommits(), check)
    }
}
