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
        configuration.prepareDatabase { database in
            database.refuseAttachments()
            try prepare(database)
        }
        do {
            queue = try DatabaseQueue(configuration: configuration)
            try queue.write { [layout] database in
                try ReplicaFile.makeTables(layout, in: database)
                // Here every record stays in the outbox; a look for what is not settled must not read them all.
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

    /// The same records by a later version of their schema. This object is not to be used any more.
    ///
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate`, also where a record of an entity that the later version has would be
    ///   kept aside; the records are as they were.
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

    /// What is kept aside would be gone: only what is shown is written to a document.
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
                try state.beginTransaction()
                let transaction = try LocalTransaction(database, layout) { 0 }
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

    /// Puts records of earlier ``contents(_:)`` in, in one transaction. References that read nil because what they named is not among
    /// them are nil from now on: nothing can bring it back, and a later version's rule could hide by them what is shown.
    ///
    /// - Throws: ``ReplicaError`` where a record does not fit the schema; nothing is put in.
    package func load(_ contents: [(key: RecordKey, put: [UInt8])]) throws {
        try write("load") { database in
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
