internal import GRDB
internal import RoostSQLite

/// A connection's cache of what it has read from the file. Prepared statements have a cache of their own (`StatementCache`).
///
/// | cached value | valid until |
/// |---|---|
/// | the commits of other connections | a transaction begins or ends |
/// | the tables match the schema | another connection commits; a rollback keeps it |
/// | the outbox is settled | an unsettled change, a rollback, or a commit of another connection |
/// | the push that was sealed last | it is used, this connection writes a row, or another one commits |
///
/// No caller has to invalidate it. `Database.inOneTransaction` and `Database.unlessItFails` report when a transaction begins,
/// commits and is rolled back. Each lookup compares the commits of other connections. Unsettled changes of this connection go
/// through ``Outbox``, which reports them (`Database.recordUnsettled()`).
///
/// A connection that was opened without a cache reads the file each time. Unchecked: see `ConnectionSlot`.
final class ConnectionCache: @unchecked Sendable {
    private static let connectionSlot = ConnectionSlot<ConnectionCache>()

    private var isInTransaction = false
    /// The commits of other connections, read in the running transaction. Until it ends, the connection sees none of their later
    /// commits.
    private var commits: ForeignCommits?
    /// The commits of other connections when the tables were last found to match the layout.
    private var tablesSeen: ForeignCommits?
    var settled: SettledOutbox?
    var sealed: KnownPush?

    /// Attaches a cache to the one connection that is opened with `configuration`.
    static func keep(in configuration: inout Configuration) {
        connectionSlot.keep(ConnectionCache(), in: &configuration)
    }

    fileprivate static func of(_ database: Database) -> ConnectionCache? { connectionSlot.kept(by: database) }

    // MARK: Hooks

    /// Handles the start of a transaction. Must be called after it has begun.
    func transactionBegan() {
        isInTransaction = true
        commits = nil
    }

    /// Handles a commit. Must be called before the transaction commits.
    func transactionCommits() {
        isInTransaction = false
        commits = nil
    }

    /// Handles the rollback of a transaction. Must be called before it is rolled back.
    func transactionRollsBack() {
        transactionCommits()
        writesRollBack()
    }

    /// Handles the rollback of a savepoint. Must be called before it is rolled back.
    func writesRollBack() {
        settled = nil
        sealed = nil
    }

    // MARK: Commits of other connections

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
    /// The cache of this connection; `nil` where it was opened without one.
    var connectionCache: ConnectionCache? { ConnectionCache.of(self) }

    /// Returns the commits of other connections so far. A transaction reads them once.
    func foreignCommits() throws -> ForeignCommits {
        guard let connectionCache else { return try readForeignCommits() }
        return try connectionCache.commits { try readForeignCommits() }
    }

    private func readForeignCommits() throws -> ForeignCommits {
        ForeignCommits(version: try query("PRAGMA data_version").first { $0.integer(0) } ?? 0)
    }

    /// Calls `check`, unless it has passed on this connection and no other connection has committed since. A connection in use
    /// does not itself change the tables of entities.
    func checkTablesOnce(_ check: () throws -> Void) throws {
        guard let connectionCache else { return try check() }
        // The commits are read before the check, so that the next call notices a commit made between the two.
        try connectionCache.checkTables(try foreignCommits(), check)
    }
}
