package import RoostModel

/// The visible state of a set of facts, derived from scratch (protocol.md §11.3).
///
/// Written to be read next to the specification, line by line. A server derives it on demand, and tests compare
/// ``LivenessUpdate`` with it as their oracle.
package struct VisibleState: Sendable {
    /// The state of each record that has facts.
    package private(set) var liveness: [RecordKey: Liveness] = [:]
    /// The members of tree cycles whose tree reference is masked.
    package private(set) var dropped: Set<RecordKey> = []

    private let facts: [RecordKey: RecordFacts]
    private let rules: ReferenceRules

    package init(_ facts: [RecordKey: RecordFacts], rules: ReferenceRules) {
        self.facts = facts
        self.rules = rules
        let kept = keptRecords()
        dropped = droppedRecords()
        let base = Set(facts.filter { $0.value.own == .put || kept[$0.key] != nil }.keys)
        let hidden = hiddenRecords(base: base)
        for (key, fact) in facts {
            liveness[key] = state(key, fact, kept: kept, base: base, hidden: hidden)
        }
    }

    package func isVisible(_ key: RecordKey) -> Bool {
        liveness[key]?.isVisible ?? false
    }

    /// Returns the stored references of a visible record as programs read them: a masked one has no target.
    package func references(of key: RecordKey) -> [(relationship: PropertyID, target: RecordID?)] {
        (facts[key]?.references ?? []).map { reference in
            (reference.relationship, reads(key, reference) ? reference.target : nil)
        }
    }

    private func reads(_ key: RecordKey, _ reference: Put.Reference) -> Bool {
        guard let rule = rules.rule(key.entity, reference.relationship) else { return true }
        switch rule.deleteRule {
        case .noAction: return true
        case .cascade: return !(rule.isTree && dropped.contains(key))
        case .nullify, .deny: return isVisible(RecordKey(entity: rule.destination, id: reference.target))
        }
    }

    // MARK: The lines of the specification

    /// Finds deleted records that a record whose own change is a put refers to with `deny` (line 1 of the specification).
    private func keptRecords() -> [RecordKey: [RecordKey]] {
        var kept: [RecordKey: [RecordKey]] = [:]
        for (key, fact) in facts where fact.own == .put {
            for (rule, target) in targets(key, fact) where rule.deleteRule == .deny {
                if facts[target]?.own == .deleted { kept[target, default: []].append(key) }
            }
        }
        return kept.mapValues { $0.sorted() }
    }

    /// Finds, on each cycle of tree references over all records with a put, the member with the greatest put stamp (line
    /// 3).
    private func droppedRecords() -> Set<RecordKey> {
        var dropped: Set<RecordKey> = []
        var seen: Set<RecordKey> = []
        for start in facts.keys {
            var path: [RecordKey] = []
            var onPath: [RecordKey: Int] = [:]
            var current: RecordKey? = start
            while let key = current, seen.insert(key).inserted {
                onPath[key] = path.count
                path.append(key)
                current = treeTarget(key)
            }
            if let key = current, let first = onPath[key] {
                dropped.insert(TreeCycle.dropped(path[first...].map { ($0, facts[$0]?.put) }))
            }
        }
        return dropped
    }

    /// Finds the least set of records that are not in base, or have a cascade reference to an absent or hidden record (line
    /// 4).
    private func hiddenRecords(base: Set<RecordKey>) -> Set<RecordKey> {
        var children: [RecordKey: [RecordKey]] = [:]
        var queue: [RecordKey] = []
        for (key, fact) in facts {
            if !base.contains(key) { queue.append(key) }
            for target in cascadeTargets(key, fact) {
                children[target, default: []].append(key)
                if facts[target] == nil { queue.append(key) }
            }
        }
        var hidden: Set<RecordKey> = []
        while let key = queue.popLast() {
            guard hidden.insert(key).inserted else { continue }
            queue += children[key] ?? []
        }
        return hidden
    }

    private func state(
        _ key: RecordKey, _ fact: RecordFacts, kept: [RecordKey: [RecordKey]], base: Set<RecordKey>,
        hidden: Set<RecordKey>
    ) -> Liveness {
        if fact.own == .absent { return .absent }
        if !base.contains(key) { return .deleted }
        if hidden.contains(key) { return .hidden(because: cause(of: key, base: base, hidden: hidden)) }
        return kept[key].map { .kept(by: $0) } ?? .visible
    }

    /// Finds the nearest record, breadth first, that is dead by itself.
    private func cause(of key: RecordKey, base: Set<RecordKey>, hidden: Set<RecordKey>) -> RecordKey {
        var seen: Set<RecordKey> = [key]
        var level = [key]
        while !level.isEmpty {
            let targets = level.flatMap { key in facts[key].map { cascadeTargets(key, $0) } ?? [] }.sorted()
            if let dead = targets.first(where: { !base.contains($0) }) { return dead }
            level = targets.filter { hidden.contains($0) && seen.insert($0).inserted }
        }
        return key
    }

    // MARK: References

    private func targets(_ key: RecordKey, _ fact: RecordFacts) -> [(ReferenceRules.Rule, RecordKey)] {
        fact.references.compactMap { reference in
            rules.rule(key.entity, reference.relationship).map {
                ($0, RecordKey(entity: $0.destination, id: reference.target))
            }
        }
    }

    private func treeTarget(_ key: RecordKey) -> RecordKey? {
        guard let fact = facts[key], fact.put != nil else { return nil }
        return targets(key, fact).first { $0.0.isTree }?.1
    }

    private func cascadeTargets(_ key: RecordKey, _ fact: RecordFacts) -> [RecordKey] {
        targets(key, fact).compactMap { rule, target in
            rule.deleteRule == .cascade && !(rule.isTree && dropped.contains(key)) ? target : nil
        }
    }
}

/// The rule that cuts a cycle of tree references.
package enum TreeCycle {
    /// Returns the member whose put is newest, and of equal stamps the one with the greater identifier.
    package static func dropped(_ members: [(key: RecordKey, put: HybridTimestamp?)]) -> RecordKey {
        let zero = HybridTimestamp(time: 0, replica: .unregistered)
        return members.max { ($0.put ?? zero, $0.key) < ($1.put ?? zero, $1.key) }!.key
    }
}
