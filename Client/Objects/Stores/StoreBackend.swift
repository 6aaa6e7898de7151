package import GRDB
package import Replica
internal import RoostMerge
package import RoostModel

/// The interface of a store to its objects: tables that SQL reads, and one write transaction at a time.
protocol StoreBackend: AnyObject, Sendable {
    /// The store, for messages, such as `the replica "trip.roost"`.
    var name: String { get }

    /// The schema of the tables.
    var schema: Schema { get }

    /// The file whose write-ahead log (WAL) reveals writes; `nil` where no other program can write.
    var path: String? { get }

    /// The file that holds the records; `nil` where they are in memory only.
    var file: String? { get }

    /// Notifies immediately after a session of this program applies changes, as long as the observation lasts; `nil` where the
    /// store has no session.
    func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation?

    /// Whether the connection that writes has ``PredicateFunctions``.
    var writesWithFunctions: Bool { get }

    /// Reads one snapshot, on a connection that has ``PredicateFunctions`` and is not shared during the call.
    ///
    /// - Parameter action: The name of the operation, for messages.
    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result

    /// Returns the hidden records of the tables, as a connection of the store sees them.
    func hiddenRecords(_ database: Database) -> HiddenRecords

    /// Returns the state of a record, and its reason.
    func liveness(of record: RecordKey) throws -> Liveness

    /// Writes in one transaction; nothing is changed if `body` throws.
    ///
    /// - Parameter label: The name of the action, for the log.
    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result

    /// Whether the store holds something that its file does not, such as a document that was migrated when it was opened.
    var hasUnwrittenChanges: Bool { get }

    /// Writes what only memory holds to the file, if there is a file.
    func writeUnwrittenChanges() throws
}

/// A store whose writes are in its file, or that has none.
extension StoreBackend {
    var hasUnwrittenChanges: Bool { false }
    func writeUnwrittenChanges() throws {}
}

/// One transaction that writes to a store.
package protocol StoreTransaction {
    /// The connection that writes, for queries of the current records.
    var database: Database { get }

    /// Whether written records may be invisible although nothing was deleted. Final once the write is over.
    var mayHideWritten: Bool { get }

    /// Writes a record: a new one, or the given columns of an existing one.
    func put(_ entity: String, id: RecordID, _ values: [String: Value]) throws

    /// Writes a record that is not visible, as a whole.
    ///
    /// - Parameter values: The values of all attributes and references, in ascending order of property numbers.
    func insert(_ key: RecordKey, _ values: [Value]) throws

    /// Clears a masked reference of a visible record, so that it names nothing.
    func clearReference(_ entity: String, id: RecordID, _ name: String) throws

    /// Deletes a visible record; the delete rules apply at once.
    func delete(_ entity: String, id: RecordID) throws

    /// Brings a deleted record back with the content that it had.
    func undelete(_ entity: String, id: RecordID) throws

    /// Returns the location of a record: visible, hidden, deleted or nowhere.
    func place(of entity: String, id: RecordID) throws -> RecordLocation
}

extension StoreBackend {
    var file: String? { path }

    /// Returns the token of the store's current state, which changes with each write by any program.
    func writeToken() throws -> WriteToken { try read("look for changes", WriteToken.init) }

    /// Reads the hidden records of the tables.
    func readHidden<Result>(_ action: String, _ body: (HiddenRecords) throws -> Result) throws -> Result {
        try read(action) { try body(hiddenRecords($0)) }
    }
}
