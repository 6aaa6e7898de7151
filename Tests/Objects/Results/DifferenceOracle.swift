import Objects

/// Decides from two results alone whether a difference between them is correct.
struct DifferenceOracle {
    let old: ResultsSnapshot<Int>
    let new: ResultsSnapshot<Int>
    let updated: Set<Int>
    let difference: ResultsDifference<Int>

    private let oldPaths: [Int: ResultsIndexPath]
    private let newPaths: [Int: ResultsIndexPath]

    init(
        _ old: ResultsSnapshot<Int>, _ new: ResultsSnapshot<Int>, updated: Set<Int>,
        _ difference: ResultsDifference<Int>
    ) {
        (self.old, self.new, self.updated, self.difference) = (old, new, updated, difference)
        (oldPaths, newPaths) = (Self.paths(old), Self.paths(new))
    }

    /// The faults of the difference; empty if it is correct.
    var faults: [String] {
        var faults: [String] = []
        if (try? difference.applied(to: old)) != new { faults.append("applied gives another result") }
        if stepByStep() != new.sections.map({ Section(name: $0.name, rows: $0.rows) }) {
            faults.append("the documented steps give another result")
        }
        if !rowsAreReportedOnce { faults.append("a row is reported twice or not at all") }
        if !pathsAreRight { faults.append("a path is not that of its row") }
        if !changesAreInOrder { faults.append("changes are not in order") }
        if !movesAreFew { faults.append("more moves than needed") }
        return faults
    }

    // MARK: Rows

    private var rowsAreReportedOnce: Bool {
        let (before, after) = (Set(oldPaths.keys), Set(newPaths.keys))
        let moved = difference.rowMoves.map(\.id)
        let movedAndUpdated = difference.rowMoves.filter(\.isUpdated).map(\.id)
        let updatedInPlace = difference.rowUpdates.map(\.id)
        return Self.same(difference.rowDeletes.map(\.id), before.subtracting(after))
            && Self.same(difference.rowInserts.map(\.id), after.subtracting(before))
            && Self.same(movedAndUpdated + updatedInPlace, updated.intersection(before).intersection(after))
            && Set(moved).count == moved.count && Set(moved).isDisjoint(with: updatedInPlace)
    }

    private static func same(_ reported: [Int], _ expected: Set<Int>) -> Bool {
        reported.count == expected.count && Set(reported) == expected
    }

    private var pathsAreRight: Bool {
        difference.rowDeletes.allSatisfy { $0.path == oldPaths[$0.id] }
            && difference.rowInserts.allSatisfy { $0.path == newPaths[$0.id] }
            && difference.rowMoves.allSatisfy { $0.from == oldPaths[$0.id] && $0.to == newPaths[$0.id] }
            && difference.rowUpdates.allSatisfy { $0.from == oldPaths[$0.id] && $0.to == newPaths[$0.id] }
    }

    /// Deletes are in descending order, all other changes in ascending order.
    private var changesAreInOrder: Bool {
        Self.ascends(difference.sectionDeletes.map { -$0.index }) && Self.ascends(difference.sectionMoves.map(\.to))
            && Self.ascends(difference.sectionInserts.map(\.index))
            && Self.ascends(difference.rowDeletes.map(\.path).reversed())
            && Self.ascends(difference.rowMoves.map(\.to)) && Self.ascends(difference.rowInserts.map(\.path))
            && Self.ascends(difference.rowUpdates.map(\.to))
    }

    private static func ascends<Place: Comparable>(_ places: [Place]) -> Bool {
        zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
    }

    private static func paths(_ snapshot: ResultsSnapshot<Int>) -> [Int: ResultsIndexPath] {
        var paths: [Int: ResultsIndexPath] = [:]
        for (section, content) in snapshot.sections.enumerated() {
            for (row, id) in content.rows.enumerated() { paths[id] = ResultsIndexPath(section: section, row: row) }
        }
        return paths
    }

    // MARK: Moves

