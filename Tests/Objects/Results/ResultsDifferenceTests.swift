import Objects
import Testing

@Suite struct ResultsDifferenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var old: String
        var new: String
        var updated: String = ""
        var changes: [String]

        var testDescription: String { name }
    }

    static let rows: [Case] = [
        Case(name: "nothing", old: "a b c", new: "a b c", changes: []),
        Case(name: "nothing in an empty result", old: "", new: "", changes: []),
        Case(name: "first rows", old: "", new: "a b", changes: ["+ a 0.0", "+ b 0.1"]),
        Case(name: "last rows leave", old: "a b", new: "", changes: ["- b 0.1", "- a 0.0"]),
        Case(name: "insert between", old: "a c", new: "a b c", changes: ["+ b 0.1"]),
        Case(name: "delete between", old: "a b c", new: "a c", changes: ["- b 0.1"]),
        Case(name: "another row instead", old: "a b c", new: "a x c", changes: ["- b 0.1", "+ x 0.1"]),
        Case(name: "first to the end", old: "a b c d", new: "b c d a", changes: ["a 0.0 > 0.3"]),
        Case(name: "last to the front", old: "a b c d", new: "d a b c", changes: ["d 0.3 > 0.0"]),
        Case(name: "update in place", old: "a b c", new: "a b c", updated: "b", changes: ["* b 0.1 = 0.1"]),
        Case(
            name: "update below an insert", old: "a b", new: "x a b", updated: "b",
            changes: ["+ x 0.0", "* b 0.1 = 0.2"]),
        Case(name: "updated row moves", old: "a b c d", new: "b c d a", updated: "a", changes: ["* a 0.0 > 0.3"]),
        Case(
            name: "updated row passes the next one", old: "a b", new: "b a", updated: "a", changes: ["* a 0.0 > 0.1"]),
        Case(
            name: "updated row passes the one before", old: "a b", new: "b a", updated: "b", changes: ["* b 0.1 > 0.0"]),
        Case(
            name: "two updated rows pass one", old: "a b c", new: "b c a", updated: "b c",
            changes: ["a 0.0 > 0.2", "* b 0.1 = 0.0", "* c 0.2 = 0.1"]),
        Case(
            name: "moved and updated beside each other", old: "a b c d", new: "b c d a", updated: "c",
            changes: ["a 0.0 > 0.3", "* c 0.2 = 0.1"]),
        Case(name: "updated row left", old: "a b", new: "a", updated: "b", changes: ["- b 0.1"]),
        Case(name: "updated row is new", old: "a", new: "a b", updated: "b", changes: ["+ b 0.1"]),
        Case(name: "updated row is elsewhere", old: "a", new: "a", updated: "z", changes: []),
        Case(
            name: "all at once", old: "a b c d e f", new: "x b d c f a", updated: "a c e x",
            changes: ["- e 0.4", "* c 0.2 > 0.3", "* a 0.0 > 0.5", "+ x 0.0"]),
    ]

    static let sections: [Case] = [
        Case(name: "section comes", old: "A: a", new: "A: a | B: b", changes: ["+ [B] 1", "+ b 1.0"]),
        Case(name: "section leaves", old: "A: a b | B: c", new: "B: c", changes: ["- [A] 0", "- b 0.1", "- a 0.0"]),
        Case(name: "row to another section", old: "A: a b | B: c", new: "A: a | B: b c", changes: ["b 0.1 > 1.0"]),
        Case(
            name: "last row to another section", old: "A: a | B: c", new: "B: a c", updated: "a",
            changes: ["- [A] 0", "* a 0.0 > 0.0"]),
        Case(name: "row makes a section", old: "A: a b", new: "A: a | B: b", changes: ["+ [B] 1", "b 0.1 > 1.0"]),
        Case(
            name: "section gets another name", old: "A: a b | B: c", new: "B: c | Z: a b",
            changes: ["- [A] 0", "+ [Z] 1", "a 0.0 > 1.0", "b 0.1 > 1.1"]),
        Case(
            name: "section moves with its rows", old: "A: a | B: b c | C: d", new: "B: b c | C: d | A: a",
            changes: ["[A] 0 > 2"]),
        Case(
            name: "row changes in a section that moves", old: "A: a b | B: c | C: d", new: "B: c | C: d | A: x b a",
            updated: "b", changes: ["[A] 0 > 2", "* b 0.1 > 2.1", "+ x 2.0"]),
        Case(
            name: "update in a section that shifts", old: "B: b c", new: "A: a | B: b c", updated: "c",
            changes: ["+ [A] 0", "+ a 0.0", "* c 0.1 = 1.1"]),
        Case(name: "empty section leaves", old: "A: | B: b", new: "B: b", changes: ["- [A] 0"]),
        Case(
            name: "sections are given up", old: "A: a | B: b", new: "a b",
            changes: [
                "- [B] 1", "- [A] 0", "+ [] 0", "a 0.0 > 0.0", "b 1.0 > 0.1",
            ]),
    ]

    @Test(arguments: rows + sections)
    func changesAreReported(_ example: Case) throws {
        let (old, new) = (ResultsNotation.snapshot(example.old), ResultsNotation.snapshot(example.new))
        let updated = Set(ResultsNotation.words(example.updated[...]))

        let difference = ResultsDifference.between(old, new, updated: updated)

        #expect(ResultsNotation.changes(difference) == example.changes)
        #expect(difference.isEmpty == example.changes.isEmpty)
        #expect(try difference.applied(to: old) == new)
    }

    /// A difference for "A: a b | B: c" → "B: b c" applies to none of the other results.
    @Test(arguments: ["A: a b", "A: b a | B: c", "A: a b z | B: c", "X: a b | B: c", "a b", "A: a | B: c", "B: c"])
    func differenceIsNotAppliedToAnotherResult(_ other: String) {
        let difference = ResultsDifference.between(
            ResultsNotation.snapshot("A: a b | B: c"), ResultsNotation.snapshot("B: b c"))

        let error = #expect(throws: ObjectError.self) {
            try difference.applied(to: ResultsNotation.snapshot(other))
        }

        #expect(error?.code == .invalidRequest)
    }

    @Test func insertBeyondTheEndIsNotApplied() {
        let difference = ResultsDifference.between(
            ResultsSnapshot(rows: ["a", "b"]), ResultsSnapshot(rows: ["a", "b", "c"]))
        #expect(throws: ObjectError.self) { try difference.applied(to: ResultsSnapshot(rows: ["a"])) }
    }

    /// A move over a long list is a single change. A comparison of the common beginning and end alone would replace all rows.
    @Test func farMovesInManyRowsAreFew() throws {
        var rows = Array(0..<20_000)
        let old = ResultsSnapshot(rows: rows)
        rows.append(rows.removeFirst())
        rows.insert(-1, at: 10_000)
        let new = ResultsSnapshot(rows: rows)

        let difference = ResultsDifference.between(old, new, updated: [0, 7])

        #expect(
            difference.changes == [
                .moveRow(
                    0, from: ResultsIndexPath(section: 0, row: 0), to: ResultsIndexPath(section: 0, row: 20_000),
                    isUpdated: true),
                .insertRow(-1, at: ResultsIndexPath(section: 0, row: 10_000)),
                .updateRow(
                    7, from: ResultsIndexPath(section: 0, row: 7), to: ResultsIndexPath(section: 0, row: 6)),
            ])
        #expect(try difference.applied(to: old) == new)
    }

    @Test func aBatchOfManyChangesIsOneDifference() throws {
        let old = ResultsSnapshot(rows: Array(0..<20_000))
        let new = ResultsSnapshot(rows: (0..<20_000).map { $0.isMultiple(of: 4) ? $0 + 1_000_000 : $0 })

        let difference = ResultsDifference.between(old, new)

        #expect(difference.rowDeletes.count == 5_000)
        #expect(difference.rowInserts.count == 5_000)
        #expect(difference.rowMoves.isEmpty)
        #expect(try difference.applied(to: old) == new)
    }
}
