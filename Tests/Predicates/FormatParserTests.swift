import Predicates
import RoostModel
import Testing

/// The meaning of the format language, by its canonical text, and the locations of its errors.
@Suite struct FormatParserTests {
    @Test(arguments: [
        ("amount = 5", "amount == 5"),
        ("amount==5 && rate<>0.5", "amount == 5 AND rate != 0.5"),
        ("a => 1 OR a =< 2 || a >= 3 or a <= 4", "a >= 1 OR a <= 2 OR a >= 3 OR a <= 4"),
        ("a < 1 and (b > 2 or c != 3)", "a < 1 AND (b > 2 OR c != 3)"),
        ("a < 1 and (b > 2 and c != 3)", "a < 1 AND b > 2 AND c != 3"),
        ("NOT a == 1 AND !(b == 2)", "NOT a == 1 AND NOT b == 2"),
        ("not (a == 1 or b == 2)", "NOT (a == 1 OR b == 2)"),
        ("amount BETWEEN {1, 100_00}", "amount BETWEEN {1, 10000}"),
        ("name IN {'a', \"b\", nil}", "name IN {\"a\", \"b\", nil}"),
        ("name not in {}", "NOT name IN {}"),
        ("name NOT LIKE[c] 'x*'", "NOT name LIKE[c] \"x*\""),
        ("name beginswith[cd] \"Jean\"", "name BEGINSWITH[cd] \"Jean\""),
        ("name ENDSWITH[d] 'x' AND name CONTAINS 'y'", "name ENDSWITH[d] \"x\" AND name CONTAINS \"y\""),
        ("name CONTAINS[wcd] 'a'", "name CONTAINS[cdw] \"a\""), ("name LIKE[dc] 'a*b?'", "name LIKE[cd] \"a*b?\""),
        ("name MATCHES 'a.+\\\\d'", "name MATCHES \"a.+\\\\d\""),
        ("ANY spendings.amount > 10", "ANY spendings.amount > 10"),
        ("some spendings.amount > 10", "ANY spendings.amount > 10"),
        ("ALL spendings.amount > 10 OR NONE tags.name == 'x'", "ALL spendings.amount > 10 OR NONE tags.name == \"x\""),
        ("spendings.@count > 2", "spendings.@count > 2"),
        (
            "person.spendings.@sum.amount / 2 >= spendings.@avg.category.limit",
            "person.spendings.@sum.amount / 2 >= spendings.@avg.category.limit"
        ),
        (
            "SUBQUERY(spendings, $s, $s.amount > 5 && $s.person == SELF).@count == 0",
            "SUBQUERY(spendings, $s, $s.amount > 5 AND $s.person == SELF).@count == 0"
        ),
        ("TRUEPREDICATE or falsepredicate", "TRUEPREDICATE OR FALSEPREDICATE"),
        ("person = nil AND a = NULL AND b = NIL", "person == nil AND a == nil AND b == nil"),
        ("paid == YES AND x == no AND y == TRUE", "paid == true AND x == false AND y == true"),
        ("note == 'it\\'s \\\"so\\\"\\n\\u00e9\\U0001F600'", "note == \"it's \\\"so\\\"\\né😀\""),
        ("note == '\\uD83D\\uDE00'", "note == \"😀\""),
        (
            "a == -5 AND b == -9223372036854775808 AND c == 9223372036854775807",
            "a == -5 AND b == -9223372036854775808 AND c == 9223372036854775807"
        ),
        ("a == 0x1F AND b == 1.5e3 AND c == 2e-3", "a == 31 AND b == 1500.0 AND c == 0.002"),
        ("a + b * 2 - (c - d) > -e", "a + b * 2 - (c - d) > 0 - e"),
        ("(a + b) * 2 > 1", "(a + b) * 2 > 1"),
        ("((a)) > ((1))", "a > 1"),
        ("day > CAST(\"2026-07-14\", \"NSDate\")", "day > \"2026-07-14\""),
        (
            "at > CAST('2026-07-14T09:30:00.000Z', 'timestamp')",
            "at > CAST(\"2026-07-14T09:30:00.000Z\", \"timestamp\")"
        ),
        ("at > CAST(0.0, 'NSDate')", "at > CAST(\"2001-01-01T00:00:00.000Z\", \"timestamp\")"),
        (
            "token == CAST('00000000-0000-0000-0000-00000000000F', 'UUID')",
            "token == CAST(\"00000000-0000-0000-0000-00000000000f\", \"UUID\")"
        ),
        ("#in == 1 AND person.#all.select == 2", "#in == 1 AND person.#all.select == 2"),
        ("amount > $limit", "amount > $limit"),
        ("SELF IN {1} AND self.name == 'x'", "SELF IN {1} AND name == \"x\""),
        ("5 < amount", "5 < amount"),
        ("'x' IN[c] note", "\"x\" IN[c] note"),
        ("note.length > 3 AND length:(note) > 3", "note.length > 3 AND length:(note) > 3"),
        ("uppercase:(note) == LOWERCASE:('X')", "uppercase:(note) == lowercase:(\"X\")"),
        ("lines[first].price > lines[LAST].price", "lines[FIRST].price > lines[LAST].price"),
        ("lines[SIZE] > 3 AND a.lines[size] == 0", "lines.@count > 3 AND a.lines.@count == 0"),
        ("ANY a.lines[FIRST].#in.name == 'x'", "ANY a.lines[FIRST].#in.name == \"x\""),
        (
            "$x.lines[FIRST] == nil OR lines[FIRST].tags.@count > 1",
            "$x.lines[FIRST] == nil OR lines[FIRST].tags.@count > 1"
        ),
        ("amount IN {1, limit}", "amount IN {1, limit}"),
        ("\tprénom\n==\r\n'x' ", "prénom == \"x\""),
    ])
    func reads(_ text: String, _ canonical: String) throws {
        let predicate = try FetchPredicate(format: text)
        #expect("\(predicate)" == canonical)
        #expect(try FetchPredicate(format: canonical) == predicate)
    }

