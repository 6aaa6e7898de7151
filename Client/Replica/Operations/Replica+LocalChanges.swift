internal import GRDB

extension Replica {
    /// Returns the current state of other connections' commits. It reads no page of the file if nothing is new.
    package func foreignCommits() throws -> ForeignCommits {
        try engineLook("look for local changes") { try $0.foreignCommits() }
    }

    /// Returns whether another connection has committed since `seen` and local changes are pending: unsealed ones, or ones
    /// sealed into a push that the session does not hold. Any program's write may seal itself (``WriteSealing``), and may be
    /// committed after its session has ended.
    ///
    /// A commit between the two reads of this function is reported by this call and by the next. If tables, indexes or
    /// triggers have changed and no pending change is found, the layout is verified: writes to a table without its triggers
    /// are untracked.
    ///
    /// - Parameters:
    ///   - seen: The commits observed so far; `nil` if none have been. It becomes the current state, and is unchanged if
    ///     this throws.
    ///   - holding: The number of the push that the session holds; `nil` if it holds none.
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
