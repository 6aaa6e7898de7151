package import RoostMerge
package import RoostModel
internal import RoostProtocol

/// An engine that runs histories of the test vectors' schema through a store by the code of pushes, each in a scope of its
/// own.
package struct ReplayEngine {
    private let store: any Store
    private let rules: ReferenceRules
    private var runs: UInt64 = 0

    package init(_ store: any Store) throws {
        self.store = store
        rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
    }

    /// Applies the changes one by one, each as a transaction, and then derives the visible records from the stored state.
    ///
    /// - Returns: The visible records as programs read them, and the state of every record with its reason.
    package mutating func run(
        _ history: ReplayHistory
    ) throws -> (visible: [RecordID: ReplayHistory.Visible], reasons: [RecordID: Liveness]) {
        runs += 1
        let new = StoredScope(id: ScopeID(RecordID(high: 0, low: runs)), name: "replay", epoch: 0, schemaVersion: 1)
        let scope = try store.write { transaction in
            let scope = try transaction.insert(new, schema: ReplayHistory.schemaText)
            var head = ScopeHead()
            for change in history.changes {
                var merge = TransactionMerge(in: scope, of: transaction, capacity: 1)
                _ = try merge.apply(PreparedPush.Change(change))
                let rows = MergedRows(merge.merged, by: ReplayHistory.author, seen: 0, echo: 0, advancing: &head)
                try rows.write(to: transaction, in: scope, head)
            }
            try transaction.update(head, of: scope)
            return scope
        }
        let facts = try store.read { try self.facts(of: scope, in: $0) }
        let state = VisibleState(facts, rules: rules)
        return (
            state.visible(facts), Dictionary(uniqueKeysWithValues: state.liveness.map { ($0.key.id, $0.value) })
        )
    }

    private func facts(of scope: ScopeKey, in snapshot: any StoreSnapshot) throws -> [RecordKey: RecordFacts] {
        var facts: [RecordKey: RecordFacts] = [:]
        try snapshot.forEachRecord(in: scope, after: 0) { _, _, message in
            let state = try RecordState(protobuf: Array(message))
            facts[state.key] = try RecordFacts(state)
            return true
        }
        return facts
    }
}
