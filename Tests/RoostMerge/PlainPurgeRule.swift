import RoostMerge
import RoostModel

/// ``PurgeRule`` written plainly, with sets and dictionaries of records: what it has to choose.
struct PlainPurgeRule {
    private let facts: [RecordKey: RecordFacts]
    private let rules: ReferenceRules
    private let state: VisibleState
    private var chosen: Set<RecordKey> = []
    /// Causes of chosen records that were not deleted themselves: the records that hide them.
    private var causes: [RecordKey: RecordKey] = [:]

    /// Chooses what may be purged.
    ///
    /// - Parameters:
    ///   - facts: All records of a scope.
    ///   - isReady: Whether a record's newest change is older than the horizon and known to every active replica.
    /// - Returns: Sets of records that must be purged together, each in ascending order, in ascending order of their first.
    static func groups(
        _ facts: [RecordKey: RecordFacts], rules: ReferenceRules, isReady: (RecordKey) -> Bool
    ) -> [[RecordKey]] {
        var rule = PlainPurgeRule(facts, rules)
        rule.choose(isReady)
        rule.exclude()
        return rule.joined()
    }

    private init(_ facts: [RecordKey: RecordFacts], _ rules: ReferenceRules) {
        self.facts = facts
        self.rules = rules
        state = VisibleState(facts, rules: rules)
    }

    /// Candidates: invisible because of a delete that is known, their own or that of what hides them.
    private mutating func choose(_ isReady: (RecordKey) -> Bool) {
        for (key, liveness) in state.liveness where isReady(key) {
            switch liveness {
            case .visible, .kept: break
            case .deleted, .absent: chosen.insert(key)
            case .hidden(let cause):
                // A record whose parent never arrived waits for it, however long.
                guard facts[cause] != nil else { break }
                chosen.insert(key)
                causes[key] = cause
            }
        }
    }

    /// Takes out what something that stays hangs on, until nothing does.
    private mutating func exclude() {
        // For each record, what must stay if it stays.
        var bound: [RecordKey: [RecordKey]] = [:]
        for (key, cause) in causes { bound[cause, default: []].append(key) }
        for key in chosen { for kept in keeps(key) { bound[kept, default: []].append(key) } }
        var queue = bound.filter { !chosen.contains($0.key) }.flatMap(\.value)
        for (key, fact) in facts where !chosen.contains(key) { queue += holding(key, fact) }
        while let key = queue.popLast() {
            guard chosen.remove(key) != nil, let fact = facts[key] else { continue }
            queue += holding(key, fact)
            queue += bound[key] ?? []
        }
    }

    /// The deleted records that are kept, or would be if nothing hid them, because of a record.
    private func keeps(_ key: RecordKey) -> [RecordKey] {
        guard let fact = facts[key], fact.own == .put else { return [] }
        return targets(fact, of: key).filter { $0.rule == .deny && facts[$0.target]?.own == .deleted }.map(\.target)
    }

    /// Targets of a record by rules that depend on the target; a cut tree reference too.
    private func holding(_ key: RecordKey, _ fact: RecordFacts) -> [RecordKey] {
        return targets(fact, of: key).filter { $0.rule == .cascade || $0.rule == .deny }.map(\.target)
    }

    private func targets(
        _ fact: RecordFacts, of key: RecordKey
    ) -> [(rule: Relationship.DeleteRule, target: RecordKey)] {
        fact.references.compactMap { reference in
            rules.rule(key.entity, reference.relationship).map {
                ($0.deleteRule, RecordKey(entity: $0.destination, id: reference.target))
            }
        }
    }

    /// The chosen records in groups that are connected by what made them go together.
    private func joined() -> [[RecordKey]] {
        var neighbours: [RecordKey: [RecordKey]] = [:]
        func connect(_ left: RecordKey, _ right: RecordKey) {
            guard chosen.contains(left), chosen.contains(right) else { return }
            neighbours[left, default: []].append(right)
            neighbours[right, default: []].append(left)
        }
        for key in chosen {
            if let fact = facts[key] { for target in holding(key, fact) { connect(key, target) } }
            if let cause = causes[key] { connect(key, cause) }
        }
        var groups: [[RecordKey]] = []
        var seen: Set<RecordKey> = []
        for start in chosen.sorted() where seen.insert(start).inserted {
            var group: [RecordKey] = []
            var level = [start]
            while let key = level.popLast() {
                group.append(key)
                level += (neighbours[key] ?? []).filter { seen.insert($0).inserted }
            }
            groups.append(group.sorted())
        }
        return groups
    }
}
