package import GRDB
package import RoostMerge
package import RoostModel

/// Records in memory, with the tables, triggers and delete rules of a replica, but without a file and without
/// synchronisation. They are discarded with the last reference to the object.
///
/// One connection serves all readers and writers, one after the other. Safe to use from any thread, but not from within a
/// read or write of the object itself.
package final class MemoryReplica: Sendable {
    let layout: Layout
    private let queue: DatabaseQueue

    /// The schema of the records.
    package var schema: Schema { layout.schema }

    /// - Parameter prepare: Configures the connection.
    /// - Throws: ``ReplicaError``.
    package init(_ schema: Schema, prepare: @escaping @Sendable (Database) throws -> Void) throws {
        layout = Layout(schema, .bytes)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            database.refuseAttachments()
            try prepare(database)
        }
        do {
            queue = try DatabaseQueue(configuration: configuration)
            try queue.write { [layout] database in
                try ReplicaFile.makeTables(layout, in: database)
                // No push ever empties this outbox. The index keeps the search for unsettled entries from reading all of it.
                try database.execute(
                    sql: "CREATE INDEX roost_unsettled ON roost_outbox(unsettled) WHERE unsettled > 0")
            }
        } catch {
            throw ReplicaError(translating: error, "make a store in memory")
        }
    }

    private init(_ layout: Layout, _ queue: DatabaseQueue) {
        self.layout = layout
        self.queue = queue
    }

    /// Returns the records migrated to a later version of their schema. This object must not be used afterwards.
    ///
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate`, also if a record of an entity that the later version has
    ///   would be set aside. The records are unchanged then.
    package func migrated(by plan: MigrationPlan) throws -> MemoryReplica {
        let migrated = try translated("migrate records") {
            try queue.write { database in
                let migrated = try SchemaMigration(database: database, now: 0).run(plan, from: layout)
                try checkNoneIsAside(migrated, database)
                return migrated
            }
        }
        return MemoryReplica(migrated, queue)
    }

    /// Throws if the migration has set a record aside: a document stores only visible records, so its content would be lost.
    private func checkNoneIsAside(_ migrated: Layout, _ database: Database) throws {
        let query = try database.query("SELECT entity, id, reason FROM roost_unfit ORDER BY entity, id")
        let aside = try query.all { ($0.key(0), $0.text(2)) }.filter { key, _ in
            key.map { migrated[$0.entity] != nil } ?? false
        }
        guard let first = aside.first else { return }
        throw ReplicaError(
            .cannotMigrate,
            "Cannot migrate from version \(schema.version) of the schema \"\(schema.name)\" to version \(migrated.schema.version): \(aside.count) records do not fit it, the first because \(first.1) Change them with a program of the earlier version. Nothing was changed."
        )
    }

    /// Runs `body` on one snapshot.
    package func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
        try translated(action) { try queue.inDatabase { try $0.inOneTransaction(.deferred, body) } }
    }

    /// Writes in one transaction, like ``Replica/write(_:_:)``.
    ///
    /// - Parameter finish: Called after all writes, before the commit. Throwing rolls the transaction back.
    package func write<Result>(
        _ label: String, finish: (Database) throws -> Void = { _ in }, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        try transaction(label, finish) { transaction in
            let result = try body(transaction)
            // Nothing in memory is sent. But a program that uses another kind of store has to behave alike.
            try transaction.checkLimits()
            return result
        }
    }

    private func transaction<Result>(
        _ label: String, _ finish: (Database) throws -> Void, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        try translated(label) {
            try queue.write { database in
                let state = StateStore(database: database)
                try state.beginTransaction()
                let transaction = try LocalTransaction(database, layout) { 0 }
                let result = try body(transaction)
                try transaction.settle()
                try finish(database)
                return result
            }
        }
    }

    /// Returns every visible record with its content, encoded as a `Put` message, in the order of entities and identifiers.
    package func contents(_ database: Database) throws -> [(key: RecordKey, put: [UInt8])] {
        let rows = try RowStore(database, layout)
        return try layout.tables.flatMap { table in
            let query = try database.query("SELECT id FROM \(table.visible) ORDER BY id")
            let keys = try query.all { $0.id(0) }.compactMap { $0 }.map { RecordKey(entity: table.entity, id: $0) }
            return try keys.compactMap { key in try rows.encodedPut(of: key).map { (key, $0) } }
        }
    }

    /// Inserts the records of an earlier ``contents(_:)``, in one transaction. A masked reference whose target is not among
    /// the records becomes nil: nothing can bring its target back, and a rule of a later version could hide visible records
    /// because of it.
    ///
    /// - Throws: ``ReplicaError`` if a record does not fit the schema; nothing is inserted then.
    package func load(_ contents: [(key: RecordKey, put: [UInt8])]) throws {
        // A record that is too large was stored by an earlier version. Its next edit has to make it smaller.
        try transaction("load") { database in
            for rule in layout.rules.all where rule.isMaskable {
                guard let table = layout[rule.destination] else { continue }
                try database.query(
                    """
                    DELETE FROM roost_raw WHERE entity = \(rule.entity) AND relationship = \(rule.relationship)
                      AND target NOT IN (SELECT id FROM \(table.visible)) AND target NOT IN (SELECT id FROM \(table.hidden))
                    """
                ).run()
            }
        } _: { transaction in
            for (key, put) in contents { try transaction.restore(key, put) }
        }
    }

    /// Returns the state of a record under the delete rules, with its reason.
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
