internal import GRDB

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

    /// Whether local changes wait that are not sealed into a push, and somebody has committed since `seen`.
    ///
    /// A commit between the two looks that this takes is found by this one and by the next.
    ///
    /// - Parameter seen: Becomes what is committed now; `nil` for nothing seen yet. It stays as it is where this throws.
    package func hasUnsealedChanges(since seen: inout ForeignCommits?) throws -> Bool {
        let before = seen
        let (now, isFound) = try engineLook("look for local changes") { database in
            let now = try database.foreignCommits()
            guard now != before else { return (now, false) }
            let query = try database.query(
                """
                SELECT EXISTS (SELECT 1 FROM roost_mark) OR EXISTS (SELECT 1 FROM roost_outbox
                  WHERE txn >= coalesce((SELECT value FROM roost_state WHERE name = 'sealed'), 0))
                """)
            return (now, try query.first { $0.integer(0) } == 1)
        }
        seen = now
        return isFound
    }
}

extension Database {
    func foreignCommits() throws -> ForeignCommits {
        ForeignCommits(version: try query("PRAGMA data_version").first { $0.integer(0) } ?? 0)
    }
}
