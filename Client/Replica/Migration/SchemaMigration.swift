internal import GRDB
internal import RoostModel

/// Migrates the records of one connection through the stages of a plan, inside one transaction in which triggers fire.
struct SchemaMigration {
    let database: Database
    let now: Int64

    /// Runs the stages of a plan that the file lacks.
    ///
    /// - Returns: The layout after the migration.
    /// - Throws: ``ReplicaError`` with the code `cannotMigrate`; the caller has to roll the transaction back.
    func run(_ plan: MigrationPlan, from layout: Layout) throws -> Layout {
        var layout = layout
        for stage in plan.stages(after: layout.schema.version) { layout = try run(stage, from: layout) }
        return layout
    }

    /// Returns the additions of other programs to tables that the new version keeps, without columns whose names the new
    /// version uses itself.
    private func additions(of old: Layout, for schema: Schema) -> [EntityID: UserAdditions] {
        var kept: [EntityID: UserAdditions] = [:]
        for table in Layout(schema, old.identifiers).tables {
            guard var additions = old[table.entity]?.additions else { continue }
            let taken = Set(table.columns.map { SQLName.folded($0.name) })
            additions.columns.removeAll { taken.contains(SQLName.folded($0)) }
            kept[table.entity] = additions
        }
        return kept
    }

    private func run(_ stage: MigrationPlan.Stage, from old: Layout) throws -> Layout {
        let planned = Layout(
            stage.schema, old.identifiers, additions: additions(of: old, for: stage.schema))
        let state = StateStore(database: database)
        var tables = try TableMigration(database, from: old, to: planned, hasCode: stage.body != nil, now: now)
        try state.setApplying(TriggerSQL.engineDepth)
        try tables.run()
        let new = tables.new
        try Marks(database: database).discard()
        try state.setApplying(0)
        if let body = stage.body { try run(body, MigrationStep(from: tables.aside, try transaction(new))) }
        try tables.finish()
        try state.set(.layout, LayoutFingerprint(SchemaItem.all(database), new).text)
        return new
    }

    /// Begins the transaction of a stage's code. Its writes arrive on other devices as a whole.
    private func transaction(_ layout: Layout) throws -> LocalTransaction {
        try StateStore(database: database).beginTransaction()
        return try LocalTransaction(database, layout) { now }
    }

    private func run(_ body: (MigrationStep) throws -> Void, _ step: MigrationStep) throws {
        do {
            try body(step)
            try step.transaction.checkLimits()
            try step.transaction.settle()
            try StateStore(database: database).endTransaction()
        } catch {
            let action =
                "migrate from version \(step.old.version) of the schema \"\(step.old.name)\" to version \(step.new.version)"
            // An SQLite or Roost error may be a fault of the disk rather than of the step's code.
            var reason = "\(error)"
            if error is DatabaseError || error is ReplicaError {
                let error = ReplicaError(translating: error, action)
                if [.diskFull, .corrupt, .busy].contains(error.code) { throw error }
                reason = error.message
            }
            throw ReplicaError(
                .cannotMigrate, "Cannot \(action): its own step failed (\(reason)). Nothing was changed.")
        }
    }
}
