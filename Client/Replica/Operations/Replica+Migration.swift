internal import Foundation
internal import GRDB
public import RoostModel
internal import Synchronization

extension Replica {
    /// Opens a replica file of a schema. A file with an earlier version is migrated, as far as the schemas determine the
    /// migration; a file with a later version is opened as it is.
    ///
    /// - Parameter schema: The schema that the program was written for.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` if the file has another schema, or a version that cannot be
    ///   migrated to `schema`; other codes like ``init(opening:durability:)``. The file is unchanged, or migrated.
    public convenience init(opening path: String, _ schema: Schema, durability: Durability = .full) throws {
        try self.init(opening: path, migrating: MigrationPlan(to: schema), durability: durability)
    }

    /// Opens a replica file after ``migrate(at:by:durability:)``; otherwise like ``init(opening:_:durability:)``.
    ///
    /// - Parameter plan: A plan that ends with the schema that the program was written for. A file with a later schema is
    ///   opened as it is.
    /// - Throws: ``ReplicaError``; the file is unchanged, or migrated.
    public convenience init(opening path: String, migrating plan: MigrationPlan, durability: Durability = .full) throws
    {
        try Self.migrate(at: path, by: plan, durability: durability)
        try self.init(opening: path, durability: durability)
    }

    /// Migrates a replica file to the newest version of a plan, in one transaction. It takes up to the time of writing all
    /// records of the changed entities. Other programs wait for it, and have to open the file again afterwards. It needs no
    /// network: changes that other devices still write in the earlier version are understood, and those devices keep the
    /// fields that their version lacks.
    ///
    /// - Returns: Whether the file was migrated.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` if the file has another schema than the plan, the plan's
    ///   versions cannot follow the file's, or the code of a stage threw; other codes like ``init(opening:durability:)``. The file is unchanged then.
    @discardableResult
    public static func migrate(
        at path: String, by plan: MigrationPlan, durability: Durability = .full
    ) throws -> Bool {
        try migrate(at: path, by: plan, durability: durability) { Int64(Date().timeIntervalSince1970 * 1000) }
    }

    /// - Parameter wallClock: Returns milliseconds since 1970.
    package static func migrate(
        at path: String, by plan: MigrationPlan, durability: Durability, wallClock: @escaping @Sendable () -> Int64
    ) throws -> Bool {
        while true {
            let replica = try Replica(opening: path, durability: durability, wallClock: wallClock)
            defer { try? replica.close() }
            guard replica.schema.name == plan.schema.name else {
                throw ReplicaError(
                    .cannotMigrate,
                    "Cannot open the replica \"\(path)\": its schema is \"\(replica.schema.name)\", and not \"\(plan.schema.name)\". Open another file, or keep the name of the schema."
                )
            }
            guard replica.schema.version < plan.schema.version else { return false }
            do {
                try replica.migrate(by: plan)
                return true
            } catch let error as ReplicaError where error.code == .schemaChanged {
                // Another program has migrated the file concurrently.
                continue
            }
        }
    }

    private func migrate(by plan: MigrationPlan) throws {
        log.recordWrite()
        do {
            try localTransaction { database in
                _ = try SchemaMigration(database: database, now: now).run(plan, from: layout)
            }
        } catch {
            throw ReplicaError(translating: error, "migrate the replica \"\(path)\"").blaming(plan.schema)
        }
    }

    /// Whether another program has migrated the file, or updated it to a later format, since this object was opened. Then
    /// every method but ``close()`` fails, and the file has to be opened again.
    public var isMigratedElsewhere: Bool {
        do {
            try engineLook("look at the tables") { try checkVersion(of: $0) }
            return false
        } catch let error as ReplicaError {
            return error.code == .schemaChanged || error.code == .newerFormat
        } catch {
            return false
        }
    }

    /// Returns the scope's schema if it is newer than the tables and this program understands it.
    /// ``MigrationPlan/init(to:)`` accepts it.
    ///
    /// - Throws: ``ReplicaError`` if the file cannot be read.
    public func nextSchema() throws -> Schema? {
        try engineLook("read the scope's schema") { database in
            try StateStore(database: database).text(.nextSchema).flatMap { try? Schema(json: $0) }
        }
    }
}
