import Replica
import RoostMerge
import RoostModel
import TestSupport
import Testing

@Suite struct ReplayEngineTests {
    @Test(arguments: try Vector.all(), IdentifierForm.allCases)
    func vectorHoldsInEveryOrderWithDuplicates(_ vector: Vector, _ identifiers: IdentifierForm) throws {
        let engine = try ReplayEngine(identifiers)
        for order in vector.orders {
            let twice = order.with(changes: order.changes + order.changes)
            #expect(order.render(try engine.run(order).visible) == vector.expected)
            #expect(order.render(try engine.run(twice).visible) == vector.expected)
        }
    }

    @Test(arguments: 0..<8)
    func randomHistoriesReadAsDerivedFromScratch(seed: UInt64) throws {
        let engine = try ReplayEngine(seed.isMultiple(of: 2) ? .bytes : .text)
        var random = SplitMix64(state: seed)
        for _ in 0..<40 {
            let changes = RandomHistory.changes(count: 20, records: 6, using: &random)
            let smallest = try shrink(changes) { try isDerivedAlike($0, engine) }
            #expect(smallest == nil)
        }
    }

    private func isDerivedAlike(_ changes: [Change], _ engine: ReplayEngine) throws -> Bool {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        let expected = try VisibleState.derived(from: changes, rules: rules)
        let replayed = try engine.run(ReplayHistory(changes: changes))
        return replayed.visible == expected.visible && replayed.reasons == expected.reasons
    }
}
