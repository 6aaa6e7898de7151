internal import Foundation
internal import GRDB
public import RoostModel
internal import Synchronization

extension Replica {
    /// Opens a replica file, after ``migrate(at:by:durability:)``.
    ///
    /// - Parameter plan: Ends with the schema that the program was written for. A file that has a later one is opened as it is.
    /// - Throws: ``ReplicaError``; the file is as it was, or migrated.
    public convenience init(opening path: String, migrating plan: MigrationPlan, durability: Durability = .full) throws
    {
        try Self.migrate(at: path, by: plan, durability: durability)
        try self.init(opening: path, durability: durability)
    }

    /// Brings a replica file to the newest version of a plan, in one transaction. It may take as long as writing all records of the
    /// entities that change; other programs wait for it, and have to open the file again afterwards. Needs no network: what the other
    /// devices still write by the earlier version is understood, and they keep what they do not know.
    ///
    /// - Returns: Whether there was anything to do.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` where the plan's versions cannot follow the file's, or code of a stage
    ///   threw; other codes as ``init(opening:durability:)``. The file is as it was.
    @discardableResult
    public static func migrate(
        at path: String, by plan: MigrationPlan, durability: Durability = .full
    ) throws -> Bool {
        try migrate(at: path, by: plan, durability: durability) { Int64(Date().timeIntervalSince1970 * 1000) }
    }

    /// - Parameter wallClock: Milliseconds since 1970.
    package static func migrate(
        at path: String, by plan: MigrationPlan, durability: Durability, wallClock: @escaping @Sendable () -> Int64
    ) throws -> Bool {
        while true {
            let replica = try Replica(opening: path, durability: durability, wallClock: wallClock)
            defer { try? replica.close() }
            guard replica.schema.version < plan.schema.version else { return false }
            do {
                try replica.migrate(by: plan)
                return true
            } catch let error as ReplicaError where error.code == .schemaChanged {
                // Another program was first.
                continue
            }
        }
    }

    private func migrate(by plan: MigrationPlan) throws {
        log.noteWrite()
        do {
            try localTransaction { database in
                _ = try SchemaMigration(database: database, now: now).run(plan, from: layout)
            }
        } catch {
            throw ReplicaError(translating: error, "migrate the replica \"\(path)\"").blaming(plan.schema)
        }
    }

    /// Whether another program has migrated the file, or brought it to a later format, since this object was opened: nothing works with it
    /// but ``close()``, and the file has to be opened again.
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

    /// The scope's schema where it is newer than the tables and this program understands it: ``MigrationPlan/init(to:)`` takes it.
    ///
    /// - Throws: ``ReplicaError`` where the file cannot be read.
    public func nextSchema() throws -> Schema? {
        try engineLook("read the scope's schema") { database in
            try StateStore(database: database).text(.nextSchema).flatMap { try? Schema(json: $0) }
        }
    }
}
