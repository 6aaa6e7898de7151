import Foundation
import Predicates
import RoostModel
import Testing

/// The selection of predicates from a few records, equal in SQL and in memory.
@Suite struct PredicateSemanticsTests {
    private let world: PredicateWorld
    private var names: [RecordID: String] = [:]

    init() throws {
        world = try PredicateWorld()
        let anna = world.add(
            "Person",
            [
                "name": .string("Anna"), "age": .integer(.max), "weight": .double(9_007_199_254_740_992),
                "born": .string("2000-05-01"), "seen": .integer(1000), "image": .data([]),
            ])
        let emile = world.add(
            "Person",
            [
                "name": .string("Émile"), "nickname": .string("crème_1%"), "age": .integer(9_007_199_254_740_993),
                "weight": .double(0.5), "boss": .data(anna.bytes),
                "token": .data(Array(repeating: 1, count: 16)),
            ])
        let nul = world.add("Person", ["name": .string("a\u{0}b"), "nickname": .string(""), "age": .integer(0)])
        let cut = world.add("Person", ["name": .string("a"), "nickname": .string("CREME"), "active": .boolean(false)])
        names = [anna: "Anna", emile: "Emile", nul: "Nul", cut: "Cut"]
        let gone = world.add("Person", ["name": .string("Gone")])
        for (amount, person, approver) in [
            (Int64.max, anna, gone), (Int64.max, anna, gone), (10, emile, anna), (-10, emile, emile),
        ] {
            world.add(
                "Spending",
                ["amount": .integer(amount), "person": .data(person.bytes), "approver": .data(approver.bytes)])
        }
        world.link("Person", "friends", anna, emile)
        world.link("Person", "friends", anna, nul)
        try world.store()
        try world.delete("Person", [gone])
    }

