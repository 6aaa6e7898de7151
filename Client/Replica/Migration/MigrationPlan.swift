public import RoostModel

/// How a replica, or a document, of an earlier version of a schema comes to the newest one.
///
/// What has changed between two versions is read off the schema files: entities and properties that came, went or got another name
/// (their ids say so), types that grew, what became optional, delete rules. Where that is not enough, a stage has code.
///
/// All stages that a file still lacks run in one transaction: either the file has the newest version, or it is as it was.
public struct MigrationPlan: Sendable {
    /// One version, and how to come to it from the one before.
    public struct Stage: Sendable {
        /// The version's schema.
        public let schema: Schema
        let body: (@Sendable (MigrationStep) throws -> Void)?

        /// Everything follows from the two schemas.
        public static func inferred(_ schema: Schema) -> Stage { Stage(schema: schema, body: nil) }

        /// Code that runs when the tables are those of `schema`, and may still read the records as they were by the stage before. Let
        /// the plan have that one too, inferred or not: a file of a still earlier version then comes to it first.
        ///
        /// What it writes are this device's changes, sent like any others. Other devices run it too, at other times: let it write only
        /// what is missing, so that nobody's later edit is written over. What it throws refuses the migration.
        public static func custom(
            _ schema: Schema, _ body: @escaping @Sendable (MigrationStep) throws -> Void
        ) -> Stage {
            Stage(schema: schema, body: body)
        }
    }

    /// In ascending order of versions.
    public let stages: [Stage]

    /// The schema that files have in the end.
    public var schema: Schema { stages[stages.count - 1].schema }

    /// A plan without code.
    public init(to schema: Schema) { stages = [.inferred(schema)] }

    /// A plan of several versions, some of them with code.
    ///
    /// - Parameter stages: At least one. Versions that are left out between two stages are passed over: what became of their
    ///   properties follows from ids alone. The first stage with code should have the version before it ahead of it.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate` where there is no stage, their versions do not ascend, or one may not
    ///   follow the one before; the message says what and the cure.
    public init(_ stages: [Stage]) throws {
        guard !stages.isEmpty else {
            throw ReplicaError(.cannotMigrate, "Cannot make a migration plan of no stages. Give it the newest schema.")
        }
        for (old, new) in zip(stages, stages.dropFirst()) {
            try SchemaComparison.check(from: old.schema, to: new.schema)
        }
        self.stages = stages
    }

    /// The stages that a file of `version` has still to go through. Those without code go together, up to the one before the next with
    /// code: the code is to find the records by that one's names, whatever version the file has.
    func stages(after version: Int) -> [Stage] {
        let ahead = stages.filter { $0.schema.version > version }
        return ahead.indices.filter { index in
            ahead[index].body != nil || index == ahead.count - 1 || ahead[index + 1].body != nil
        }.map { ahead[$0] }
    }
}
