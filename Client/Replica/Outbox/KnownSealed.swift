internal import CSQLite
internal import GRDB
internal import RoostMerge
internal import RoostModel
internal import RoostSQLite

/// What a connection knows of the one push that it has sealed, so that its reply is taken in without reading again what sealing has read:
/// as long as nothing was written since, by this connection or another.
///
/// Unchecked: see `ConnectionPlace`.
final class KnownSealed: @unchecked Sendable {
    private static let connectionPlace = ConnectionPlace<KnownSealed>()

    /// The only push that is sealed, of all that waits.
    struct Push {
        let number: UInt64
        let transactions: [[Change]]
        /// The confirmed slots of each change's record, transaction by transaction; no two changes are of one record.
        let confirmed: [SlotStamps]
        /// The hash of each change's content, where it is an edit.
        let hashes: [ContentHash?]
    }

    /// What was sealed, with what others had committed and how many rows the connection had written by then.
    private var sealed: (push: Push, commits: ForeignCommits, rows: Int64)?

    /// Gives the one connection that is opened with `configuration` a place for this.
    static func keep(in configuration: inout Configuration) { connectionPlace.keep(KnownSealed(), in: &configuration) }

    /// Keeps what was sealed, at the end of the transaction that did.
    static func note(_ push: Push, on database: Database) throws {
        guard let kept = connectionPlace.kept(by: database) else { return }
        kept.sealed = (push, try database.foreignCommits(), writtenRows(database))
    }

    /// Gives out what is known of a push, once. To be asked inside a transaction that writes: nobody else commits meanwhile.
    static func take(_ number: UInt64, on database: Database) throws -> Push? {
        guard let kept = connectionPlace.kept(by: database), let sealed = kept.sealed else { return nil }
        kept.sealed = nil
        guard sealed.push.number == number, sealed.rows == writtenRows(database),
            try sealed.commits == database.foreignCommits()
        else { return nil }
        return sealed.push
    }

    /// The push that was kept was not sealed.
    static func forget(on database: Database) { connectionPlace.kept(by: database)?.sealed = nil }

    private static func writtenRows(_ database: Database) -> Int64 {
        sqlite3_total_changes64(database.sqliteConnection)
    }
}
