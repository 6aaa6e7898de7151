internal import GRDB

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
