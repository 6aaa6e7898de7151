public import RoostModel

/// A plan that migrates a replica, or a document, from earlier versions of a schema to the newest one.
///
/// The differences between two versions follow from the schema files: added, removed and renamed entities and properties
/// (identified by their ids), widened types, properties that became optional, and delete rules. A stage adds code where that
/// is not enough.
///
/// All stages that a file lacks run in one transaction: the file has the newest version afterwards, or is unchanged.
public struct MigrationPlan: Sendable {
    /// One version, and the migration to it from the previous one.
    public struct Stage: Sendable {
        /// The version's schema.
        public let schema: Schema
        let body: (@Sendable (MigrationStep) throws -> Void)?

        /// Makes a stage without code: the migration follows from the two schemas.
        public static func inferred(_ schema: Schema) -> Stage { Stage(schema: schema, body: nil) }

        /// Makes a stage with code, which runs when the tables are those of `schema` and can still read the records as they
        /// were in the previous stage. Include the previous version in the plan, inferred or not: a file of a still earlier
        /// version is then migrated to it first.
        ///
        /// The writes of the code are changes of this device, sent like any others. Other devices run the code too, at other
        /// times. Write only missing values, so that no later edit of another user is overwritten. An error thrown by the
        /// code refuses the migration.
        public static func custom(
            _ schema: Schema, _ body: @escaping @Sendable (MigrationStep) throws -> Void
        ) -> Stage {
            Stage(schema: schema, body: body)
        }
    }

    /// The stages, in ascending order of versions.
    public let stages: [Stage]

    /// The schema that files have after all stages.
    public var schema: Schema { stages[stages.count - 1].schema }

    /// Makes a plan without code.
    public init(to schema: Schema) { stages = [.inferred(schema)] }

    /// Makes a plan of several versions, some of them with code.
    ///
    /// - Parameter stages: At least one. Versions that are left out between two stages are skipped: the migration of their
    ///   properties follows from ids alone. The first stage with code should be preceded by its previous version.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` if there is no stage, the versions do not ascend, or a
    ///   version may not follow the one before. The message states the reason and the cure.
    public init(_ stages: [Stage]) throws {
        guard !stages.isEmpty else {
            throw ReplicaError(.cannotMigrate, "Cannot make a migration plan of no stages. Give it the newest schema.")
        }
        for (old, new) in zip(stages, stages.dropFirst()) {
            try SchemaComparison.check(from: old.schema, to: new.schema)
        }
        self.stages = stages
    }

    /// Returns the stages that a file of `version` lacks. Consecutive stages without code are merged up to the version
    /// before the next stage with code: the code finds the records by the names of that version, from whatever version the
    /// file comes.
    func stages(after version: Int) -> [Stage] {
        let ahead = stages.filter { $0.schema.version > version }
        return ahead.indices.filter { index in
            ahead[index].body != nil || index == ahead.count - 1 || ahead[index + 1].body != nil
        }.map { ahead[$0] }
    }
}
