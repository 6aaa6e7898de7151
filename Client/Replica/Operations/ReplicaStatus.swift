internal import GRDB
public import RoostModel

/// What a replica can say of itself without the network.
public struct ReplicaStatus: Hashable, Sendable {
    /// Records with local changes that the server has not acknowledged.
    public var waiting = 0
    /// Milliseconds since 1970 of the oldest of them.
    public var waitingSince: Int64?
    /// Whether the replica has pulled at least once.
    public var hasPulled = false
    /// Milliseconds since 1970 of the last exchange with the server that worked.
    public var lastContact: Int64?
    /// Why the last attempt failed; `nil` after one that worked.
    public var failure: String?
    /// Milliseconds since 1970 of the first failure after the last attempt that worked; `nil` after one that worked.
    public var failingSince: Int64?
    /// When the next attempt is due, where one is planned.
    public var nextAttempt: Int64?
    /// The digest of what the server has confirmed; waiting changes do not count. It is the server's where both hold the same.
    public var digest = ScopeDigest()
    /// The version of the schema that the replica's tables have, from 1.
    public var schemaVersion = 0
    /// The version of the scope's schema, where it is later than that: `roost migrate` takes the replica there.
    public var nextSchemaVersion: Int?
    /// Changes in the journal that a greater stamp has beaten.
    public var beaten = 0
    /// Changes in the journal that the server did not store, or that could not be sent because the file was damaged.
    public var refused = 0
    /// Changes that a restored server has lost and does not take back.
    public var lost = 0
    /// Records that are hidden now because of another record's delete.
    public var hidden = 0
    /// Records that are deleted and shown now, because others refer to them with a deny rule.
    public var kept = 0
    /// Records that are kept and not shown, because they do not fit the replica's schema or an index; without those that are deleted.
    public var unfit = 0
    /// Why everything is being pulled anew; `nil` where it is not.
    public var pullingAnew: PullAnewReason?
    /// Records that were found damaged, at least, and are written anew from the server with the next synchronisation.
    public var damaged = 0
    /// Records whose row is missing from its table, with nothing that says that somebody deleted them: the user decides
    /// (``Replica/acceptMissingAsDeleted()``, ``Replica/restoreMissing()``).
    public var missing = 0
    /// Whether another program has switched off the file's write-ahead log, and somebody has the file open so that it cannot be switched on.
    public var isLogOff = false
    /// Names of the file in its file system. With more than one (hard links), programs that open it by different names have different
    /// write-ahead logs, and overwrite each other's changes.
    public var names = 1
    /// Records that a restored server has lost and that are still to be brought back to it.
    public var toBringBack = 0
    /// For how many days the journal keeps its entries; 0 for ever.
    public var journalDays = JournalRetention.defaultDays
    /// How many entries of the journal have been removed for their age.
    public var journalRemoved = 0
}

extension Replica {
    /// What the replica can say of itself, without the network: what waits, since when, and why.
    ///
    /// - Throws: ``ReplicaError`` where the file could not be read.
    public func status() throws -> ReplicaStatus {
        try read("read the status") { database in
            func count(_ sql: String) throws -> Int { Int(try database.query(sql).first { $0.integer(0) } ?? 0) }
            let state = StateStore(database: database)
            var status = ReplicaStatus()
            (status.waiting, status.waitingSince) = try Marks(database: database).withOutbox()
            status.hasPulled = try state.bytes(.checkpoint) != nil
            status.lastContact = try state.integer(.lastContact)
            status.failure = try state.text(.lastFailure)
            status.failingSince = try state.integer(.failingSince)
            status.nextAttempt = try state.integer(.nextAttempt)
            status.digest = try state.digest
            status.schemaVersion = Int(try state.integer(.schemaVersion) ?? 0)
            status.nextSchemaVersion = try state.integer(.nextSchemaVersion).map { Int($0) }
            status.beaten = try count("SELECT count(*) FROM roost_journal WHERE outcome = 'beaten'")
            status.lost = try count("SELECT count(*) FROM roost_journal WHERE outcome = 'lost'")
            status.refused = try count("SELECT count(*) FROM roost_journal WHERE outcome IN ('refused', 'damaged')")
            for table in layout.tables {
                status.hidden += try count("SELECT count(*) FROM \(table.hidden) WHERE roost_deleted = 0")
            }
            status.kept = try count("SELECT count(*) FROM roost_kept")
            status.unfit = try count(
                "SELECT count(*) FROM roost_unfit AS u WHERE NOT \(RowStore.isDeletedUnfit(layout))")
            status.pullingAnew = try state.pullingAnew
            status.damaged = try ScrubState(database: database).damaged
            status.missing = try MissingRecords(database: database, layout: layout).keys().count
            status.isLogOff = try database.query("PRAGMA journal_mode").first { $0.text(0) } != "wal"
            status.names = FileNumber.names(of: path)
            status.toBringBack = try LostRecords(database: database).count
            status.journalDays = try JournalRetention(database: database).days
            status.journalRemoved = Int(try state.integer(.journalRemoved) ?? 0)
            return status
        }
    }

    /// Writes down how the last exchange with the server went.
    ///
    /// - Parameters:
    ///   - failure: Why it failed; `nil` for one that worked.
    ///   - nextAttempt: Milliseconds since 1970 of the next attempt, where one is planned.
    package func noteContact(failure: String?, nextAttempt: Int64?) throws {
        // Of no use to anybody after a loss of power, so not worth a wait for the disk.
        try engineWrite("write down the state of synchronising", isRepeatable: true) { database in
            let note = ContactNote(database: database, now: now)
            if let failure {
                try note.failed(failure, nextAttempt: nextAttempt)
            } else {
                try note.succeeded()
            }
        }
    }
}
