internal import RoostModel

/// The computation of a ``ResultsDifference``. Sections are aligned by name, and rows within their section; the remaining rows
/// are paired across sections.
struct ResultsComparison<ID: Hashable & Sendable> {
    private typealias Difference = ResultsDifference<ID>

    /// A section of both results, with the rows that stay in place.
    private struct CommonSection {
        let old: Int
        let new: Int
        let rows: Alignment
    }

    private let old: ResultsSnapshot<ID>
    private let new: ResultsSnapshot<ID>
    private let updated: Set<ID>

    private var common: [CommonSection] = []
    /// The rows that no alignment keeps: departures by their old paths, arrivals by their new ones.
    private var departures: [Difference.RowChange] = []
    private var arrivals: [Difference.RowChange] = []
    private var result = Difference()

    init(old: ResultsSnapshot<ID>, new: ResultsSnapshot<ID>, updated: Set<ID>) {
        self.old = old
        self.new = new
        self.updated = updated
    }

    mutating func difference() -> ResultsDifference<ID> {
        let counterparts = compareSections()
        compareRows(counterparts)
        pairRows()
        findUpdates()
        return result
    }

    /// Reports sections.
    ///
    /// - Returns: For each new section, the index of the old section with its name.
    private mutating func compareSections() -> [Int?] {
        let oldNames = old.sections.map { $0.name.map(ExactText.init) }
        let newNames = new.sections.map { $0.name.map(ExactText.init) }
        let alignment = Alignment(from: oldNames, to: newNames)
        var counterparts = [Int?](repeating: nil, count: newNames.count)
        for run in alignment.runs {
            for offset in 0..<run.count { counterparts[run.new + offset] = run.old + offset }
        }
        let departures = alignment.departures
        var leaving = Dictionary(departures.map { (oldNames[$0], $0) }) { first, _ in first }
        for index in alignment.arrivals {
            let name = newNames[index]
            if let from = leaving.removeValue(forKey: name) {
                counterparts[index] = from
                result.sectionMoves.append(.init(name: name?.text, from: from, to: index))
            } else {
                result.sectionInserts.append(.init(name: name?.text, index: index))
            }
        }
        result.sectionDeletes = leaving.map { .init(name: $0.key?.text, index: $0.value) }.sorted {
            $0.index > $1.index
        }
        return counterparts
    }

    /// Aligns the rows of each section, and collects the rows that do not stay.
    private mutating func compareRows(_ counterparts: [Int?]) {
        for (index, counterpart) in counterparts.enumerated() {
            let rows = new.sections[index].rows
            guard let counterpart else {
                arrivals += Self.changes(rows.indices, of: rows, in: index)
                continue
            }
            let oldRows = old.sections[counterpart].rows
            let alignment = Alignment(from: oldRows, to: rows, changed: updated)
            departures += Self.changes(alignment.departures, of: oldRows, in: counterpart)
            arrivals += Self.changes(alignment.arrivals, of: rows, in: index)
            common.append(CommonSection(old: counterpart, new: index, rows: alignment))
        }
        for section in result.sectionDeletes {
            let rows = old.sections[section.index].rows
            departures += Self.changes(rows.indices, of: rows, in: section.index)
        }
        // The rows of deleted and moved sections were appended out of order.
        departures.sort { $0.path < $1.path }
    }

    private static func changes(
        _ numbers: some Collection<Int>, of rows: [ID], in section: Int
    ) -> [ResultsDifference<ID>.RowChange] {
        numbers.map { .init(id: rows[$0], path: ResultsIndexPath(section: section, row: $0)) }
    }

    /// Reports a row that departs and arrives as moved, and the other rows as deleted or inserted.
    private mutating func pairRows() {
        guard !departures.isEmpty, !arrivals.isEmpty else {
            result.rowDeletes = departures.reversed()
            result.rowInserts = arrivals
            return
        }
        var leaving = Dictionary(departures.map { ($0.id, $0.path) }) { first, _ in first }
        for row in arrivals {
            if let from = leaving.removeValue(forKey: row.id) {
                result.rowMoves.append(
                    .init(id: row.id, from: from, to: row.path, isUpdated: updated.contains(row.id)))
            } else {
                result.rowInserts.append(row)
            }
        }
        result.rowDeletes = departures.reversed().filter { leaving[$0.id] != nil }
    }

    /// Reports the updated rows among the rows that stay.
    private mutating func findUpdates() {
        var remaining = updated
        for move in result.rowMoves where move.isUpdated { remaining.remove(move.id) }
        var missing = remaining.count
        guard missing > 0 else { return }
        let sought = SoughtElements(remaining)
        for section in common {
            let rows = new.sections[section.new].rows
            for run in section.rows.runs {
                for offset in 0..<run.count where sought.contains(rows[run.new + offset]) {
                    result.rowUpdates.append(
                        .init(
                            id: rows[run.new + offset],
                            from: ResultsIndexPath(section: section.old, row: run.old + offset),
                            to: ResultsIndexPath(section: section.new, row: run.new + offset)))
                    missing -= 1
                    if missing == 0 { return }
                }
            }
        }
    }
}