    /// Rows that change their section have to move. Of the other rows, and of the sections, those outside a heaviest increasing
    /// subsequence move. One row more outweighs all rows that are not updated.
    private var movesAreFew: Bool {
        let newNumbers = Dictionary(uniqueKeysWithValues: new.sections.enumerated().map { ($1.name, $0) })
        let sections = old.sections.compactMap { newNumbers[$0.name] }.map { ($0, 1) }
        guard difference.sectionMoves.count == sections.count - Self.heaviestIncreasing(sections) else { return false }
        var needed = 0
        for section in old.sections {
            let common = section.rows.filter { newPaths[$0] != nil }
            let staying = common.compactMap { id -> (Int, Int)? in
                guard let path = newPaths[id], new.sections[path.section].name == section.name else { return nil }
                return (path.row, weight(id))
            }
            needed += common.reduce(0) { $0 + weight($1) } - Self.heaviestIncreasing(staying)
        }
        return difference.rowMoves.reduce(0) { $0 + weight($1.id) } == needed
    }

    private func weight(_ id: Int) -> Int { updated.contains(id) ? 10_000 : 10_001 }

    /// Returns the weight of a heaviest increasing subsequence. For few values it tries all choices; otherwise it compares each
    /// value with all earlier ones.
    private static func heaviestIncreasing(_ values: [(value: Int, weight: Int)]) -> Int {
        guard values.count > 6 else { return heaviestByTrying(values[...], above: Int.min) }
        var totals: [Int] = []
        for (place, last) in values.enumerated() {
            var total = 0
            for earlier in 0..<place where values[earlier].value < last.value { total = max(total, totals[earlier]) }
            totals.append(total + last.weight)
        }
        return totals.max() ?? 0
    }

    private static func heaviestByTrying(_ values: ArraySlice<(value: Int, weight: Int)>, above: Int) -> Int {
        guard let first = values.first else { return 0 }
        let without = heaviestByTrying(values.dropFirst(), above: above)
        guard first.value > above else { return without }
        return max(without, first.weight + heaviestByTrying(values.dropFirst(), above: first.value))
    }

    // MARK: Order of application

    struct Section: Equatable {
        var name: String?
        var rows: [Int]
    }

    /// Applies the documented steps one by one; `nil` where one of them is impossible.
    private func stepByStep() -> [Section]? {
        var sections = old.sections.map { Section(name: $0.name, rows: $0.rows) }
        let leaving = difference.rowDeletes.map { ($0.id, $0.path) } + difference.rowMoves.map { ($0.id, $0.from) }
        for (id, path) in leaving.sorted(by: { $0.1 > $1.1 }) {
            guard sections.indices.contains(path.section), sections[path.section].rows.indices.contains(path.row),
                sections[path.section].rows.remove(at: path.row) == id
            else { return nil }
        }
        guard rearrange(&sections) else { return nil }
        let coming = difference.rowInserts.map { ($0.id, $0.path) } + difference.rowMoves.map { ($0.id, $0.to) }
        for (id, path) in coming.sorted(by: { $0.1 < $1.1 }) {
            guard sections.indices.contains(path.section), path.row <= sections[path.section].rows.count else {
                return nil
            }
            sections[path.section].rows.insert(id, at: path.row)
        }
        return sections
    }

    private func rearrange(_ sections: inout [Section]) -> Bool {
        var coming = difference.sectionInserts.map { ($0.index, Section(name: $0.name, rows: [])) }
        let leaving =
            difference.sectionDeletes.map { ($0.index, Int?.none) }
            + difference.sectionMoves.map { ($0.from, Int?.some($0.to)) }
        for (index, target) in leaving.sorted(by: { $0.0 > $1.0 }) {
            let section = sections.remove(at: index)
            if let target { coming.append((target, section)) } else if !section.rows.isEmpty { return false }
        }
        for (index, section) in coming.sorted(by: { $0.0 < $1.0 }) {
            guard index <= sections.count else { return false }
            sections.insert(section, at: index)
        }
        return true
    }
}
