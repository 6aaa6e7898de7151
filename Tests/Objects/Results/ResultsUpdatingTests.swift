import Objects
import Testing

@Suite struct ResultsUpdatingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var changed: [String: ResultsPlacement]
        var new: String
        var changes: [String]

        var testDescription: String { name }
    }

    /// Cases whose rows are ordered by their names.
    static let cases: [Case] = [
        Case(name: "nothing", old: "b d", changed: [:], new: "b d", changes: []),
        Case(name: "insert", old: "b d", changed: ["c": .present()], new: "b c d", changes: ["+ c 0.1"]),
        Case(name: "first row", old: "", changed: ["c": .present()], new: "c", changes: ["+ c 0.0"]),
        Case(name: "last row leaves", old: "b", changed: ["b": .absent], new: "", changes: ["- b 0.0"]),
        Case(name: "update", old: "b d", changed: ["d": .present()], new: "b d", changes: ["* d 0.1 = 0.1"]),
        Case(name: "move", old: "z b d", changed: ["z": .present()], new: "b d z", changes: ["* z 0.0 > 0.2"]),
        Case(name: "no concern", old: "b d", changed: ["x": .absent], new: "b d", changes: []),
        Case(
            name: "new section between", old: "A: a1 | C: c1", changed: ["b1": .present(section: "B")],
            new: "A: a1 | B: b1 | C: c1", changes: ["+ [B] 1", "+ b1 1.0"]),
        Case(
            name: "section leaves with its last row", old: "A: a1 | C: c1", changed: ["a1": .absent], new: "C: c1",
            changes: ["- [A] 0", "- a1 0.0"]),
        Case(
            name: "only row of a section changes", old: "A: a1 | C: c1", changed: ["a1": .present(section: "A")],
            new: "A: a1 | C: c1", changes: ["* a1 0.0 = 0.0"]),
        Case(
            name: "to another section", old: "A: a1 c2 | C: c1 c3", changed: ["c2": .present(section: "C")],
            new: "A: a1 | C: c1 c2 c3", changes: ["* c2 0.1 > 1.1"]),
    ]

    @Test(arguments: cases)
    func changedRecordsComeToTheirPlaces(_ example: Case) {
        let old = ResultsNotation.snapshot(example.old)

        let (new, difference) = old.updated(with: example.changed, by: <)

        #expect(new == ResultsNotation.snapshot(example.new))
        #expect(ResultsNotation.changes(difference) == example.changes)
    }

    @Test func errorOfTheOrderIsPassedOn() {
        let unreadable = ObjectError(.store, "Cannot read.")
        #expect(throws: unreadable) {
            try ResultsSnapshot(rows: ["a", "b"]).updated(with: ["c": .present()]) { _, _ throws in throw unreadable }
        }
    }

    @Test func orderIsAskedFewTimes() {
        var questions = 0
        let rows = ResultsSnapshot(rows: (0..<4_096).map { 2 * $0 })

        let (new, difference) = rows.updated(with: [4_001: .present(), 100: .absent]) { first, second in
            questions += 1
            return first < second
        }

        #expect(questions <= 12)
        #expect(new.row(at: ResultsIndexPath(section: 0, row: 2_000)) == 4_001)
        #expect(difference.changes.count == 2)
    }

    /// Records with a section and a value. The incremental result equals a complete fetch.
    @Test(arguments: 0..<8)
    func isThatOfAWholeFetch(_ part: Int) {
        for seed in (part * 1_000)..<((part + 1) * 1_000) {
            var random = RandomResults(seed: 50_000 + seed)
            var records = ResultRecords(hasSections: !random.chance(1, of: 5))
            let recordsMax = 1 + random.below(30)
            for id in 0..<recordsMax where random.chance(2, of: 3) { records.change(id, &random) }
            let old = records.fetched()

            let changed = (0..<recordsMax).filter { _ in random.chance(1, of: 4) }
            for id in changed { records.change(id, &random) }
            let renamed = random.chance(1, of: 4) ? records.renameSection(&random) : []
            let touched = Set(changed).union(renamed)
            let result = old.updated(
                with: Dictionary(uniqueKeysWithValues: touched.map { ($0, records.placement($0)) }),
                by: records.precedes)

            let new = records.fetched()
            #expect(result.snapshot == new, "seed \(seed)")
            #expect(result.difference == .between(old, new, updated: touched), "seed \(seed)")
        }
    }
}
