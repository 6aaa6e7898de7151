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

    /// Functions of texts, and single records of relationships to several.
    @Test func functionsAndElementsAgree() throws {
        let world = try PredicateWorld()
        var filler = RandomWorld(random: SplitMix64(state: 7))
        try filler.fill(world)
        let spendings = [
            "note.length > 3", "length:(note) == note.length AND NOT note == nil", "NOT person.name.length < 5",
            "uppercase:(note) == uppercase:(lowercase:(note))", "lowercase:(person.name) CONTAINS 'e'",
            "uppercase:(person.name) ENDSWITH[d] 'E'", "lowercase:(note) <= note", "note.length BETWEEN {1, 4}",
            "uppercase:(note) IN {'CRÈME', 'A\\u0000B', ''}", "'e' IN note", "'E' IN[cd] person.name",
            "note IN person.name", "tags[FIRST].weight > 2", "tags[LAST].name.length > 3", "tags[FIRST] == tags[LAST]",
            "tags[FIRST] == nil", "person.spendings[FIRST] == SELF", "NOT person.spendings[LAST] == SELF",
            "person.approved[FIRST].amount > 5", "tags[SIZE] > 1", "person.spendings[FIRST].tags[LAST].name != nil",
            "ANY tags.spendings[FIRST].tags.name CONTAINS 'e'", "ANY person.friends[LAST].spendings.amount > 5",
            "SUBQUERY(tags, $t, $t.spendings[LAST] == SELF).@count > 0", "person.spendings.@min.note.length > 2",
            "person.team[FIRST].boss == person AND uppercase:(person.spendings.@max.note) != 'X'",
        ]
        var selected = 0
        for text in spendings {
            let predicate = try FetchPredicate(format: text)
            #expect(try FetchPredicate(format: "\(predicate)") == predicate)
            let selection = try world.select(predicate, "Spending")
            #expect(selection.sql == selection.direct, "\(text)")
            selected += selection.direct.isEmpty ? 0 : 1
        }
        #expect(selected > spendings.count / 2)
    }
}
