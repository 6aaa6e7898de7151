import Predicates
import RoostModel
import Testing

/// The SQL of a predicate and its evaluation select the same records.
@Suite struct PredicateAgreementTests {
    @Test func randomPredicatesAgree() throws {
        let world = try PredicateWorld()
        var filler = RandomWorld(random: SplitMix64(state: 5))
        try filler.fill(world)
        var maker = RandomPredicate(world, seed: 2026)
        var cases = 0
        var selected = 0
        for round in 0..<800 {
            let entity = ["Spending", "Person", "Spending", "Person", "Spending", "Passport", "Tag"][round % 7]
            let predicate = FetchPredicate(maker.node(entity, depth: 3))
            #expect(try FetchPredicate(format: "\(predicate)") == predicate)
            let selection = try world.select(predicate, entity)
            #expect(selection.sql == selection.direct, "round \(round), \(entity): \(predicate)")
            cases += world.records[entity]?.count ?? 0
            selected += selection.direct.count
        }
        #expect(cases >= 100_000)
        // Predicates that are nearly all true, or nearly all false, would prove little.
        #expect((cases / 5...cases * 4 / 5).contains(selected), "\(selected) of \(cases)")
    }
}
