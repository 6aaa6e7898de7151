import RoostMerge
import RoostModel
import RoostService
import TestSupport
import Testing

/// The specification's histories in every store, run by the code that handles pushes.
@Suite struct VectorContractTests {
    @Test(arguments: try Vector.all(), StoreKind.allCases)
    func vectorShowsTheSameInEveryOrder(vector: Vector, kind: StoreKind) throws {
        var engine = try ReplayEngine(kind.make())
        for order in vector.orders {
            let result = try engine.run(order)
            #expect(order.render(result.visible) == vector.expected)
        }
    }

    @Test(arguments: try Vector.all(), StoreKind.allCases)
    func repetitionsChangeNothing(vector: Vector, kind: StoreKind) throws {
        var engine = try ReplayEngine(kind.make())
        let changes = vector.history.changes
        let result = try engine.run(vector.history.with(changes: changes + changes.reversed() + changes))
        #expect(vector.history.render(result.visible) == vector.expected)
    }

    @Test(arguments: StoreKind.allCases)
    func randomHistoriesShowWhatTheirChangesShow(kind: StoreKind) throws {
        var engine = try ReplayEngine(kind.make())
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        var random = SplitMix64(state: 20_261_121)
        for _ in 0..<200 {
            let changes = RandomHistory.changes(count: 20, records: 6, using: &random)
            let result = try engine.run(ReplayHistory(changes: changes))
            let expected = try VisibleState.derived(from: changes, rules: rules)
            #expect(result.visible == expected.visible)
            #expect(result.reasons == expected.reasons)
        }
    }
}
