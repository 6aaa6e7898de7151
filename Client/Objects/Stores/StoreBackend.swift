package import GRDB
package import Replica
internal import RoostMerge
package import RoostModel

/// What a store does beneath its objects: tables that are read by SQL, and one transaction at a time that writes.
protocol StoreBackend: AnyObject, Sendable {
    /// The schema that the tables are of.
    var schema: Schema { get }

    /// The file that tells by its write-ahead log that somebody wrote; `nil` where nobody else can.
    var path: String? { get }

    /// Tells at once what a session of this program takes in, as long as the observation lasts; `nil` where none can.
    func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation?

    /// Whether ``PredicateFunctions`` are on the connection that writes.
    var writesWithFunctions: Bool { get }

    /// Reads one snapshot, on a connection that has ``PredicateFunctions`` and that nobody else uses meanwhile.
    ///
    /// - Parameter action: What is done, for messages.
    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result

    /// What the tables keep and do not show, as a connection of the store sees it.
    func hiddenRecords(_ database: Database) -> HiddenRecords

    /// What a record is, and why.
    func liveness(of record: RecordKey) throws -> Liveness

    /// Writes in one transaction; nothing is changed if `body` throws.
    ///
    /// - Parameter label: What is done, for the log.
    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// One transaction that writes to a store.
package protocol StoreTransaction {
    /// The connection that writes, for looks at what is there.
    var database: Database { get }

    /// Whether what was written may not be visible after all, though nothing was deleted; known once the write is over.
    var mayHideWritten: Bool { get }

    /// Writes a record: a new one, or the given columns of one that is there.
    func put(_ entity: String, id: RecordID, _ values: [String: Value]) throws

    /// Writes a record that is not visible, as a whole.
    ///
    /// - Parameter values: Of all attributes and references, by ascending property.
    func insert(_ key: RecordKey, _ values: [Value]) throws

    /// Lets a visible record name nothing by a reference that reads nil because what it names is not visible.
    func clearReference(_ entity: String, id: RecordID, _ name: String) throws

    /// Deletes a visible record; the delete rules apply at once.
    func delete(_ entity: String, id: RecordID) throws

    /// Brings a deleted record back with the content that it had.
    func undelete(_ entity: String, id: RecordID) throws

    /// Where a record lies.
    func place(of entity: String, id: RecordID) throws -> RecordPlace
}

extension StoreBackend {
    /// Tells whether anything was written, by whomever, until now.
    func writeToken() throws -> WriteToken { try read("look for changes", WriteToken.init) }

    /// Reads what the tables keep and do not show.
    func readHidden<Result>(_ action: String, _ body: (HiddenRecords) throws -> Result) throws -> Result {
        try read(action) { try body(hiddenRecords($0)) }
    }
}
