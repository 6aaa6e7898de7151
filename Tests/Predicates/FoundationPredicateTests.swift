import Foundation
import Predicates
import RoostModel
import Testing

/// A model class of an application.
private final class Spender {
    var name = ""
    var nickname: String?
    var age = 0
    var weight = 0.0
    var active = true
    var boss: Spender?
    var friends: [Spender] = []
    var seen = Date()

    static var names: [AnyKeyPath: String] {
        [
            \Spender.name: "name", \Spender.nickname: "nickname", \Spender.age: "age", \Spender.weight: "weight",
            \Spender.active: "active", \Spender.boss: "boss", \Spender.friends: "friends", \Spender.seen: "seen",
        ]
    }
}

/// Foundation's predicates are translated.
@Suite struct FoundationPredicateTests {
    private let schema: Schema

    init() throws {
        schema = try Schema(json: PredicateWorld.schemaText)
    }

    private func expect(_ predicate: Predicate<Spender>, _ text: String) throws {
        let read = try FetchPredicate(predicate, names: Spender.names)
        #expect("\(read)" == text)
        #expect(throws: Never.self) { try read.bound(to: schema, entity: "Person") }
        #expect(try FetchPredicate(format: text) == read)
    }

    @Test func comparisonsAndLogic() throws {
        try expect(
            #Predicate { $0.name == "x" && $0.age >= 3 || !($0.weight < 1.5) },
            "(name == \"x\" AND age >= 3) OR NOT weight < 1.5")
        try expect(#Predicate { $0.active && !$0.active }, "active == true AND NOT active == true")
        try expect(#Predicate { $0.nickname == nil && $0.nickname != "x" }, "nickname == nil AND nickname != \"x\"")
        let limit = Date(timeIntervalSince1970: 0)
        try expect(#Predicate { $0.seen > limit }, "seen > CAST(\"1970-01-01T00:00:00.000Z\", \"timestamp\")")
    }

    @Test func optionals() throws {
        try expect(#Predicate { $0.boss?.boss?.name == "x" }, "boss.boss.name == \"x\"")
        try expect(#Predicate { $0.boss!.age > 5 }, "boss.age > 5")
        try expect(
            #Predicate { $0.nickname?.contains("a") == true }, "NOT nickname == nil AND nickname CONTAINS \"a\"")
        try expect(
            #Predicate { $0.boss?.active ?? false },
            "NOT boss.active == nil AND boss.active == true")
        try expect(
            #Predicate { ($0.nickname ?? "none") == "none" },
            "(NOT nickname == nil AND nickname == \"none\") OR nickname == nil")
        try expect(
            #Predicate { if let nickname = $0.nickname { nickname.contains("a") } else { $0.active } },
            "(NOT nickname == nil AND nickname CONTAINS \"a\") OR (nickname == nil AND active == true)")
    }

    @Test func texts() throws {
        try expect(
            #Predicate { $0.name.contains("a") && $0.name.starts(with: "b") },
            "name CONTAINS \"a\" AND name BEGINSWITH \"b\"")
        try expect(#Predicate { $0.name.isEmpty }, "name == \"\"")
        try expect(#Predicate { $0.name.count > 3 }, "length:(name) > 3")
    }

    @Test func numbersListsAndRanges() throws {
        let wanted = [1, 2]
        let ages = 1..<10
        try expect(#Predicate { wanted.contains($0.age) }, "age IN {1, 2}")
        try expect(#Predicate { ages.contains($0.age) }, "age BETWEEN {1, 9}")
        try expect(#Predicate { (1...3).contains($0.age) }, "1 <= age AND age <= 3")
        try expect(#Predicate { (1..<3).contains($0.age) }, "1 <= age AND age < 3")
        try expect(#Predicate { $0.age * 2 - 1 > -$0.age }, "age * 2 - 1 > 0 - age")
        try expect(#Predicate { $0.age / 2 == 1 && $0.weight / 2.0 > 1 }, "age / 2 == 1 AND weight / 2.0 > 1.0")
    }

    @Test func relationships() throws {
        try expect(
            #Predicate { $0.friends.count == 2 && !$0.friends.isEmpty },
            "friends.@count == 2 AND NOT friends.@count == 0")
        try expect(
            #Predicate { $0.friends.contains { $0.age > 3 } }, "SUBQUERY(friends, $each1, $each1.age > 3).@count > 0")
        try expect(
            #Predicate { $0.friends.allSatisfy { $0.active } },
            "SUBQUERY(friends, $each1, NOT $each1.active == true).@count == 0")
        try expect(
            #Predicate { one in one.friends.filter { $0.age < one.age }.count > 1 },
            "SUBQUERY(friends, $each1, $each1.age < age).@count > 1")
        try expect(
            #Predicate { $0.friends.filter { $0.active }.filter { $0.friends.count > 1 }.isEmpty },
            "SUBQUERY(friends, $each1, $each1.active == true AND $each1.friends.@count > 1).@count == 0")
    }

    @Test func whatHasNoMeaningIsRefused() {
        let rest = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(#Predicate<Spender> { $0.age % 2 == 1 }, names: Spender.names)
        }
        #expect(rest?.code == .unsupported)
        #expect(rest?.message.contains("IntRemainder") == true)
        let nameless = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(#Predicate<Spender> { $0.age == 1 }, names: [:])
        }
        #expect(nameless?.code == .unknownProperty)
    }
}
