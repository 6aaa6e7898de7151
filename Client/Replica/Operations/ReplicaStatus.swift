internal import GRDB
public import RoostModel

/// The state of a replica, as far as it can be read without the network.
public struct ReplicaStatus: Hashable, Sendable {
    /// Records with local changes that the server has not acknowledged.
    public var waiting = 0
    /// The time of the oldest pending change, in milliseconds since 1970.
    public var waitingSince: Int64?
    /// Whether the replica has a checkpoint. False before the first page of the first pull or of a full resynchronisation.
    public var hasPulled = false
    /// The time of the last successful exchange with the server, in milliseconds since 1970.
    public var lastContact: Int64?
    /// The reason why the last attempt failed; `nil` after a successful one.
    public var failure: String?
    /// The time of the first failure since the last successful attempt, in milliseconds since 1970; `nil` after a successful
    /// one.
    public var failingSince: Int64?
    /// The time of the next attempt, if one is planned, in milliseconds since 1970.
    public var nextAttempt: Int64?
    /// The digest of the confirmed slots, without pending changes. It equals the server's digest when both hold the same
    /// records.
    public var digest = ScopeDigest()
    /// The version of the schema that the replica's tables follow, from 1.
    public var schemaVersion = 0
    /// The version of the scope's schema, if it is later than ``schemaVersion``. `roost migrate` migrates the replica to it.
    public var nextSchemaVersion: Int?
    /// Changes in the journal that were beaten by a greater stamp, without those that are current all the same
    /// (``JournalEntry/isCurrent``).
    public var beaten = 0
    /// Changes in the journal that the server did not store, or that could not be sent because the file was corrupt.
    public var refused = 0
    /// Changes in the journal that a restored server has lost and does not accept again.
    public var lost = 0
    /// Records that are hidden because of another record's delete.
    public var hidden = 0
    /// Records that are deleted but still visible, because others refer to them with a deny rule.
    public var kept = 0
    /// Records that are stored but not visible, because they do not fit the replica's schema or an index; without deleted
    /// ones.
    public var unfit = 0
    /// The reason of the running full resynchronisation; `nil` if none is running.
    public var pullingAnew: PullAnewReason?
    /// The minimum number of records found corrupt, which the next synchronisation rewrites from the server.
    public var damaged = 0
    /// Records whose row is missing from its table without a tracked delete. User action is required
    /// (``Replica/acceptMissingAsDeleted()``, ``Replica/restoreMissing()``).
    public var missing = 0
    /// Whether another program has switched off the file's WAL, and it cannot be switched on because a program has the file
    /// open.
    public var isLogOff = false
    /// The form in which the file stores identifiers.
    public var identifiers = IdentifierForm.bytes
    /// The number of names (hard links) of the file. Programs that open a file by different names have different WALs, and
    /// overwrite each other's changes.
    public var names = 1
    /// Records that a restored server has lost and that are still to be brought back to it.
    public var toBringBack = 0
    /// The number of days for which the journal keeps its entries; 0 keeps them forever.
    public var journalDays = JournalRetention.defaultDays
    /// The number of journal entries that were removed for their age.
    public var journalRemoved = 0
}

extension Replica {
    /// Returns the replica's state without using the network: pending changes, their age, and the reasons of failures.
    ///
    /// - Throws: ``ReplicaError`` if the file cannot be read.
    public func status() throws -> ReplicaStatus {
        try read("read the status") { database in
            func count(_ sql: String) throws -> Int { Int(try database.query(sql).first { $0.integer(0) } ?? 0) }
            let state = StateStore(database: database)
            var status = ReplicaStatus()
            (status.waiting, status.waitingSince) = try Marks(database: database).withOutbox()
            status.hasPulled = try state.bytes(.checkpoint) != nil
            status.identifiers = database.identifiers
            status.lastContact = try state.integer(.lastContact)
            status.failure = try state.text(.lastFailure)
            status.failingSince = try state.integer(.failingSince)
            status.nextAttempt = try state.integer(.nextAttempt)
            status.digest = try state.digest
            status.schemaVersion = Int(try state.integer(.schemaVersion) ?? 0)
            status.nextSchemaVersion = try state.integer(.nextSchemaVersion).map { Int($0) }
            status.beaten = try countBeaten(database)
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

    /// Returns the number of records with changes that the server has not acknowledged, and the time of the last successful exchange, in
    /// milliseconds since 1970.
    package func pending() throws -> (waiting: Int, lastContact: Int64?) {
        try read("read the pending changes") { database in
            let waiting = try Marks(database: database).withOutbox().0
            return (waiting, try StateStore(database: database).integer(.lastContact))
        }
    }

    /// Records the result of the last exchange with the server.
    ///
    /// - Parameters:
    ///   - failure: The reason of a failure; `nil` if the exchange succeeded.
    ///   - nextAttempt: The time of the next attempt, if one is planned, in milliseconds since 1970.
    package func recordContact(failure: String?, nextAttempt: Int64?) throws {
        // Obsolete after a power failure, so not worth waiting for the disk.
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
