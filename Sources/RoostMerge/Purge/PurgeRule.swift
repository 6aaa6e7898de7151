package import RoostModel

/// The choice of records that a server may purge without changing what is visible, now or after anything that it still
/// accepts (protocol.md §11.4).
///
/// The result is the greatest set of ready, invisible records on which no record outside the set depends. No outside record
/// with a put refers into the set by `cascade` or `deny`. A record that hides a member is a member too. No member, hidden
/// or not, keeps a deleted record outside the set by `deny`. So a deleted record is purged together with all records that
/// its delete hides, or none of them is purged; likewise a tree cycle is purged as a whole or not at all.
///
/// All records of a scope may be deleted, so the findings are stored in arrays by index in a ``PurgeGraph``.
package struct PurgeRule {
    private static let none = UInt32.max

    private var graph: PurgeGraph
    /// The indexes of the records that hide each chosen record that was not deleted itself.
    private var causes: [UInt32]
    /// The records that have a cause, in the order of their causes.
    private var byCause: [UInt32] = []

    /// Chooses the records that may be purged.
    ///
    /// - Parameters:
    ///   - graph: All records of a scope. A record is ready if its newest change is older than the horizon and every active
    ///     replica has it.
    ///   - putStamp: Returns the stamp of a record's put. Called for members of cycles of tree references.
    package static func groups(
        of graph: consuming PurgeGraph, putStamp: (RecordKey) throws -> HybridTimestamp?
    ) rethrows -> PurgeGroups {
        var rule = PurgeRule(graph)
        rule.keep()
        try rule.drop(putStamp)
        rule.hide()
        rule.choose()
        rule.exclude()
        return rule.joined()
    }

    private init(_ graph: consuming PurgeGraph) {
        graph.index()
        causes = Array(repeating: Self.none, count: graph.keys.count)
        self.graph = graph
    }

    // MARK: What is visible (protocol.md §11.3)

    /// Marks deleted records that a record whose own change is a put refers to with `deny`.
    private mutating func keep() {
        for place in graph.places where graph.has(.put, place) {
            for target in deletedTargets(byDenyOf: place) { graph.marks[Int(target)].insert(.kept) }
        }
    }

    private func deletedTargets(byDenyOf place: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        graph.forEachTarget(of: place) { kind, target in
            if kind == .deny, graph.has(.deleted, target) { found.append(target) }
        }
        return found
    }

    /// Drops one member of each cycle of tree references.
    private mutating func drop(_ putStamp: (RecordKey) throws -> HybridTimestamp?) rethrows {
        var seen = Array(repeating: false, count: graph.keys.count)
        for start in graph.places where !seen[Int(start)] && treeTarget(start) != nil {
            var path: [UInt32] = []
            var onPath: [UInt32: Int] = [:]
            var current: UInt32? = start
            while let place = current, !graph.isMissing(place), !seen[Int(place)] {
                seen[Int(place)] = true
                onPath[place] = path.count
                path.append(place)
                current = treeTarget(place)
            }
            guard let place = current, let first = onPath[place] else { continue }
            let members = try path[first...].map { (graph.key($0), try putStamp(graph.key($0))) }
            let dropped = TreeCycle.dropped(members)
            for member in path[first...] where graph.key(member) == dropped {
                graph.marks[Int(member)].insert(.dropped)
            }
        }
    }

    private func treeTarget(_ place: UInt32) -> UInt32? {
        var found: UInt32?
        graph.forEachTarget(of: place) { kind, target in
            if kind == .tree, found == nil { found = target }
        }
        return found
    }

    /// Hides records that are dead by themselves, and their cascade descendants.
    private mutating func hide() {
        var queue: [UInt32] = []
        for place in graph.places where !isBase(place) || hangs(off: { graph.isMissing($0) }, place) {
            queue.append(place)
        }
        while let place = queue.popLast() {
            guard !graph.has(.hidden, place) else { continue }
            graph.marks[Int(place)].insert(.hidden)
            graph.forEachSource(of: place) { kind, source in
                if holds(kind, source) { queue.append(source) }
            }
        }
    }

    private func isBase(_ place: UInt32) -> Bool { graph.has(.put, place) || graph.has(.kept, place) }

    /// Whether a reference hides its source while its target is not visible.
    private func holds(_ kind: PurgeGraph.Kind, _ source: UInt32) -> Bool {
        kind == .cascade || (kind == .tree && !graph.has(.dropped, source))
    }

    private func hangs(off isMeant: (UInt32) -> Bool, _ place: UInt32) -> Bool {
        var isFound = false
        graph.forEachTarget(of: place) { kind, target in
            if holds(kind, place), isMeant(target) { isFound = true }
        }
        return isFound
    }

    /// Finds the nearest record, breadth first, that is dead by itself.
    private func cause(of place: UInt32) -> UInt32 {
        var seen: Set<UInt32> = [place]
        var level = [place]
        while !level.isEmpty {
            var targets: [UInt32] = []
            for source in level {
                graph.forEachTarget(of: source) { kind, target in
                    if holds(kind, source) { targets.append(target) }
                }
            }
            targets.sort { graph.key($0) < graph.key($1) }
            if let dead = targets.first(where: { !isBase($0) }) { return dead }
            level = targets.filter { graph.has(.hidden, $0) && seen.insert($0).inserted }
        }
        return place
    }

    // MARK: What goes

    /// Chooses the candidates: records that are invisible because of a stored delete, their own or that of the record that
    /// hides them.
    private mutating func choose() {
        for place in graph.places where graph.has(.ready, place) && graph.has(.hidden, place) {
            if isBase(place) {
                let cause = cause(of: place)
                // A record whose parent never arrived waits for it without limit.
                guard !graph.isMissing(cause) else { continue }
                causes[Int(place)] = cause
            }
            graph.marks[Int(place)].insert(.chosen)
        }
        byCause = graph.places.filter { causes[Int($0)] != Self.none }
        byCause.sort { causes[Int($0)] < causes[Int($1)] }
    }

    /// Removes each candidate that a staying record depends on, until there is none.
    private mutating func exclude() {
        var queue: [UInt32] = []
        for place in graph.places {
            if !graph.has(.chosen, place) {
                queue += held(by: place)
            } else if staysWithOthers(place) {
                queue.append(place)
            }
        }
        while let place = queue.popLast() {
            guard graph.has(.chosen, place) else { continue }
            graph.marks[Int(place)].remove(.chosen)
            queue += held(by: place)
            queue += bound(to: place)
        }
    }

    /// Whether the record that hides this one stays, or a record that this one keeps.
    private func staysWithOthers(_ place: UInt32) -> Bool {
        let cause = causes[Int(place)]
        if cause != Self.none, !graph.has(.chosen, cause) { return true }
        return graph.has(.put, place) && deletedTargets(byDenyOf: place).contains { !graph.has(.chosen, $0) }
    }

    /// Finds records that must stay if this one stays: the records that it hides, and the records that keep it.
    private func bound(to place: UInt32) -> [UInt32] {
        var found: [UInt32] = []
        var (low, high) = (0, byCause.count)
        while low < high {
            let middle = (low + high) / 2
            if causes[Int(byCause[middle])] < place { low = middle + 1 } else { high = middle }
        }
        while low < byCause.count, causes[Int(byCause[low])] == place {
            found.append(byCause[low])
            low += 1
        }
        // The records that keep it, or would keep it if they were not hidden.
        guard graph.has(.deleted, place) else { return found }
        graph.forEachSource(of: place) { kind, source in
            if kind == .deny, graph.has(.put, source) { found.append(source) }
        }
        return found
    }

    /// Finds the targets of a record by rules that depend on the target, including a masked tree reference.
    private func held(by place: UInt32) -> [UInt32] {
        #if ROOST_SEEDED_BUGS
            if SeededBug.purgeWithoutTree.isOn, graph.has(.dropped, place) { return [] }
        #endif
        var found: [UInt32] = []
        graph.forEachTarget(of: place) { _, target in found.append(target) }
        return found
    }

    /// Counts the references between each chosen record and the nearest chosen one that is dead by itself.
    private func depths() -> [UInt32] {
        var depths = Array(repeating: Self.none, count: graph.keys.count)
        var level = graph.places.filter { graph.has(.chosen, $0) && !isBase($0) }
        for place in level { depths[Int(place)] = 0 }
        while !level.isEmpty {
            var next: [UInt32] = []
            for place in level {
                graph.forEachSource(of: place) { kind, source in
                    guard holds(kind, source), graph.has(.chosen, source), depths[Int(source)] == Self.none else {
                        return
                    }
                    depths[Int(source)] = depths[Int(place)] + 1
                    next.append(source)
                }
            }
            level = next
        }
        return depths
    }

    /// Groups the chosen records by the dependencies that make them go together.
    ///
    /// The deepest records come first, and the records that are dead by themselves come last. A replica that has learned
    /// only some identifiers of a group must not show one of the others, even if another device has written again the
    /// record that hid it (protocol.md §11.4).
    private func joined() -> PurgeGroups {
        let chosen = graph.places.filter { graph.has(.chosen, $0) }
        var union = LeastPlaces(count: graph.keys.count)
        for place in chosen {
            for target in held(by: place) where graph.has(.chosen, target) { union.join(place, target) }
            let cause = causes[Int(place)]
            if cause != Self.none, graph.has(.chosen, cause) { union.join(place, cause) }
        }
        let order = union.sorted(chosen, depths: depths())
        var groups = PurgeGroups(capacity: order.count)
        var last: UInt32?
        for place in order {
            let least = union.least(place)
            groups.add(graph.keys[Int(place)], isFirst: least != last)
            last = least
        }
        return groups
    }
}

/// Disjoint sets of indexes, each named by its least.
private struct LeastPlaces {
    private var parents: [UInt32]

    init(count: Int) { parents = (0..<UInt32(count)).map { $0 } }

    mutating func join(_ left: UInt32, _ right: UInt32) {
        let (left, right) = (least(left), least(right))
        guard left != right else { return }
        parents[Int(max(left, right))] = min(left, right)
    }

    mutating func least(_ place: UInt32) -> UInt32 {
        var place = place
        while parents[Int(place)] != place {
            parents[Int(place)] = parents[Int(parents[Int(place)])]
            place = parents[Int(place)]
        }
        return place
    }

    /// Sorts indexes by set, then the deepest first, then by index.
    mutating func sorted(_ places: [UInt32], depths: [UInt32]) -> [UInt32] {
        for place in places { parents[Int(place)] = least(place) }
        return places.sorted { left, right in
            (parents[Int(left)], depths[Int(right)], left) < (parents[Int(right)], depths[Int(left)], right)
        }
    }
}

extension RecordFacts {
    /// The milliseconds of its newest change.
    package var newestMilliseconds: UInt64 { max(put?.milliseconds ?? 0, delete?.milliseconds ?? 0) }
}
