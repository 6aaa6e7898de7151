import Objects
import RoostModel

/// Random snapshots of small numbers, determined by a seed.
struct RandomResults {
    var numbers: SplitMix64

    init(seed: Int) { numbers = SplitMix64(state: UInt64(seed)) }

    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<end, using: &numbers) }

    mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

    /// Returns up to five of six sections in random order, with some of `rowsMax` rows; one time in eight a single unnamed
    /// section.
    mutating func snapshot(rowsMax: Int) -> ResultsSnapshot<Int> {
        let rows = Array(Array(0..<rowsMax).shuffled(using: &numbers).prefix(below(rowsMax + 1)))
        guard !chance(1, of: 8) else { return ResultsSnapshot(rows: rows) }
        let names = ["A", "B", "C", "D", "E", "F"].shuffled(using: &numbers).prefix(1 + below(5))
        var sections = names.map { _ in [Int]() }
        for row in rows { sections[below(sections.count)].append(row) }
        return Self.snapshot(zip(names, sections).map { ($0, $1) })
    }

    /// Returns a snapshot that differs from `snapshot` by some changes of rows and sections.
    mutating func changed(_ snapshot: ResultsSnapshot<Int>, rowsMax: Int, changes: Int) -> ResultsSnapshot<Int> {
        var sections = snapshot.sections.map { (name: $0.name, rows: $0.rows) }
        var unused = (rowsMax..<(rowsMax + changes)).makeIterator()
        for _ in 0..<changes {
            guard !sections.isEmpty else { break }
            let (from, to) = (below(sections.count), below(sections.count))
            switch below(8) {
            case 0: sections.swapAt(from, to)
            case 1 where sections[from].name != nil && chance(1, of: 3): sections.remove(at: from)
            case 2 where !sections.contains { $0.name == "N" }:
                sections.insert((name: "N", rows: unused.next().map { [$0] } ?? []), at: to)
            case 3, 4:
                guard let row = unused.next() else { continue }
                sections[to].rows.insert(row, at: below(sections[to].rows.count + 1))
            case let kind:
                guard !sections[from].rows.isEmpty else { continue }
                let row = sections[from].rows.remove(at: below(sections[from].rows.count))
                if kind != 5 { sections[to].rows.insert(row, at: below(sections[to].rows.count + 1)) }
            }
        }
        return Self.snapshot(sections.map { ($0.name, $0.rows) })
    }

    /// Returns some of the numbers below `end`.
    mutating func some(below end: Int) -> Set<Int> {
        let part = below(4)
        return Set((0..<end).filter { _ in chance(part, of: 6) })
    }

    private static func snapshot(_ sections: [(String?, [Int])]) -> ResultsSnapshot<Int> {
        ResultsSnapshot(sections: sections.map { ResultsSection(name: $0.0, rows: $0.1) })
    }
}
