import Objects
import Testing

@Suite struct ResultsSnapshotTests {
    private let snapshot = ResultsNotation.snapshot("A: a b | B: c d e")

    @Test func rowIsFoundByItsPathAndPathByItsRow() {
        for (section, rows) in [["a", "b"], ["c", "d", "e"]].enumerated() {
            for (row, id) in rows.enumerated() {
                #expect(snapshot.row(at: ResultsIndexPath(section: section, row: row)) == id)
                #expect(snapshot.indexPath(of: id) == ResultsIndexPath(section: section, row: row))
            }
        }
        #expect(snapshot.rowCount == 5)
    }

    @Test(arguments: [(-1, 0), (0, -1), (0, 2), (1, 3), (2, 0)])
    func pathBeyondTheResultHasNoRow(_ section: Int, _ row: Int) {
        #expect(snapshot.row(at: ResultsIndexPath(section: section, row: row)) == nil)
    }

    @Test func strangeRowHasNoPath() {
        #expect(snapshot.indexPath(of: "z") == nil)
        #expect(
            snapshot.indexPaths(of: ["z", "e", "a"]) == [
                "a": ResultsIndexPath(section: 0, row: 0), "e": ResultsIndexPath(section: 1, row: 2),
            ])
    }

    @Test func pathsOfManyRowsAreThoseOfEach() {
        let rows = ResultsSnapshot(sections: [
            ResultsSection(name: "odd", rows: (0..<100).map { 2 * $0 + 1 }),
            ResultsSection(name: "even", rows: (0..<100).map { 2 * $0 }),
        ])
        let paths = rows.indexPaths(of: Set(50..<300))
        #expect(paths.count == 150)
        for (id, path) in paths { #expect(rows.indexPath(of: id) == path) }
    }

    @Test func pathsGoFromTopToBottom() {
        let paths = [(0, 0), (0, 1), (1, 0), (2, 5)].map { ResultsIndexPath(section: $0.0, row: $0.1) }
        #expect(paths.reversed().sorted() == paths)
    }

    @Test func rowsAreGroupedByTheirSections() throws {
        let named: [(String, String?)] = [("n", nil), ("c", ""), ("a", "A"), ("b", "A"), ("d", "B")]
        let rows = named.map { (row: $0.0, section: $0.1) }
        let expected = ResultsSnapshot(sections: [
            ResultsSection(name: nil, rows: ["n"]), ResultsSection(name: "", rows: ["c"]),
            ResultsSection(name: "A", rows: ["a", "b"]), ResultsSection(name: "B", rows: ["d"]),
        ])
        #expect(try ResultsSnapshot(grouping: rows) == expected)
        #expect(try ResultsSnapshot<String>(grouping: []).sections.isEmpty)
    }

    @Test func sectionThatComesAgainIsRefused() {
        let named: [(String, String?)] = [("a", nil), ("b", "B"), ("c", nil)]
        let rows = named.map { (row: $0.0, section: $0.1) }
        let error = #expect(throws: ObjectError.self) { try ResultsSnapshot(grouping: rows) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("row 2") == true)
    }

    /// The section of rows without a value goes with its last row, other than the section of a result without groups.
    @Test func sectionWithoutANameIsOmittedWhenEmpty() throws {
        let rows: [(row: String, section: String?)] = [("a", nil), ("b", nil)]
        let grouped = try ResultsSnapshot(grouping: rows)
        #expect(grouped.sections == [ResultsSection(name: nil, rows: ["a", "b"])])
        let (left, difference) = grouped.updated(with: ["a": .absent, "b": .present(section: "B")], by: <)
        #expect(left.sections == [ResultsSection(name: "B", rows: ["b"])])
        #expect(ResultsNotation.changes(difference) == ["- [] 0", "+ [B] 0", "- a 0.0", "* b 0.1 > 0.0"])
        #expect(try difference.applied(to: grouped) == left)
        let (none, _) = try ResultsSnapshot(grouping: rows).updated(with: ["a": .absent, "b": .absent], by: <)
        #expect(none.sections.isEmpty)
        let (empty, _) = ResultsSnapshot(rows: ["a"]).updated(with: ["a": .absent], by: <)
        #expect(empty.sections == [ResultsSection(name: nil, rows: [])])
    }

    @Test func resultWithoutSectionsKeepsItsSectionWhenEmpty() {
        #expect(ResultsSnapshot<String>(rows: []).sections == [ResultsSection(name: nil, rows: [])])
    }
}
