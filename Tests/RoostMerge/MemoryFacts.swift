import RoostMerge
import RoostModel

/// Facts in memory with the visible state kept up to date by ``LivenessUpdate``, change by change.
final class MemoryFacts: LivenessSource {
    let rules: ReferenceRules
    private(set) var facts: [RecordKey: RecordFacts] = [:]
    private(set) var visible: Set<RecordKey> = []
    private(set) var kept: Set<RecordKey> = []
    private(set) var dropped: Set<RecordKey> = []

    init(_ rules: ReferenceRules) {
        self.rules = rules
    }

    func apply(_ change: Change) throws {
        var fact = facts[change.key] ?? RecordFacts()
        switch change.kind {
        case .put(let encoded, _):
            if fact.put.map({ $0 < change.stamp }) ?? true {
                fact.put = change.stamp
                fact.references = try Put(encoded: encoded).references
            }
        case .delete: fact.delete = max(fact.delete ?? change.stamp, change.stamp)
        }
        facts[change.key] = fact
        let result = try LivenessUpdate.run(changed: [change.key], rules: rules, source: self)
        visible.subtract(result.hidden)
        visible.formUnion(result.shown)
        kept = result.kept
        dropped = result.dropped
    }

    func own(_ key: RecordKey) -> OwnState { facts[key]?.own ?? .absent }
    func references(_ key: RecordKey) -> [Put.Reference] { facts[key]?.references ?? [] }
    func putStamp(_ key: RecordKey) -> HybridTimestamp? { facts[key]?.put }
    func isVisible(_ key: RecordKey) -> Bool { visible.contains(key) }
    func keptRecords() -> [RecordKey] { Array(kept) }
    func droppedRecords() -> [RecordKey] { Array(dropped) }

    func referrers(_ target: RecordKey, by rule: ReferenceRules.Rule, _ filter: ReferrerFilter) -> [Referrer] {
        facts.compactMap { key, fact in
            let names = fact.references.contains { $0.relationship == rule.relationship && $0.target == target.id }
            guard key.entity == rule.entity, names, fact.put != nil else { return nil }
            switch filter {
            case .visible where !visible.contains(key), .notVisible where visible.contains(key): return nil
            case .ownPut where fact.own != .put: return nil
            default: return Referrer(key: key, isPut: fact.own == .put)
            }
        }
    }
}
