package import GRDB
package import RoostMerge
package import RoostModel

/// Records in memory, with the tables, triggers and delete rules of a replica, and without a file: nobody synchronises it, and it ends
/// with its last owner.
///
/// One connection does everything, so whoever reads or writes waits for the others. Safe to use from any thread, but not from
/// within a read or write of its own.
package final class MemoryReplica: Sendable {
    let layout: Layout
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

    private init(_ layout: Layout, _ queue: DatabaseQueue) {
        self.layout = layout
        self.queue = queue
    }

    /// The same records by a later version of their schema. This object is not to be used any more.
    ///
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate`; the records are as they were.
    package func migrated(by plan: MigrationPlan) throws -> MemoryReplica {
        let migrated = try translated("migrate records") {
            try queue.write { try SchemaMigration(database: $0, now: 0).run(plan, from: layout) }
        }
        return MemoryReplica(migrated, queue)
    }

    /// Reads one snapshot.
    package func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try translated(action) { try queue.inDatabase { try $0.inOneTransaction(.deferred, body) } }
    }

    /// Writes in one transaction, as ``Replica/write(_:_:)`` does.
    ///
    /// - Parameter finish: Called when all is written, before it takes effect; it throws to take everything back.
    package func write<Result>(
        _ label: String, finish: (Database) throws -> Void = { _ in }, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        try translated(label) {
            try queue.write { database in
                let state = StateStore(database: database)
                try state.startTransaction()
                let transaction = try LocalTransaction(database, layout)
                let result = try body(transaction)
                try transaction.settle()
                try finish(database)
                return result
            }
        }
    }

    /// Every visible record with its content, encoded as a `Put` message, in the order of entities and identifiers.
    package func contents(_ database: Database) throws -> [(key: RecordKey, put: [UInt8])] {
        let rows = try RowStore(database, layout)
        return try layout.tables.flatMap { table in
            let query = try database.query("SELECT id FROM \(table.visible) ORDER BY id")
            let keys = try query.all { $0.id(0) }.compactMap { $0 }.map { RecordKey(entity: table.entity, id: $0) }
            return try keys.compactMap { key in try rows.encodedPut(of: key).map { (key, $0) } }
        }
    }

    /// Puts records of earlier ``contents(_:)`` in, in one transaction.
    ///
    /// - Throws: ``ReplicaError`` where a record does not fit the schema; nothing is put in.
    package func load(_ contents: [(key: RecordKey, put: [UInt8])]) throws {
        try write("load") { transaction in
            for (key, put) in contents { try transaction.restore(key, put) }
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