    @Test(arguments: [
        // Nil
        ("nickname == nil", "Anna"), ("nickname != nil", "Cut Emile Nul"), ("nickname != 'x'", "Anna Cut Emile Nul"),
        ("age < 5", "Nul"), ("NOT age < 5", "Anna Cut Emile"), ("age >= nil", ""), ("age BETWEEN {nil, 5}", ""),
        ("NOT age BETWEEN {nil, 5}", "Anna Cut Emile Nul"), ("boss.name == nil", "Anna Cut Nul"),
        ("NOT boss.name BEGINSWITH 'A'", "Anna Cut Nul"), ("nickname CONTAINS nil", ""),
        // Lists
        ("name IN {}", ""), ("NOT name IN {}", "Anna Cut Emile Nul"), ("nickname IN {nil, 'CREME'}", "Anna Cut"),
        ("NOT nickname IN {nil, 'CREME'}", "Emile Nul"), ("NOT nickname IN {'CREME'}", "Anna Emile Nul"),
        ("name IN[cd] {'EMILE', 'ANNA'}", "Anna Emile"), ("{'Anna', 'a'} CONTAINS name", "Anna Cut"),
        ("name IN {nickname, 'a'}", "Cut"), ("image IN {CAST('', 'data')}", "Anna"),
        // Text
        ("name == 'a'", "Cut"), ("name == 'a\\u0000b'", "Nul"), ("name BEGINSWITH 'a\\u0000'", "Nul"),
        ("name ENDSWITH '\\u0000b'", "Nul"), ("name CONTAINS[c] '\\u0000B'", "Nul"), ("name LIKE 'a?b'", "Nul"),
        ("name LIKE '?'", "Cut"), ("name MATCHES 'a.?b'", "Nul"), ("name MATCHES 'a'", "Cut"),
        ("name < 'a\\u0000c'", "Anna Cut Nul"),
        ("nickname CONTAINS '%'", "Emile"), ("nickname LIKE '*_1%'", "Emile"), ("nickname LIKE '%'", ""),
        ("nickname CONTAINS '_'", "Emile"), ("nickname BEGINSWITH[cd] 'creme'", "Cut Emile"),
        ("nickname BEGINSWITH[c] 'CRÈME'", "Emile"), ("nickname BEGINSWITH[d] 'creme'", "Emile"),
        ("name ==[cd] 'emile'", "Emile"), ("name == 'E\\u0301mile'", ""), ("name ==[c] 'E\\u0301mile'", "Emile"),
        ("nickname == ''", "Nul"), ("nickname ==[c] ''", "Nul"), ("nickname BEGINSWITH ''", "Cut Emile Nul"),
        ("name ==[cdw] 'ＥＭＩＬＥ'", "Emile"), ("name ==[cd] 'ＥＭＩＬＥ'", ""), ("nickname CONTAINS[cd] ''", "Cut Emile Nul"),
        ("name LIKE[cd] 'EM*'", "Emile"),
        ("name MATCHES[cd] 'emi.*'", "Emile"), ("born BEGINSWITH '2000-'", "Anna"),
        // Numbers
        ("age == 9223372036854775807", "Anna"), ("age == 9007199254740992.0", ""),
        ("age > 9007199254740992.0", "Anna Emile"),
        ("weight < 9007199254740993", "Anna Emile"), ("weight == 9007199254740993", ""),
        ("weight IN {9007199254740993, 9007199254740992}", "Anna"), ("age IN {0.0, 0.5}", "Nul"),
        ("age + 1 > 9223372036854775807", "Anna"), ("age + 1 == 9223372036854775808.0", "Anna"),
        ("age / 0 == nil", "Anna Cut Emile Nul"), ("7 / 2 == 3", "Anna Cut Emile Nul"), ("age / 2.0 == 0", "Nul"),
        ("NOT age / 0 < 1", "Anna Cut Emile Nul"),
        ("-9223372036854775808 / -1 > 9223372036854775807", "Anna Cut Emile Nul"),
        // Other types
        ("active == 0", "Cut"), ("NOT active == true", "Cut"), ("born > '1999-12-31'", "Anna"),
        ("seen == 1000", "Anna"),
        ("seen == '1970-01-01T00:00:01Z'", "Anna"), ("seen > '1970-01-01'", "Anna"),
        ("token == '01010101-0101-0101-0101-010101010101'", "Emile"), ("image == CAST('', 'data')", "Anna"),
        // Relationships
        ("boss.boss == nil", "Anna Cut Emile Nul"), ("boss != nil", "Emile"),
        ("ANY friends.name == 'a\\u0000b'", "Anna"),
        ("friends.@count == 2", "Anna"), ("ANY friendOf.name == 'Anna'", "Emile Nul"),
        ("ALL friends.age > 0", "Cut Emile Nul"),
        ("NONE friends.age == 0", "Cut Emile Nul"), ("NOT ALL friends.age > 0", "Anna"), ("team.@count > 0", "Anna"),
        ("spendings.@sum.amount == 18446744073709551614.0", "Anna"), ("spendings.@sum.amount == 0", "Cut Emile Nul"),
        ("spendings.@avg.amount == nil", "Cut Nul"), ("spendings.@avg.amount == 0", "Emile"),
        ("spendings.@min.amount == nil", "Cut Nul"),
        ("spendings.@max.amount == 10", "Emile"), ("spendings.@sum.rate / 2 == 0", "Anna Cut Emile Nul"),
        ("ANY spendings.approver == nil", "Anna"), ("ANY spendings.approver.name != nil", "Emile"),
        ("ALL spendings.person == SELF", "Anna Cut Emile Nul"),
        ("ANY spendings.approver.spendings.amount > 10", "Emile"),
        ("SUBQUERY(spendings, $s, $s.amount > 0 AND $s.approver != SELF).@count == 1", "Emile"),
        ("SUBQUERY(spendings, $s, $s.amount > 0).@count == friends.@count", "Anna Cut Nul"),
        ("friends CONTAINS boss", ""), ("boss.friends CONTAINS SELF", "Emile"), ("SELF IN boss.friends", "Emile"),
        ("boss.team.spendings.@count == 2", "Emile"), ("boss.spendings.@count == 0", "Anna Cut Nul"),
    ])
    func selects(_ text: String, _ expected: String) throws {
        let selection = try world.select(try FetchPredicate(format: text), "Person")
        let sql = selection.sql.compactMap { names[$0] }.sorted().joined(separator: " ")
        let direct = selection.direct.compactMap { names[$0] }.sorted().joined(separator: " ")
        #expect(sql == expected)
        #expect(direct == expected)
    }

    @Test func recordsAndDatesAreArguments() throws {
        let anna = try #require(names.first { $0.value == "Anna" }?.key)
        let predicate = try FetchPredicate(
            format: "boss == %@ OR (SELF IN %@ AND seen == %@)", anna, [anna], Date(timeIntervalSince1970: 1))
        #expect(try world.select(predicate, "Person").sql.compactMap { names[$0] }.sorted() == ["Anna", "Emile"])
    }
}
