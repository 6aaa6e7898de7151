internal import GRDB
public import RoostModel

extension Replica {
    /// Writes in one transaction. Never waits for the network.
    ///
    /// - Parameters:
    ///   - label: What is done, for the log and for undo, such as "add Dinner".
    ///   - body: Does it; nothing is changed if it throws.
    public func write<Result>(_ label: String, _ body: (LocalTransaction) throws -> Result) throws -> Result {
        try localWrite(label, as: .done, body)
    }

    /// - Parameter stepState: Whether the step can be undone, or is itself one that undid or redid another.
    func localWrite<Result>(
        _ label: String, as stepState: StepState, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        log.noteWrite()
        defer { log.tidyIfLarge(engine) }
        do {
            let (result, isSealed) = try localTransaction { database in
                let state = StateStore(database: database)
                // What other programs wrote before is not part of this.
                if try !database.knowsOutboxSettled(), try !database.isEmpty("roost_mark") {
                    try Marks(database: database).takeInNamed()
                }
                try state.beginTransaction()
                let transaction = try LocalTransaction(database, layout, now: wallClock)
                let result = try body(transaction)
                let step = try remember(transaction, label, as: stepState)
                var hasMoved = try transaction.settle(knowing: step.references)
                let isSealed = try writeSealings.current?.seal(transaction, step, &hasMoved, of: self) ?? false
                if hasMoved {
                    // What it left is what can be undone.
                    try forget(step, database)
                    try remember(transaction, label, as: stepState)
                }
                // What other programs write next is not part of this.
                if !isSealed { try state.endTransaction() }
                return (result, isSealed)
            }
            if isSealed { writeSealings.note() }
            return result
        } catch {
            throw ReplicaError(translating: error, label)
        }
    }

    /// What was written down of a step that can be undone, and what was read for it.
    struct RememberedStep {
        /// The first of its rows of `roost_history`; `nil` where it has none.
        fileprivate var first: Int64?
        /// The contents of the visible records that it wrote, encoded, where they are few.
        fileprivate(set) var contents: [RecordKey: [UInt8]] = [:]
        /// The stored references of those of them that show all of them.
        fileprivate(set) var references: [RecordKey: [Put.Reference]] = [:]
    }

    /// Writes down what the records held before and hold now.
    @discardableResult
    private func remember(_ transaction: LocalTransaction, _ label: String, as state: StepState) throws
        -> RememberedStep
    {
        let rows = transaction.rows
        // Triggers or settling may have made references read nil.
        try rows.lookForMasks()
        var step = RememberedStep()
        // Steps follow each other.
        var query = try transaction.database.query(Self.insertSQL(step: "coalesce((\(Self.lastStepSQL)), 0) + 1"))
        for (key, before) in transaction.before {
            query.bind(1, now)
            query.bind(2, label)
            query.bind(3, key.entity.rawValue)
            query.bind(4, key.id)
            query.bind(5, before) { query.bind($0, $1) }
            let after = try rows.visibleContent(of: key)
            step.references[key] = after?.references
            if transaction.before.count <= WriteSealing.entriesMax { step.contents[key] = after?.encoded }
            query.bind(6, after?.encoded) { query.bind($0, $1) }
            query.bind(7, state.rawValue)
            try query.run()
            guard step.first == nil else { continue }
            step.first = query.insertedRow
            guard transaction.before.count > 1 else { break }
            let number = try transaction.database.query(Self.lastStepSQL).first { $0.integer(0) }
            query = try transaction.database.query(Self.insertSQL(step: "?8"))
            query.bind(8, number ?? 1)
        }
        return step
    }

    private func forget(_ step: RememberedStep, _ database: Database) throws {
        guard let first = step.first else { return }
        let query = try database.query("DELETE FROM roost_history WHERE ordinal >= ?")
        query.bind(1, first)
        try query.run()
    }

    private static let lastStepSQL = "SELECT step FROM roost_history ORDER BY ordinal DESC LIMIT 1"

    private static func insertSQL(step: String) -> String {
        """
        INSERT INTO roost_history(step, at, label, entity, id, before, after, undone) VALUES (\(step), ?1, ?2, ?3, ?4, ?5, ?6, ?7)
        """
    }

    /// Reads with any SQL; the visible tables are named after the entities, in lower case.
    ///
    /// - Returns: The rows, each value in the form of its SQL storage class.
    public func select(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
        try read("read") { database in
            let query = try database.query(sql)
            // What is not given reads nil, and not what the same text was run with before.
            query.clearBindings()
            for (index, value) in arguments.enumerated() { query.bind(Int32(index + 1), value) }
            return try query.all { $0.row }
        }
    }
}
