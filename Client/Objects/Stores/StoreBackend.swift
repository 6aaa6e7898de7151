package import GRDB
package import Replica
package import RoostModel

/// What a store does beneath its objects: tables that are read by SQL, and one transaction at a time that writes.
package protocol StoreBackend: AnyObject, Sendable {
    /// The schema that the tables are of.
    var schema: Schema { get }

    /// Reads one snapshot, on a connection that has ``ObjectFunctions`` and that nobody else uses meanwhile.
    ///
    /// - Parameter action: What is done, for messages.
    func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result

    /// Writes in one transaction; nothing is changed if `body` throws.
    ///
    /// - Parameter label: What is done, for the log.
    func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result
}

/// One transaction that writes to a store.
package protocol StoreTransaction {
    /// The connection that writes, for looks at what is there.
    var database: Database { get }

    /// Writes a record: a new one, or the given columns of one that is there.
    func put(_ entity: String, id: RecordID, _ values: [String: Value]) throws

    /// Deletes a visible record; the delete rules apply at once.
    func delete(_ entity: String, id: RecordID) throws

    /// Brings a deleted record back with the content that it had.
    func undelete(_ entity: String, id: RecordID) throws

    /// Where a record lies.
    func place(of entity: String, id: RecordID) throws -> RecordPlace
}
