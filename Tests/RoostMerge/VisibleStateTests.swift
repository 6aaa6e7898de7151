import RoostMerge
import RoostModel
import TestSupport
import Testing

@Suite struct VisibleStateTests {
    @Test func vectorsAreAllThere() throws {
        #expect(try Vector.all().count == 49)
    }

    @Test(arguments: try Vector.all())
    func vectorHoldsFromScratch(_ vector: Vector) throws {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        for order in vector.orders {
            let facts = MemoryFacts(rules)
            for change in order.changes + order.changes { try facts.apply(change) }
            #expect(order.render(VisibleState(facts.facts, rules: rules).visible(facts.facts)) == vector.expected)
        }
    }

    @Test(arguments: try Vector.all())
    func vectorHoldsChangeByChange(_ vector: Vector) throws {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        for order in vector.orders {
            let facts = MemoryFacts(rules)
            for change in order.changes + order.changes {
                try facts.apply(change)
                try expectSameAsFromScratch(facts)
            }
        }
    }

    /// Random histories over few records, so that cycles, denials and undeletes meet; the update must agree with the
    /// derivation from scratch after every change.
    @Test(arguments: 0..<40)
    func updateAgreesWithFromScratchOnRandomHistories(seed: UInt64) throws {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        var random = SplitMix64(state: seed)
        for _ in 0..<50 {
            let facts = MemoryFacts(rules)
            for change in RandomHistory.changes(count: 24, records: 6, using: &random) {
                try facts.apply(change)
                try expectSameAsFromScratch(facts)
            }
        }
    }

    private func expectSameAsFromScratch(_ facts: MemoryFacts) throws {
        let oracle = VisibleState(facts.facts, rules: facts.rules)
        #expect(facts.visible == Set(oracle.liveness.filter { $0.value.isVisible }.keys))
        #expect(facts.dropped == oracle.dropped)
    }
}