    @Test(arguments: [
        ("", 1, "expected a key path"),
        ("amount", 7, "There is no comparison after amount"),
        ("(amount) AND b == 1", 10, "expected a comparison"),
        ("amount ==", 10, "Got the end"),
        ("amount == 5 5", 13, "Got \"5\", expected AND, OR or the end"),
        ("amount == 5)", 12, "Got \")\""),
        ("(amount == 5", 13, "expected \")\" to close the parenthesis"),
        ("name == 'abc", 9, "has no end"),
        ("name == “abc”", 9, "Put texts between"),
        ("name == 'a\\qb'", 11, "Write \\\\ for a backslash"),
        ("a == 12abc", 8, "A number ends before \"abc\""),
        ("a == 99999999999999999999", 6, "64 bits"),
        ("a == 9223372036854775808", 6, "64 bits"),
        ("a == -9223372036854775809", 7, "64 bits"),
        ("a == 1e999", 6, "larger than a double"),
        ("in == 5", 1, "written #in"),
        ("a == 1 AND AND b == 2", 12, "Got \"AND\""),
        ("a LIKE[x] 'b'", 8, "c (ignoring case)"),
        ("a LIKE[c 'b'", 10, "expected \"]\""),
        ("a.@count.b == 1", 9, "Got \".\""),
        ("spendings.@sum == 1", 11, "spendings.@sum.amount"),
        ("spendings.@median.amount == 1", 11, "@count, @sum, @avg, @min and @max"),
        ("@count == 1", 1, "expected a key path"),
        ("a == {1, 2", 11, "to close the list"),
        ("a == %", 6, "%@ for a value"),
        ("a == %@", 6, "has no argument"),
        ("CAST(a, 'NSDate') == b", 6, "CAST takes a value"),
        ("a == CAST('x', 'NSDate')", 6, "not a day"),
        ("a == CAST('x', 'colour')", 16, "There is no type"),
        ("SUBQUERY(a, $x, $x.b) .@count == 1", 17, "must be a predicate"),
        ("SUBQUERY(a, $x, $x.b == 1) == 1", 28, ".@count after SUBQUERY"),
        ("SUBQUERY(a, x, x.b == 1).@count == 1", 13, "a variable such as $x"),
        ("(a == 1) + 2 == 3", 1, "Got a whole predicate"),
        ("a == (b == 1)", 6, "Got a whole predicate"),
        ("ANY a", 6, "expected a comparison"),
        ("a == b == c", 8, "Got \"==\""),
        ("élan == 'é' ! 5", 13, "Got \"!\""),
        ("a == 1 ; DROP TABLE person", 8, "\";\" has no meaning"),
        ("$ == 1", 1, "A name must follow"),
        ("name CONTAINZ 'x'", 6, "Did you mean CONTAINS?"),
        ("name Startswith 'x'", 6, "Did you mean BEGINSWITH?"),
        ("name IS nil", 6, "Did you mean ==?"),
        ("name NOT LIK 'x'", 10, "Did you mean LIKE?"),
        ("a == 1 ANDD b == 2", 8, "Did you mean AND?"),
        ("(a == 1 ORR b == 2)", 9, "Did you mean OR?"),
        ("NOTT a == 1", 1, "Did you mean NOT?"),
        ("ANNY tags.name == 'x'", 1, "Did you mean ANY?"),
        ("SUBQERY(a, $x, $x.b == 1).@count == 1", 1, "Did you mean SUBQUERY?"),
        ("uppercase(name) == 'X'", 1, "Did you mean uppercase:?"),
        ("amount colour 5", 8, "expected a comparison such as == or BEGINSWITH."),
        ("uppercas:(name) == 'X'", 1, "There are uppercase:, lowercase:, length:"),
        ("uppercase:name == 'X'", 11, "expected \"(\" after uppercase:"),
        ("lines[0].price > 3", 7, "expected FIRST, LAST or SIZE"),
        ("lines[FIRST][LAST] == 1", 14, "[LAST] needs a to-many relationship"),
        ("SELF[SIZE] > 1", 6, "[SIZE] needs a to-many relationship"),
    ])
    func pointsAtTheColumn(_ text: String, _ column: Int, _ message: String) {
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: text) }
        #expect(error?.column == column, "\(error?.description ?? "")")
        #expect(error?.message.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test func descriptionHasACaretBelowTheMistake() {
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: "amount >> 5") }
        #expect(
            error?.description == "Got \">\", expected a key path, a value or \"(\".\n    amount >> 5\n            ^")
    }

    @Test func descriptionOfALongTextShowsThePartAroundTheMistake() {
        let text = String(repeating: "a == 1 AND ", count: 50) + "?" + String(repeating: " OR b == 2", count: 50)
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: text) }
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == 3 && lines[1].count <= 106)
        let caret = lines.last.map { $0.distance(from: $0.startIndex, to: $0.firstIndex(of: "^") ?? $0.startIndex) }
        #expect(lines.count == 3 && Array(lines[1])[caret ?? 0] == "?")
    }

    // MARK: Hostile texts

    @Test(arguments: [
        String(repeating: "(", count: 10_000) + "a == 1" + String(repeating: ")", count: 10_000),
        String(repeating: "NOT ", count: 10_000) + "a == 1",
        String(repeating: "!", count: 10_000) + "a == 1",
        "a == " + String(repeating: "-", count: 10_000) + "b",
        "a == " + String(repeating: "b + ", count: 10_000) + "c",
        "a == " + String(repeating: "b * ", count: 10_000) + "c",
        "a IN " + String(repeating: "{", count: 10_000),
        String(repeating: "SUBQUERY(a, $x, ", count: 5000) + "b == 1",
        String(repeating: "a == 1 AND ", count: 10_000) + "b == 1",
    ])
    func refusesWhatIsTooLargeOrTooDeep(_ text: String) {
        let error = #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: text) }
        #expect(error?.code == .tooComplex)
    }

    @Test func deepTreesMadeInCodeAreRefusedWhenTheyAreUsed() throws {
        var predicate = try FetchPredicate(format: "amount == 1")
        for number in 0..<300 {
            let other = try FetchPredicate(format: "amount == %@", number)
            predicate = number.isMultiple(of: 2) ? predicate && other : predicate || other
        }
        let schema = try Schema(json: PredicateWorld.schemaText)
        let error = #expect(throws: FetchPredicateError.self) { try predicate.bound(to: schema, entity: "Spending") }
        #expect(error?.code == .tooComplex)
    }

    @Test func randomBytesNeverCrash() {
        var random = SplitMix64(state: 9)
        let parts = [
            "(", ")", "{", "}", "a", ".", "@count", "$x", " AND ", " IN ", "==", "'", "\"", "\\", "%@", "5", "-", ",",
        ]
        for _ in 0..<2000 {
            let text = (0..<20).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            if let read = try? FetchPredicate(format: text, 1, 2, 3) {
                #expect((try? FetchPredicate(format: "\(read)")) == read, "\(text)")
            }
        }
    }
}
