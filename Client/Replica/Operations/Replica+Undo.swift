internal import GRDB
package import RoostModel

extension Replica {
    /// Undoes the last step that was made on this replica through ``write(_:_:)`` and is not undone yet.
    ///
    /// - Returns: The step's label; `nil` if there is none.
    /// - Throws: ``ReplicaError`` if one of the step's records has been changed since, or if records have been added that
    ///   refer to a record that the step added: they would be deleted with it, or lose their reference. Nothing is changed
    ///   then.
    public func undo() throws -> String? { try undo { _ in } }

    /// Undoes like ``undo()``, asking first.
    ///
    /// - Parameter check: Called in the undoing transaction with the records that undoing would delete. If it throws,
    ///   nothing is changed.
    package func undo(_ check: (_ deleted: [RecordKey]) throws -> Void) throws -> String? {
        guard let step = try read("read the step to undo", { try lastStep($0, .done) }) else { return nil }
        let label = step.label
        try localWrite("undo \(label)", as: .undoing) { transaction in
            let deleted = step.changes.filter { $0.before == nil }.map(\.key)
            try check(deleted)
            try checkNobodyRefers(to: deleted, transaction, label)
            try revert(step, transaction) {
                "Cannot undo \"\(label)\": \($0). Look at the log, and edit it instead."
            }
            try set(step, .undone, transaction.database)
        }
        return label
    }

    /// Redoes the step that was undone last, unless another step has been made since.
    ///
    /// - Returns: The step's label; `nil` if there is none.
    /// - Throws: ``ReplicaError`` if one of the step's records has been changed since; nothing is changed then.
    public func redo() throws -> String? {
        let found = try read("read the step to redo") { database -> (undoing: Step, undone: Step)? in
            guard let undoing = try lastStep(database, .undoing), let undone = try step(undoneBy: undoing, database)
            else { return nil }
            return (undoing, undone)
        }
        guard let (undoing, undone) = found else { return nil }
        let label = undone.label
        try localWrite("redo \(label)", as: .redone) { transaction in
            try revert(undoing, transaction) {
                "Cannot redo \"\(label)\": \($0). Look at the log, and edit it instead."
            }
            try set(undoing, .redone, transaction.database)
            try set(undone, .done, transaction.database)
        }
        return label
    }

    /// The state of a step: the value of `undone` in `roost_history`. Earlier versions distinguish only 0 from other
    /// numbers, and ignore steps with the latter.
    enum StepState: Int64 {
        /// The step can be undone.
        case done = 0
        /// The step was undone. Earlier versions also use this for the step that undid it, which then cannot be redone.
        case undone = 1
        /// The step undid another one, which can be redone.
        case undoing = 2
        /// The step undid another one that has been redone, or it redid one.
        case redone = 3
    }

    /// One step of the history.
    private struct Step {
        /// The ordinals of its rows in `roost_history`, which are consecutive.
        var ordinals: ClosedRange<Int64>
        let label: String
        /// Its changes of records, in reverse order.
        var changes: [(key: RecordKey, before: [UInt8]?, after: [UInt8]?)] = []
    }

    /// Finds the last step of a state, if no step that can be undone came after it.
    ///
    /// - Returns: The step; `nil` if there is none.
    private func lastStep(_ database: Database, _ state: StepState) throws -> Step? {
        let query = try database.query(
            """
            SELECT ordinal, step, label, entity, id, before, after FROM roost_history WHERE undone = ?1
              AND (?1 = 0 OR ordinal > coalesce((SELECT max(ordinal) FROM roost_history WHERE undone = 0), 0))
            ORDER BY ordinal DESC
            """)
        query.bind(1, state.rawValue)
        return try firstStep(of: query)
    }

