internal import GRDB
public import RoostModel

extension Replica {
    /// Writes in one transaction. Never waits for the network.
    ///
    /// - Parameters:
    ///   - label: What is done, for the log and for undo, such as "add Dinner".
    ///   - body: Does it; nothing is changed if it throws.
    public func write<Result>(_ label: String, _ body: (LocalTransaction) throws -> Result) throws -> Result {
        try localWrite(label, isUndo: false, body)
    }

    /// Undoes the last step made on this replica through ``write(_:_:)`` that is not undone yet.
    ///
    /// - Returns: The step's label; `nil` where there is none.
    /// - Throws: ``ReplicaError`` where somebody has changed one of its records since.
    public func undo() throws -> String? {
        let last = try read("look for a step to undo") { database in
            try database.query("SELECT max(step) FROM roost_history WHERE undone = 0").first { $0.optionalInteger(0) }
                ?? nil
        }
        guard let last else { return nil }
        let changes = try read("read the step to undo") { database in
            let query = try database.query(
                "SELECT entity, id, before, after, label FROM roost_history WHERE step = ? ORDER BY ordinal DESC")
            query.bind(1, last)
            return try query.all { row in
                row.key(0).map { key in
                    (
                        key: key, before: row.optionalBytes(2), after: row.optionalBytes(3), label: row.text(4)
                    )
                }
            }.compactMap { $0 }
        }
        let label = changes.first?.label ?? ""
        try localWrite("undo \(label)", isUndo: true) { transaction in
            for change in changes {
                let isVisible = try transaction.rows.place(of: change.key) == .visible
                let current = isVisible ? try transaction.rows.encodedPut(of: change.key) : nil
                guard current == change.after else {
                    throw ReplicaError(
                        .invalidValue,
                        "Cannot undo \"\(label)\": \(change.key.id) was changed since. Look at \"roost log\" and edit it instead."
                    )
                }
                if let before = change.before {
                    try transaction.restore(change.key, before)
                } else if isVisible {
                    try transaction.delete(layout[change.key.entity]?.name ?? "", id: change.key.id)
                }
            }
            let mark = try transaction.database.query("UPDATE roost_history SET undone = 1 WHERE step = ?")
            mark.bind(1, last)
            try mark.run()
        }
        return label
    }

    private func localWrite<Result>(
        _ label: String, isUndo: Bool, _ body: (LocalTransaction) throws -> Result
    ) throws -> Result {
        log.noteWrite()
        defer { log.tidyIfLarge(engine) }
        do {
            return try localTransaction { database in
                let state = StateStore(database: database)
                // What other programs wrote before is not part of this.
                if try !KnownSettled.holds(on: database), try !database.isEmpty("roost_mark") {
                    try Marks(database: database).takeIn()
                }
                try state.startTransaction()
                let transaction = try LocalTransaction(database, layout)
                let result = try body(transaction)
                try transaction.settle()
                // What other programs write next is not part of this.
                try state.startTransaction()
                try remember(transaction, label, isUndo: isUndo)
                return result
            }
        } catch {
            throw ReplicaError(translating: error, label)
        }
    }

    private func remember(_ transaction: LocalTransaction, _ label: String, isUndo: Bool) throws {
        let database = transaction.database
        let step = (try database.query("SELECT max(step) FROM roost_history").first { $0.integer(0) } ?? 0) + 1
        let rows = transaction.rows
        // Settling may have made references read nil.
        try rows.lookForMasks()
        let query = try database.query(
            """
            INSERT INTO roost_history(step, at, label, entity, id, before, after, undone) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        query.bind(1, step)
        query.bind(2, now)
        query.bind(3, label)
        query.bind(8, isUndo ? 1 : 0)
        for (key, before) in transaction.before {
            query.bind(4, key.entity.rawValue)
            query.bind(5, key.id)
            query.bind(6, before) { query.bind($0, $1) }
            query.bind(7, try rows.encodedVisiblePut(of: key)) { query.bind($0, $1) }
            try query.run()
        }
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
