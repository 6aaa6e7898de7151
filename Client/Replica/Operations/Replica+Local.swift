internal import GRDB
public import RoostModel

extension Replica {
    /// Writes in one transaction. Never waits for the network.
    ///
    /// - Parameters:
    ///   - label: A description for the log and for undo, such as "add Dinner".
    ///   - body: Makes the changes. If it throws, nothing is changed.
    /// - Throws: The error of `body`; ``ReplicaError`` with the code `tooLarge` where a written record has more than 256 KiB or
    ///   128 properties, which no synchronisation accepts. Nothing is changed then.
    public func write<Result>(_ label: String, _ body: (LocalTransaction) throws -> Result) throws -> Result {
        try localWrite(label, as: .done, body)
    }

    /// - Parameter stepState: Whether the step can be undone, or has itself undone or redone another step.
    func localWrite<Result>(
        _ label: String, as stepState: StepState, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        log.recordWrite()
        defer { log.tidyIfLarge(engine) }
        do {
            let (result, isSealed) = try localTransaction { database in
                let state = StateStore(database: database)
                // Earlier writes of other programs do not belong to this transaction.
                if try !database.knowsOutboxSettled(), try !database.isEmpty("roost_mark") {
                    try Marks(database: database).foldNamed()
                }
                try state.beginTransaction()
                let transaction = try LocalTransaction(database, layout, now: wallClock)
                let result = try body(transaction)
                let step = try remember(transaction, label, as: stepState)
                var hasMoved = try transaction.settle(knowing: step.references)
                let isSealed = try writeSealings.current?.seal(transaction, step, &hasMoved, of: self) ?? false
                if hasMoved {
                    // Settling or sealing has changed rows, so the final rows are what can be undone.
                    try forget(step, database)
                    try remember(transaction, label, as: stepState)
                }
                // Later writes of other programs do not belong to this transaction.
                if !isSealed { try state.endTransaction() }
                return (result, isSealed)
            }
            if isSealed { writeSealings.note() }
            return result
        } catch {
            throw ReplicaError(translating: error, label)
        }
    }

    /// A recorded step that can be undone, and the rows that were read for it.
    struct RememberedStep {
        /// The first ordinal of the step in `roost_history`; `nil` if nothing was recorded.
        fileprivate var first: Int64?
        /// The encoded contents of the visible records that the step wrote, if there are few.
        fileprivate(set) var contents: [RecordKey: [UInt8]] = [:]
        /// The stored references of the visible records none of whose references is masked.
        fileprivate(set) var references: [RecordKey: [Put.Reference]] = [:]
    }

    /// Records the contents of the written records before and after the step, and checks that they can be sent.
    @discardableResult
    private func remember(_ transaction: LocalTransaction, _ label: String, as state: StepState) throws
        -> RememberedStep
    {
        let rows = transaction.rows
        // Triggers or settling may have masked references.
        try rows.lookForMasks()
        var step = RememberedStep()
        // Steps are stored in order, so the last row has the greatest number.
        var query = try transaction.database.query(Self.insertSQL(step: "coalesce((\(Self.lastStepSQL)), 0) + 1"))
        for (key, before) in transaction.before {
            query.bind(1, now)
            query.bind(2, label)
            query.bind(3, key.entity.rawValue)
            query.bind(4, key.id)
            query.bind(5, before) { query.bind($0, $1) }
            let after = try rows.visibleContent(of: key)
            if let after { try transaction.checkLimits(of: key, after.encoded) }
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

    /// Reads with any SQL. The visible tables have the names of the entities, in lower case.
    ///
    /// - Returns: The rows, each value in its SQL storage class.
    public func select(_ sql: String, _ arguments: [Value] = []) throws -> [[Value]] {
        try read("read") { database in
            let query = try database.query(sql)
            // A cached statement keeps the arguments of its previous run. Missing arguments must read nil.
            query.clearBindings()
            for (index, value) in arguments.enumerated() { query.bind(Int32(index + 1), value) }
            return try query.all { $0.row }
        }
    }
}
