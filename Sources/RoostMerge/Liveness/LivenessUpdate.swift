package import RoostModel

/// Brings the visible state up to date after some records' slots changed, at the cost of the affected records.
///
/// The result equals a derivation from scratch (``VisibleState``). The rule is a greatest fixed point (the least set of
/// hidden records), so the update works like view maintenance for such rules (A. Gupta et al., "Maintaining Views
/// Incrementally", 1993). It first shows every record that the changes could bring back. Then it hides, among these and the
/// changed records, each record that does not hold, and its cascade descendants.
package struct LivenessUpdate {
    /// The changes to make to the visible state.
    package struct Result: Hashable, Sendable {
        /// Records that are visible now: all such changed records, and others that were not visible before.
        package var shown: Set<RecordKey> = []
        /// Records that are not visible now: all such changed records, and others that were visible before.
        package var hidden: Set<RecordKey> = []
        /// All deleted records that are shown because a deny reference holds them.
        package var kept: Set<RecordKey> = []
        /// All records whose tree reference is masked because it closes a cycle.
        package var dropped: Set<RecordKey> = []
    }

    private let rules: ReferenceRules
    private let source: any LivenessSource
    private var result = Result()
    private var seeds: Set<RecordKey>
    /// The entities of the shown records, before any of them is hidden.
    private var shownEntities: Set<EntityID> = []

    /// Derives the changes to the visible state.
    ///
    /// - Parameter changed: Every record whose slots changed since the visible state was last derived.
    /// - Throws: Only errors of `source`.
    package static func run(
        changed: Set<RecordKey>, rules: ReferenceRules, source: any LivenessSource
    ) throws -> Result {
        var update = LivenessUpdate(rules: rules, source: source, seeds: changed)
        try update.findKept(changed)
        try update.findDropped(changed)
        try update.show()
        try update.hide()
        return update.result
    }

    private init(rules: ReferenceRules, source: any LivenessSource, seeds: Set<RecordKey>) {
        self.rules = rules
        self.source = source
        self.seeds = seeds
    }

    // MARK: Kept

    private mutating func findKept(_ changed: Set<RecordKey>) throws {
        guard rules.usesDeny else { return }
        let before = Set(try source.keptRecords())
        var candidates = before
        for key in changed {
            switch try source.own(key) {
            case .deleted: candidates.insert(key)
            case .put:
                for (rule, target) in try targets(key) where rule.deleteRule == .deny { candidates.insert(target) }
            case .absent: break
            }
        }
        for key in candidates where try isHeld(key) { result.kept.insert(key) }
        seeds.formUnion(before.symmetricDifference(result.kept))
    }

    private func isHeld(_ key: RecordKey) throws -> Bool {
        guard try source.own(key) == .deleted else { return false }
        for rule in rules.incoming[key.entity] ?? [] where rule.deleteRule == .deny {
            if try !source.referrers(key, by: rule, .ownPut).isEmpty { return true }
        }
        return false
    }

    private func isBase(_ key: RecordKey) throws -> Bool {
        try result.kept.contains(key) || source.own(key) == .put
    }

    // MARK: Dropped

    /// Finds the masked member of each cycle. A cycle either existed before and contains its dropped member, or contains a
    /// changed record.
    private mutating func findDropped(_ changed: Set<RecordKey>) throws {
        guard !rules.treeEntities.isEmpty else { return }
        let before = Set(try source.droppedRecords())
        var seen: Set<RecordKey> = []
        for start in changed.union(before) where rules.treeEntities.contains(start.entity) {
            var path: [RecordKey] = []
            var places: [RecordKey: Int] = [:]
            var current: RecordKey? = start
            while let key = current, seen.insert(key).inserted {
                places[key] = path.count
                path.append(key)
                current = try treeTarget(key)
            }
            if let key = current, let first = places[key] {
                let members = try path[first...].map { ($0, try source.putStamp($0)) }
                result.dropped.insert(TreeCycle.dropped(members))
            }
        }
        seeds.formUnion(before.symmetricDifference(result.dropped))
    }

    private func treeTarget(_ key: RecordKey) throws -> RecordKey? {
        guard try source.own(key) != .absent else { return nil }
        return try targets(key).first { $0.rule.isTree }?.target
    }

    // MARK: Shown and hidden

    /// Shows every changed record that may be visible, and all records that were hidden below it.
    private mutating func show() throws {
        var queue = Array(try seeds.filter { try isBase($0) })
        while let key = queue.popLast() {
            guard result.shown.insert(key).inserted else { continue }
            for referrer in try cascadeReferrers(key, .notVisible) {
                if referrer.isPut || result.kept.contains(referrer.key) { queue.append(referrer.key) }
            }
        }
    }

    /// Hides each record that does not hold, and its cascade descendants.
    private mutating func hide() throws {
        shownEntities = Set(result.shown.map(\.entity))
        var queue = Array(result.shown)
        for key in seeds where !result.shown.contains(key) { queue.append(key) }
        while let key = queue.popLast() {
            guard !result.hidden.contains(key), try !holds(key) else { continue }
            queue += try hide(key)
        }
    }

    /// Hides a record and its visible descendants, which do not hold without it.
    ///
    /// - Returns: Other records that may not hold any more.
    private mutating func hide(_ key: RecordKey) throws -> [RecordKey] {
        var others: [RecordKey] = []
        var queue = [key]
        while let key = queue.popLast() {
            guard result.hidden.insert(key).inserted else { continue }
            result.shown.remove(key)
            // Most records have no referrers.
            if hasReferrers(key.entity) { try findDependents(key, certain: &queue, others: &others) }
        }
        return others
    }

    private func hasReferrers(_ entity: EntityID) -> Bool { !(rules.incoming[entity] ?? []).isEmpty }
    private func isShown(_ entity: EntityID) -> Bool { shownEntities.contains(entity) }

    private func holds(_ key: RecordKey) throws -> Bool {
        guard try isBase(key) else { return false }
        guard let outgoing = rules.outgoing[key.entity] else { return true }
        for reference in try source.references(key) {
            guard let rule = outgoing.first(where: { $0.relationship == reference.relationship }),
                rule.deleteRule == .cascade, !(rule.isTree && result.dropped.contains(key))
            else { continue }
            if try !isVisibleNow(RecordKey(entity: rule.destination, id: reference.target)) { return false }
            #if ROOST_SEEDED_BUGS
                if SeededBug.hiddenByCounting.isOn { return true }
            #endif
        }
        return true
    }

    private func isVisibleNow(_ key: RecordKey) throws -> Bool {
        if result.hidden.contains(key) { return false }
        return try result.shown.contains(key) || source.isVisible(key)
    }

    /// Finds the records that may not hold once `key` is hidden: its visible children, and those of children that were
    /// hidden before. A trigger may have hidden the latter; it cannot follow a hierarchy to its end.
    ///
    /// - Parameters:
    ///   - certain: Receives records that do not hold, because their parent is not visible.
    ///   - others: Receives records that have to be checked.
    private func findDependents(
        _ key: RecordKey, certain: inout [RecordKey], others: inout [RecordKey]
    ) throws {
        var seen: Set<RecordKey> = [key]
        var level = [key]
        while let parent = level.popLast() {
            certain += try cascadeReferrers(parent, .visible).map(\.key)
            // A hidden child without referrers affects no other record, unless the child was to be shown.
            for child in try cascadeReferrers(parent, .notVisible, of: { isShown($0) || hasReferrers($0) })
            where seen.insert(child.key).inserted {
                if result.shown.contains(child.key) {
                    others.append(child.key)
                } else if hasReferrers(child.key.entity) {
                    level.append(child.key)
                }
            }
        }
    }

    private func cascadeReferrers(
        _ key: RecordKey, _ filter: ReferrerFilter, of isWanted: (EntityID) -> Bool = { _ in true }
    ) throws -> [Referrer] {
        var found: [Referrer] = []
        for rule in rules.incoming[key.entity] ?? [] where rule.deleteRule == .cascade && isWanted(rule.entity) {
            let referrers = try source.referrers(key, by: rule, filter)
            found += rule.isTree ? referrers.filter { !result.dropped.contains($0.key) } : referrers
        }
        return found
    }

    private func targets(_ key: RecordKey) throws -> [(rule: ReferenceRules.Rule, target: RecordKey)] {
        guard let outgoing = rules.outgoing[key.entity] else { return [] }
        return try source.references(key).compactMap { reference in
            outgoing.first { $0.relationship == reference.relationship }.map {
                ($0, RecordKey(entity: $0.destination, id: reference.target))
            }
        }
    }
}
