package import GRDB
package import RoostMerge
package import RoostModel

/// Records in memory, with the tables, triggers and delete rules of a replica, and without a file: nobody synchronises it, and it ends
/// with its last owner.
///
/// One connection does everything, so whoever reads or writes waits for the others. Safe to use from any thread, but not from
/// within a read or write of its own.
package final class MemoryReplica: Sendable {
    private let layout: Layout
    private let queue: DatabaseQueue

    /// The schema of the records.
    package var schema: Schema { layout.schema }

    /// - Parameter prepare: Called with the connection.
    /// - Throws: ``ReplicaError``.
    package init(_ schema: Schema, prepare: @escaping @Sendable (Database) throws -> Void) throws {
        layout = Layout(schema)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase(prepare)
        do {
            queue = try DatabaseQueue(configuration: configuration)
            try queue.write { [layout] database in
                try ReplicaFile.makeTables(layout, in: database)
                // Here every record stays in the outbox; a look for what is not settled must not read them all.
                try database.execute(
                    sql: "CREATE INDEX roost_unsettled ON roost_outbox(unsettled) WHERE unsettled = 1")
            }
        } catch {
            throw ReplicaError(translating: error, "make a store in memory")
        }
    }

    /// Reads one snapshot.
    package func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try translated(action) { try queue.inDatabase { try $0.inOneTransaction(.deferred, body) } }
    }

    /// Writes in one transaction, as ``Replica/write(_:_:)`` does.
    package func write<Result>(_ label: String, _ body: (LocalTransaction) throws -> Result) throws -> Result {
        try translated(label) {
            try queue.write { database in
                let state = StateStore(database: database)
                try state.startTransaction()
                let transaction = try LocalTransaction(database, layout)
                let result = try body(transaction)
                try transaction.settle()
                return result
            }
        }
    }

    /// What a record is, and why.
    package func liveness(of key: RecordKey) throws -> Liveness {
        try read("explain a record") { database in
            try Explanation(database, layout, replica: try StateStore(database: database).replica).liveness(of: key)
        }
    }

    private func translated<Result>(_ action: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw ReplicaError(translating: error, action)
        }
    }
}

extension LocalTransaction {
    /// Derives what follows from what was written, with the triggers standing still for it.
    func settle() throws {
        let state = StateStore(database: database)
        var isMoving = false
        try Settlement(database: database, layout: layout, replica: stamps.replica).settle {
            try state.setApplying(TriggerSQL.engineDepth)
            isMoving = true
        }
        if isMoving { try state.setApplying(0) }
    }
}
