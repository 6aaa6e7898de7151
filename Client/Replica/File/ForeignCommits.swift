internal import GRDB
internal import RoostSQLite

/// What other connections than the one that synchronises have committed so far: equal as long as they have committed nothing.
///
/// Local changes come from other connections always, of this program and of others; what synchronising writes down itself does
/// not count.
package struct ForeignCommits: Hashable, Sendable {
    /// SQLite's own number, of use to one connection only.
    fileprivate let version: Int64
}

extension Replica {
    /// What is committed now. It reads no page of the file where nothing is new.
    package func foreignCommits() throws -> ForeignCommits {
        try engineLook("look for local changes") { try $0.foreignCommits() }
    }

    /// Whether somebody has committed since `seen`, and local changes wait that are not sealed into a push, or are sealed into one that the
    /// session does not hold: a write that seals itself (``WriteSealing``) may be anybody's, and be committed when its session is over.
    ///
    /// A commit between the two looks that this takes is found by this one and by the next. Where tables, indexes or triggers have changed,
    /// and nothing says that rows have, the layout is verified: without its triggers a table is written unnoticed.
    ///
    /// - Parameters:
    ///   - seen: Becomes what is committed now; `nil` for nothing seen yet. It stays as it is where this throws.
    ///   - holding: The number of the push that the session holds; `nil` where it holds none.
    package func hasUnsealedChanges(since seen: inout ForeignCommits?, holding: UInt64? = nil) throws -> Bool {
        var look = try unsealedChanges(since: seen, holding: holding)
        if look.isLayoutChanged {
            try verifyLayout()
            look = try unsealedChanges(since: nil, holding: holding)
        }
        seen = look.commits
        return look.isFound
    }

    private func unsealedChanges(
        since seen: ForeignCommits?, holding: UInt64?
    ) throws -> (commits: ForeignCommits, isFound: Bool, isLayoutChanged: Bool) {
        try engineLook("look for local changes") { database in
            let now = try database.foreignCommits()
            guard now != seen else { return (now, false, false) }
            let query = try database.query(
                """
                SELECT EXISTS (SELECT 1 FROM roost_mark) OR EXISTS (SELECT 1 FROM roost_outbox
                  WHERE txn >= coalesce((SELECT sealed FROM roost_control), 0))
                  OR (SELECT min(number) IS NOT NULL AND min(number) IS NOT ?1 FROM roost_push WHERE staged = 0)
                """)
            query.bind(1, holding) { query.bind($0, $1) }
            let isFound = try query.first { $0.integer(0) } == 1
            return (now, isFound, try !isFound && hasOtherTables(database))
        }
    }
}

extension Database {
    func foreignCommits() throws -> ForeignCommits {
        try KnownCommits.commits(on: self) {
            ForeignCommits(version: try query("PRAGMA data_version").first { $0.integer(0) } ?? 0)
        }
    }
}

/// What ``Database/foreignCommits()`` is in the transaction that a connection is in: several parts of one ask, and until it ends a
/// connection sees nothing that another commits.
///
/// Unchecked: see `ConnectionPlace`.
final class KnownCommits: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<KnownCommits>()

    private var isInTransaction = false
    private var commits: ForeignCommits?
    /// What others had committed when this connection saw last that the tables are those that it knows.
    private var tablesSeen: ForeignCommits?

    /// Gives the one connection that is opened with `configuration` a place for this.
    static func keep(in configuration: inout Configuration) { connectionPlace.keep(KnownCommits(), in: &configuration) }

    /// To be called when a transaction has begun.
    static func begin(on database: Database) { connectionPlace.kept(by: database)?.reset(true) }

    /// To be called before a transaction ends.
    static func end(on database: Database) { connectionPlace.kept(by: database)?.reset(false) }

    private func reset(_ isInTransaction: Bool) {
        self.isInTransaction = isInTransaction
        commits = nil
    }

    fileprivate static func commits(
        on database: Database, _ read: () throws -> ForeignCommits
    ) rethrows -> ForeignCommits {
        guard let kept = connectionPlace.kept(by: database), kept.isInTransaction else { return try read() }
        if let known = kept.commits {
            assert((try? read()).map { $0 == known } ?? true, "Another connection's commit is seen in a transaction.")
            return known
        }
        let commits = try read()
        kept.commits = commits
        return commits
    }

    /// Calls `check` unless it has passed on this connection and nobody else has committed since: what a connection makes itself changes no
    /// table of an entity while it is in use.
    static func checkTables(on database: Database, _ check: () throws -> Void) throws {
        guard let kept = connectionPlace.kept(by: database) else { return try check() }
        // Asked first: what is committed between the two is then found by the next one who asks.
        let commits = try database.foreignCommits()
        guard kept.tablesSeen != commits else { return }
        try check()
        kept.tablesSeen = commits
    }
}
