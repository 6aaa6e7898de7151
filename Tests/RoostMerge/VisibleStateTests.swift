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

    /// A link that its cascading end hides still keeps the record at its deny end: it is a put (protocol.md §8.6).
    @Test func hiddenDenyLinkKeepsItsOtherEnd() throws {
        let schema = try Schema(
            json: """
                {"format": 1, "name": "links", "version": 1, "entities": [
                  {"id": 1, "name": "A", "relationships": [
                    {"id": 1, "name": "bs", "kind": "manyToMany", "destination": "B", "inverse": "as", "deleteRule": "deny"}]},
                  {"id": 2, "name": "B", "relationships": [
                    {"id": 1, "name": "as", "kind": "manyToMany", "destination": "A", "inverse": "bs"}]}]}
                """)
        let facts = MemoryFacts(ReferenceRules(schema))
        let link = try #require(schema.linkEntities.first)
        let (a, b) = (RecordID(high: 1, low: 1), RecordID(high: 2, low: 2))
        let keys = [
            RecordKey(entity: EntityID(1), id: a), RecordKey(entity: EntityID(2), id: b),
            RecordKey(entity: link.id, id: RecordID(high: 3, low: 3)),
        ]
        func stamp(_ time: UInt64) -> HybridTimestamp { .init(time: time, replica: ReplicaID(rawValue: 1)) }
        let ends = Put(references: [
            .init(relationship: PropertyID(1), target: a), .init(relationship: PropertyID(2), target: b),
        ])
        for (key, put) in zip(keys, [Put(), Put(), ends]) {
            try facts.apply(Change(key: key, stamp: stamp(1), kind: .put(put.encoded(), base: nil)))
        }
        #expect(facts.visible == Set(keys))
        try facts.apply(Change(key: keys[1], stamp: stamp(2), kind: .delete))
        #expect(facts.visible == [keys[0]])
        try facts.apply(Change(key: keys[0], stamp: stamp(3), kind: .delete))
        #expect(facts.visible == [keys[0]], "kept by a link that is out of sight")
        try expectSameAsFromScratch(facts)
        try facts.apply(Change(key: keys[2], stamp: stamp(4), kind: .delete))
        #expect(facts.visible == [])
        try expectSameAsFromScratch(facts)
    }

    /// Of a cycle whose members have equal stamps the one with the greatest identifier is cut, in any order (protocol.md §11.3).
    @Test func equalStampsInACycleAreToldApartByIdentifier() throws {
        let rules = ReferenceRules(try Schema(json: ReplayHistory.schemaText))
        let line = #"""
            {"changes":[{"record":"x","stamp":5,"put":{"t":"y"}},{"record":"y","stamp":5,"put":{"t":"z"}},
            {"record":"z","stamp":5,"put":{"t":"x"}}]}
            """#
        for changes in permutations(try ReplayHistory(line: line).changes) {
            let facts = MemoryFacts(rules)
            for change in changes { try facts.apply(change) }
            #expect(facts.dropped.map(\.id.bytes.first) == [UInt8(ascii: "z")])
            try expectSameAsFromScratch(facts)
        }
    }

    private func expectSameAsFromScratch(_ facts: MemoryFacts) throws {
        let oracle = VisibleState(facts.facts, rules: facts.rules)
        #expect(facts.visible == Set(oracle.liveness.filter { $0.value.isVisible }.keys))
        #expect(facts.dropped == oracle.dropped)
    }
}
