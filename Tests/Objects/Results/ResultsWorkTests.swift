import Objects
import Testing

/// The cost of a difference, counted in hashes and comparisons of identifiers.
@Suite struct ResultsWorkTests {
    private static let rowsCount = 5_000
    private let work = CountedID.Work()

    private func ids(_ numbers: some Sequence<Int>) -> [CountedID] { numbers.map { CountedID(number: $0, work: work) } }

    private func difference(
        to rows: [CountedID], updated: Set<CountedID> = []
    ) -> ResultsDifference<CountedID> {
        let old = ResultsSnapshot(rows: ids(0..<Self.rowsCount))
        work.counts = CountedID.Work.Counts()
        return .between(old, ResultsSnapshot(rows: rows), updated: updated)
    }

    private var hashes: Int { work.counts.hashes }
    private var comparisons: Int { work.counts.comparisons }

    @Test func sharedRowsAreNotCompared() {
        let snapshot = ResultsSnapshot(rows: ids(0..<Self.rowsCount))
        #expect(ResultsDifference.between(snapshot, snapshot).isEmpty)
        #expect(comparisons == 0)
        #expect(hashes == 0)
    }

    @Test func oneUpdateCostsTwoPasses() {
        let rows = ids(0..<Self.rowsCount)
        #expect(difference(to: rows, updated: [rows[Self.rowsCount - 1]]).changes.count == 1)
        #expect(comparisons <= 2 * Self.rowsCount)
        #expect(hashes <= 10)
    }

    @Test func farMoveHashesOnlyWhatMoved() {
        let rows = ids(Array(1..<Self.rowsCount) + [0])
        #expect(difference(to: rows).changes.count == 1)
        #expect(comparisons <= Self.rowsCount + 100)
        #expect(hashes <= 10)
    }

    @Test func someMovesHashOnlyWhatMoved() {
        var numbers = Array(0..<Self.rowsCount)
        for place in 1...20 { numbers.swapAt(place * 100, Self.rowsCount - place * 100) }
        #expect(difference(to: ids(numbers)).rowMoves.count == 40)
        #expect(comparisons <= 2 * Self.rowsCount)
        #expect(hashes <= 500)
    }

    @Test func replacedRowsAloneAreHashed() {
        let numbers = (0..<Self.rowsCount).map { $0.isMultiple(of: 5) ? $0 + 1_000_000 : $0 }
        let changed = Self.rowsCount / 5
        #expect(difference(to: ids(numbers)).changes.count == 2 * changed)
        #expect(hashes <= 6 * changed)
    }

    @Test func insertsAreNotHashed() {
        let numbers = (0..<Self.rowsCount).flatMap {
            $0.isMultiple(of: 5) ? [$0 + 1_000_000, $0 + 2_000_000, $0] : [$0]
        }
        #expect(difference(to: ids(numbers)).rowInserts.count == 2 * Self.rowsCount / 5)
        #expect(comparisons <= 5 * numbers.count)
        #expect(hashes == 0)
    }

    @Test func deletesAreNotHashed() {
        let numbers = (0..<Self.rowsCount).filter { !($0 % 10 < 3) }
        #expect(difference(to: ids(numbers)).rowDeletes.count == 3 * Self.rowsCount / 10)
        #expect(comparisons <= 5 * Self.rowsCount)
        #expect(hashes == 0)
    }
}
