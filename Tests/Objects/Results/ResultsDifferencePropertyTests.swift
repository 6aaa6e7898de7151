import Objects
import Testing

/// Differences of random results, checked by an oracle. A failure reports its seed.
@Suite struct ResultsDifferencePropertyTests {
    private static func check(
        _ old: ResultsSnapshot<Int>, _ new: ResultsSnapshot<Int>, updated: Set<Int>, seed: Int
    ) {
        let difference = ResultsDifference.between(old, new, updated: updated)
        let faults = DifferenceOracle(old, new, updated: updated, difference).faults
        if !faults.isEmpty { Issue.record("seed \(seed): \(faults) from \(old) to \(new), updated \(updated)") }
    }

    @Test(arguments: 0..<10)
    func unrelatedResults(_ part: Int) {
        for seed in (part * 1_000)..<((part + 1) * 1_000) {
            var random = RandomResults(seed: seed)
            let rowsMax = 1 + random.below(14)
            let old = random.snapshot(rowsMax: rowsMax)
            let new = random.snapshot(rowsMax: rowsMax)
            Self.check(old, new, updated: random.some(below: rowsMax), seed: seed)
        }
    }

    @Test(arguments: 10..<20)
    func resultsThatDifferBySomeChanges(_ part: Int) {
        for seed in (part * 1_000)..<((part + 1) * 1_000) {
            var random = RandomResults(seed: seed)
            let rowsMax = 1 + random.below(20)
            let old = random.snapshot(rowsMax: rowsMax)
            let new = random.changed(old, rowsMax: rowsMax, changes: random.below(8))
            Self.check(old, new, updated: random.some(below: rowsMax), seed: seed)
        }
    }

    /// With few changes in many rows, unchanged rows are close to their earlier index.
    @Test(arguments: 20..<24)
    func fewChangesInOneSection(_ part: Int) {
        for seed in (part * 1_000)..<(part * 1_000 + 250) {
            var random = RandomResults(seed: seed)
            let old = ResultsSnapshot(rows: Array(0..<(20 + random.below(60))))
            let new = random.changed(old, rowsMax: 80, changes: 1 + random.below(9))
            Self.check(old, new, updated: random.some(below: 80), seed: seed)
        }
    }

    @Test(arguments: 24_000..<24_020)
    func longResults(_ seed: Int) {
        var random = RandomResults(seed: seed)
        let old = random.snapshot(rowsMax: 1_000)
        let new = random.changed(old, rowsMax: 1_000, changes: 1 + random.below(120))
        Self.check(old, new, updated: random.some(below: 1_000), seed: seed)
    }

    @Test func sameResultHasNoDifference() throws {
        for seed in 30_000..<31_000 {
            var random = RandomResults(seed: seed)
            let snapshot = random.snapshot(rowsMax: 14)
            let copy = ResultsSnapshot(
                sections: snapshot.sections.map { .init(name: $0.name, rows: $0.rows.map { $0 }) })
            let difference = ResultsDifference.between(snapshot, copy, updated: [100])
            #expect(difference.isEmpty, "seed \(seed)")
            #expect(try difference.applied(to: snapshot) == snapshot, "seed \(seed)")
        }
    }
}
