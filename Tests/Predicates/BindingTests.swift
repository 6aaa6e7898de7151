import Predicates
import RoostModel
import Testing

/// Predicates that do not fit the schema are refused, with the location and a remedy.
@Suite struct BindingTests {
    private let schema: Schema

    init() throws {
        schema = try Schema(json: PredicateWorld.schemaText)
    }

    @Test(arguments: [
        ("amont > 5", 1, "unknownProperty", "Did you mean \"amount\"?"),
        (
            "amount > 1 AND person.nam == 'x'", 16, "unknownProperty",
            "\"Person\" has no property \"nam\". Did you mean \"name\"?"
        ),
        ("person.nmae == 'x'", 1, "unknownProperty", "Did you mean \"name\"?"),
        ("completelyElse == 1", 1, "unknownProperty", "It has \"amount\", \"rate\""),
        ("amount.x == 1", 1, "unknownProperty", "is no relationship"),
        ("amount == 'five'", 1, "type", "An integer cannot be compared with text. Compare it with a number."),
        ("amount == note", 1, "type", "An integer cannot be compared with a string"),
        ("amount == true", 1, "type", "An integer cannot be compared with a boolean"),
        ("paid == 2", 1, "type", "true, false, 1 or 0"),
        ("paid < true", 1, "type", "Compare with == or !="),
        ("day == '2026-02-30'", 1, "type", "a day that exists"),
        ("day == 5", 1, "type", "A date cannot be compared with an integer"),
        ("at > 'soon'", 1, "type", "milliseconds since 1970"),
        ("person == 'Anna'", 1, "type", "a record of \"Person\" or its identifier"),
        ("person == tags", 11, "multiplicity", "leads to many"),
        ("person == approver.spendings", 11, "multiplicity", "Write ANY, ALL or NONE"),
        ("person == SELF", 1, "type", "A record of \"Person\" cannot be compared with a record of \"Spending\""),
        ("tags.name == 'x'", 1, "multiplicity", "\"tags\" of \"Spending\" leads to many"),
        ("1 == 1 AND ANY person.name == 'x'", 12, "multiplicity", "Leave ANY out"),
        ("person.@count > 1", 1, "multiplicity", "does not end in one"),
        ("tags.@sum.name > 1", 1, "type", "@sum takes numbers, and name is a string"),
        ("tags.@sum.spendings.amount > 1", 1, "multiplicity", "leads to many itself"),
        ("note + 1 == 2", 1, "type", "\"+\" takes numbers, got a string in note"),
        ("amount + nil == 2", 1, "type", "\"+\" takes numbers"),
        ("amount CONTAINS 'x'", 1, "type", "CONTAINS compares texts, got an integer"),
        ("note CONTAINS 5", 1, "type", "CONTAINS compares texts, got an integer"),
        ("amount ==[c] 5", 1, "type", "[c] and [d] are for texts"),
        ("amount IN 5", 1, "type", "IN takes a list"),
        ("note IN 'abc'", 1, "type", "IN takes a list"),
        ("5 IN note", 1, "type", "CONTAINS compares texts, got an integer"),
        ("uppercase:(amount) == 'X'", 1, "type", "uppercase: takes a text, got an integer in amount"),
        ("amount.length > 1", 1, "unknownProperty", "is no relationship"),
        ("note.length.x > 1", 1, "unknownProperty", "is no relationship"),
        ("person[FIRST].name == 'x'", 1, "multiplicity", "Leave [FIRST] out"),
        ("person.passport[LAST] == nil", 1, "multiplicity", "Leave [LAST] out"),
        ("note[FIRST] == 'x'", 1, "multiplicity", "Leave [FIRST] out"),
        ("tags[FIRST].@count > 1", 1, "multiplicity", "does not end in one"),
        ("amount BETWEEN {1, 2, 3}", 1, "type", "BETWEEN takes a list of two"),
        ("amount == {1, 2}", 1, "type", "Write IN or BETWEEN"),
        ("amount > $limit", 10, "unboundVariable", "$limit has no value"),
        ("note MATCHES '('", 1, "pattern", "cannot be read"),
        ("SUBQUERY(tags, $t, $t.nme == 'x').@count > 0", 20, "unknownProperty", "\"Tag\" has no property \"nme\""),
    ])
    func isRefused(_ text: String, _ column: Int, _ code: String, _ message: String) throws {
        let predicate = try FetchPredicate(format: text)
        let error = #expect(throws: FetchPredicateError.self) { try predicate.bound(to: schema, entity: "Spending") }
        #expect(error?.column == column, "\(error?.description ?? "")")
        #expect(error?.code.description == code)
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.text == text)
    }

    @Test func aPredicateThatWasNotWrittenIsShownInItsCanonicalForm() throws {
        let predicate = FetchPredicate(
            .conjunction([
                .comparison(.init(.path(.init(["amount"])), .equal, .constant(.integer(1)))),
                .comparison(.init(.path(.init(["nte"])), .equal, .constant(.string("x")))),
            ]))
        let error = #expect(throws: FetchPredicateError.self) { try predicate.bound(to: schema, entity: "Spending") }
        #expect(error?.text == "amount == 1 AND nte == \"x\"")
        #expect(error?.column == 17)
    }

    @Test func theCaretStandsBelowAlsoAfterWideCharacters() throws {
        let predicate = try FetchPredicate(format: "note == '日本e\u{301}😀' AND nte == 1")
        let error = #expect(throws: FetchPredicateError.self) { try predicate.bound(to: schema, entity: "Spending") }
        #expect(error?.column == 20)
        #expect(error?.description.hasSuffix("\n    \(String(repeating: " ", count: 22))^") == true)
    }

    @Test func anUnknownEntityIsRefused() throws {
        let error = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate.all.bound(to: schema, entity: "Spendings")
        }
        #expect(
            error?.description
                == "There is no entity \"Spendings\" in the schema. It has \"Person\", \"Spending\", \"Tag\", \"Passport\"."
        )
    }
}