    /// Finds the first undone step of which `undoing` is the exact inverse: steps are redone in the order in which they were
    /// made.
    private func step(undoneBy undoing: Step, _ database: Database) throws -> Step? {
        let query = try database.query(
            """
            SELECT DISTINCT step FROM roost_history WHERE undone = 1 AND ordinal < ? ORDER BY step
            """)
        query.bind(1, undoing.ordinals.lowerBound)
        let inverse = Dictionary(
            undoing.changes.map { ($0.key, (before: $0.after, after: $0.before)) },
            uniquingKeysWith: { first, _ in first })
        for number in try query.all({ $0.integer(0) }) {
            let query = try database.query(
                """
                SELECT ordinal, step, label, entity, id, before, after FROM roost_history WHERE undone = 1 AND step = ?
                ORDER BY ordinal DESC
                """)
            query.bind(1, number)
            guard let step = try firstStep(of: query), step.changes.count == inverse.count else { continue }
            let isInverse = step.changes.allSatisfy { change in
                inverse[change.key].map { $0.before == change.before && $0.after == change.after } ?? false
            }
            if isInverse { return step }
        }
        return nil
    }

    private func firstStep(of query: Query) throws -> Step? {
        defer { query.reset() }
        var found: (number: Int64, step: Step)?
        while try query.step() {
            let ordinal = query.integer(0)
            var current = found ?? (query.integer(1), Step(ordinals: ordinal...ordinal, label: query.text(2)))
            guard current.number == query.integer(1) else { break }
            current.step.ordinals = ordinal...current.step.ordinals.upperBound
            if let key = query.key(3) {
                current.step.changes.append((key, query.optionalBytes(5), query.optionalBytes(6)))
            }
            found = current
        }
        return found?.step
    }

    /// Restores the contents that the records of a step had before.
    ///
    /// - Parameter message: Makes an error message from a reason.
    private func revert(_ step: Step, _ transaction: LocalTransaction, _ message: (String) -> String) throws {
        for change in step.changes {
            let isVisible = try transaction.rows.place(of: change.key) == .visible
            let current = isVisible ? try transaction.rows.encodedPut(of: change.key) : nil
            guard current == change.after else {
                throw ReplicaError(
                    .invalidValue,
                    message("somebody has changed its \(layout[change.key.entity]?.name ?? "record") since"))
            }
            if let before = change.before {
                try transaction.restore(change.key, before)
            } else if isVisible {
                try transaction.delete(layout[change.key.entity]?.name ?? "", id: change.key.id)
            }
        }
    }

    private func set(_ step: Step, _ state: StepState, _ database: Database) throws {
        let mark = try database.query("UPDATE roost_history SET undone = ? WHERE ordinal BETWEEN ? AND ?")
        mark.bind(1, state.rawValue)
        mark.bind(2, step.ordinals.lowerBound)
        mark.bind(3, step.ordinals.upperBound)
        try mark.run()
    }

    /// Throws if a record outside the undone step refers to a record that the undo would delete.
    ///
    /// A record that was written before the undone step brought its target back does not count: it was hidden with the
    /// target before, and is hidden with it again.
    private func checkNobodyRefers(to deleted: [RecordKey], _ transaction: LocalTransaction, _ label: String) throws {
        let own = Set(deleted)
        let stamps = try EffectiveStamps(
            readingMarks: transaction.database, replica: StateStore(database: transaction.database).replica)
        var count = 0
        for key in deleted where try transaction.rows.place(of: key) == .visible {
            let (put, delete) = try stamps.of(key)
            let broughtBack = delete == nil ? nil : put
            for (_, table, column) in layout.incoming(key.entity) {
                let query = try transaction.database.query(
                    "SELECT \"id\" FROM \(table.visible) WHERE \(column.quoted) = ?")
                query.bind(1, key.id)
                for id in try query.all({ $0.id(0) }).compactMap({ $0 }) {
                    let record = RecordKey(entity: table.entity, id: id)
                    guard !own.contains(record) else { continue }
                    if let broughtBack, let written = try stamps.of(record).put, written < broughtBack { continue }
                    count += 1
                }
            }
        }
        guard count > 0 else { return }
        let records = count == 1 ? "1 record refers" : "\(count) records refer"
        throw ReplicaError(
            .invalidValue,
            "Cannot undo \"\(label)\": since then \(records) to what it added, and would go with it or lose the reference. Delete those first, or delete what it added yourself."
        )
    }
}
