internal import GRDB
internal import RoostSQLite

/// Whether a connection knows that nothing in the outbox is unsettled: then it need not be searched, which takes the longer the more waits.
///
/// What others have committed since, programs that know only SQL among them, may have to be settled. What is unsettled on the connection
/// itself is told here, but for what its triggers mark: a transaction with triggers knows which records it writes, and the marks say what
/// the user's own triggers have inserted. Whatever is taken back takes the knowledge with it.
///
/// Unchecked: see `ConnectionPlace`.
final class KnownSettled: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<KnownSettled>()
    /// How many entries a search passes in the time in which one is looked up.
    private static let entriesPerLook = 4

    /// What others had committed when all was settled last; `nil` where something may not be.
    private var commits: ForeignCommits?
    /// How many entries the outbox had when it was searched last, about.
    private var entries = 0

    /// Gives the one connection that is opened with `configuration` a place for this.
    static func keep(in configuration: inout Configuration) { connectionPlace.keep(KnownSettled(), in: &configuration) }

    /// To be asked inside a transaction that writes: nobody else commits meanwhile. A connection that has no place for it never knows.
    ///
    /// - Parameter looks: How many entries are to be looked up where it holds; `false` where a search takes less.
    static func holds(on database: Database, for looks: Int = 0) throws -> Bool {
        guard let kept = connectionPlace.kept(by: database) else { return false }
        guard let commits = kept.commits, looks * entriesPerLook <= kept.entries else { return false }
        return try database.foreignCommits() == commits
    }

    /// Everything in the outbox is settled now, inside a transaction that writes.
    ///
    /// - Parameter entries: How many it has.
    static func note(_ entries: Int, on database: Database) throws {
        guard let kept = connectionPlace.kept(by: database) else { return }
        kept.entries = entries
        kept.commits = try database.foreignCommits()
    }

    /// So many entries were looked up and settled, which may be new.
    static func note(lookedUp entries: Int, on database: Database) {
        connectionPlace.kept(by: database)?.entries += entries
    }

    /// Something may be unsettled from now on.
    static func forget(on database: Database) { connectionPlace.kept(by: database)?.commits = nil }
}
