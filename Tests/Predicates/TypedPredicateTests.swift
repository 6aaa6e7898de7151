import Predicates
import RoostModel
import Testing

/// Typed conditions equal the predicates of the format language.
@Suite struct TypedPredicateTests {
    private static let id = RecordID(high: 1, low: 2)

    private static let spendings: [(TypedPredicate<SpendingFields>, String)] = [
        (\.person.name == "Jean-Pierre" && \.amount < 100_00, "person.name == \"Jean-Pierre\" AND amount < 10000"),
        (\.note == nil || !(\.rate != 0.5), "note == nil OR NOT rate != 0.5"),
        (\.amount >= 1 && \.amount <= 2 && \.rate > 0.5, "amount >= 1 AND amount <= 2 AND rate > 0.5"),
        (\.paid == true, "paid == true"),
        (\.person == id, "person == CAST(\"00000000-0000-0001-0000-000000000002\", \"UUID\")"),
        (
            \.person != nil && \.self != id,
            "person != nil AND SELF != CAST(\"00000000-0000-0001-0000-000000000002\", \"UUID\")"
        ),
        (\.person.boss.boss.age > \.amount, "person.boss.boss.age > amount"),
        ((\SpendingFields.note).contains("é", .loose), "note CONTAINS[cd] \"é\""),
        (
            (\SpendingFields.note).beginsWith("a") || (\SpendingFields.note).endsWith("z"),
            "note BEGINSWITH \"a\" OR note ENDSWITH \"z\""
        ),
        ((\SpendingFields.note).like("a*", .caseInsensitive), "note LIKE[c] \"a*\""),
        ((\SpendingFields.note).matches("a+"), "note MATCHES \"a+\""),
        ((\SpendingFields.note).length() > 3, "length:(note) > 3"),
        ((\SpendingFields.note).equals("A", .caseInsensitive), "note ==[c] \"A\""),
        ((\SpendingFields.amount).isIn([1, 2]), "amount IN {1, 2}"),
        ((\SpendingFields.amount).isBetween(1, 2), "amount BETWEEN {1, 2}"),
        ((\SpendingFields.amount).isBetween(1..<10), "amount BETWEEN {1, 9}"),
        ((\SpendingFields.rate).isBetween(1...2.5), "rate BETWEEN {1.0, 2.5}"),
        ((\SpendingFields.tags).count() > 2, "tags.@count > 2"),
        ((\SpendingFields.tags).contains(id), "tags CONTAINS CAST(\"00000000-0000-0001-0000-000000000002\", \"UUID\")"),
        ((\SpendingFields.tags).any(\.name == "x"), "SUBQUERY(tags, $each1, $each1.name == \"x\").@count > 0"),
        ((\SpendingFields.tags).all(\.weight > 1), "SUBQUERY(tags, $each1, NOT $each1.weight > 1).@count == 0"),
        ((\SpendingFields.tags).none(\.weight > 1), "SUBQUERY(tags, $each1, $each1.weight > 1).@count == 0"),
        ((\SpendingFields.tags).sum(\.weight).isBetween(1, 2), "tags.@sum.weight BETWEEN {1, 2}"),
        ((\SpendingFields.tags).average(\.weight) == nil, "tags.@avg.weight == nil"),
        (
            (\SpendingFields.tags).minimum(\.name) < "b" && (\SpendingFields.tags).maximum(\.weight) != 3,
            "tags.@min.name < \"b\" AND tags.@max.weight != 3"
        ),
    ]

    @Test(arguments: spendings.indices) func isThePredicate(_ index: Int) throws {
        let (typed, text) = Self.spendings[index]
        #expect("\(typed)" == text)
        let predicate = FetchPredicate(typed)
        #expect(try FetchPredicate(format: text) == predicate)
        let schema = try Schema(json: PredicateWorld.schemaText)
        #expect(throws: Never.self) { try predicate.bound(to: schema, entity: "Spending") }
    }

    /// A variable of any integer type, and a literal, is a whole number.
    @Test func everyIntegerTypeIsAWholeNumber() {
        let (limit, small): (Int, UInt8) = (100_00, 3)
        let some: Int? = 7
        let predicates: [(TypedPredicate<SpendingFields>, String)] = [
            (
                \.amount < limit && \.amount >= small && \.amount == some,
                "amount < 10000 AND amount >= 3 AND amount == 7"
            ),
            ((\SpendingFields.amount).isIn([limit]), "amount IN {10000}"),
            ((\SpendingFields.amount).isBetween(small, limit), "amount BETWEEN {3, 10000}"),
            ((\SpendingFields.amount).isBetween(0..<limit), "amount BETWEEN {0, 9999}"),
            ((\SpendingFields.amount).isBetween(0...limit), "amount BETWEEN {0, 10000}"),
            ((\SpendingFields.tags).count() > limit, "tags.@count > 10000"),
            ((\SpendingFields.tags).sum(\.weight).isIn([limit]), "tags.@sum.weight IN {10000}"),
            (\.rate > 1, "rate > 1.0"),
            (\.amount < UInt64.max, "amount < 1.8446744073709552e+19"),
        ]
        for (predicate, text) in predicates { #expect("\(predicate)" == text) }
    }

    @Test func partsInTextAreCombinedWithTypedOnes() throws {
        let text = try FetchPredicate(format: "note BEGINSWITH 'a'")
        let predicates: [(TypedPredicate<SpendingFields>, String)] = [
            (text && \.amount < 3, "note BEGINSWITH \"a\" AND amount < 3"),
            (\.amount < 3 && text, "amount < 3 AND note BEGINSWITH \"a\""),
            (text || \.amount < 3, "note BEGINSWITH \"a\" OR amount < 3"),
            (\.amount < 3 || text, "amount < 3 OR note BEGINSWITH \"a\""),
            (TypedPredicate(text), "note BEGINSWITH \"a\""),
            (.all && \.amount < 3, "TRUEPREDICATE AND amount < 3"),
            (.none || \.amount < 3, "FALSEPREDICATE OR amount < 3"),
        ]
        for (predicate, text) in predicates { #expect("\(predicate)" == text) }
    }

    @Test func nestedConditionsKeepTheirElementsApart() {
        let dear = (\SpendingFields.tags).any(\.name == "x") && \.amount > 1
        let predicate = (\PersonFields.spendings).any(dear)
        #expect(
            "\(predicate)" == """
                SUBQUERY(spendings, $each2, SUBQUERY($each2.tags, $each1, $each1.name == "x").@count > 0 AND \
                $each2.amount > 1).@count > 0
                """)
    }
}
