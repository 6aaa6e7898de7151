import Foundation
import Predicates
import RoostModel
import Testing

/// The form of the SQL, and its acceptance by SQLite at any size.
@Suite struct PredicateSQLTests {
    private let world: PredicateWorld

    init() throws {
        world = try PredicateWorld()
        try world.store()
    }

    private func statement(_ predicate: FetchPredicate, _ entity: String = "Spending") throws -> SQLFragment {
        try predicate.bound(to: world.schema, entity: entity).selectIdentifiers()
    }

    @Test func valuesAreArgumentsOnly() throws {
        let predicate = try FetchPredicate(
            format:
                "note == 'needle' AND amount IN {4711, 4712} AND person.name CONTAINS[c] 'Needle' AND rate > 47.11 AND note LIKE 'needle*'"
        )
        let statement = try statement(predicate)
        #expect(!statement.text.lowercased().contains("needle") && !statement.text.contains("47"))
        #expect(
            statement.arguments.contains(.value(.string("needle")))
                && statement.arguments.contains(.value(.integer(4711))))
    }

    @Test func aPathIsJoinedOnce() throws {
        let predicate = try FetchPredicate(
            format: "person.name == 'a' OR person.boss.name == 'b' OR person.boss.age == 1 OR person == nil")
        #expect(try statement(predicate).text.components(separatedBy: "JOIN").count - 1 == 2)
    }

    @Test func joinsAreSharedWithSortOrders() throws {
        var joins = try PathJoins(schema: world.schema, entity: "Spending")
        let name = try joins.expression(forPath: "person.name")
        let bound = try FetchPredicate(format: "person.age > 5").bound(to: world.schema, entity: "Spending")
        let condition = try bound.sql(joins: &joins)
        #expect(joins.fromClause == "\"spending\" AS t0 LEFT JOIN \"person\" AS t0_1 ON t0_1.id = t0.\"person\"")
        #expect(name.sql == "t0_1.\"name\"" && name.kind == .value(.string) && name.isOptional)
        #expect(condition.text == "(t0_1.\"age\" > ?)")
    }

    @Test func aReferenceThatMayDangleIsLookedUp() throws {
        var joins = try PathJoins(schema: world.schema, entity: "Spending")
        #expect(try joins.expression(forPath: "person").sql == "t0.\"person\"")
        #expect(try joins.expression(forPath: "approver").sql == "t0_1.id")
        #expect(try joins.expression(forPath: "id").sql == "t0.id")
    }

    @Test(arguments: [("tags.name", 1), ("person.nme", 1), ("person.@count", 1), ("", 1), ("a b", 3)])
    func pathsThatAreNoneAreRefused(_ path: String, _ column: Int) throws {
        var joins = try PathJoins(schema: world.schema, entity: "Spending")
        let error = #expect(throws: FetchPredicateError.self) { try joins.expression(forPath: path) }
        #expect(error?.column == column)
    }

    @Test(arguments: [
        "note == 'a'", "note BEGINSWITH 'a'", "note IN {'a', 'b'}", "note == nil", "note >= 'a' AND note < 'b'",
    ])
    func anIndexServes(_ text: String) throws {
        try world.execute("CREATE INDEX note ON spending(note)")
        let plan = try world.plan(try statement(try FetchPredicate(format: text)))
        #expect(
            plan.contains { $0.contains("USING COVERING INDEX note") || $0.contains("USING INDEX note") }, "\(plan)")
    }

    @Test func collectionsUseTheIndexesOfTheirReferences() throws {
        let predicate = try FetchPredicate(format: "ANY spendings.amount > 1 AND ANY friends.name == 'x'")
        let plan = try world.plan(try statement(predicate, "Person"))
        #expect(!plan.contains { $0.contains("SCAN e") }, "\(plan)")
    }

    // MARK: Limits of SQLite

    @Test func manyMembersAreTaken() throws {
        let many = (0..<20_000).map { "amount == \($0)" }
        for separator in [" OR ", " AND "] {
            let parts = many.prefix(5000).joined(separator: separator)
            #expect(try world.identifiers(try statement(try FetchPredicate(format: parts))).isEmpty)
        }
    }

    @Test func longListsAreOneArgument() throws {
        let ids = (0..<100_000).map { RecordID(high: 5, low: UInt64($0)) }
        let lists: [any PredicateArgument] = [
            (0..<100_000).map { Int64($0) }, (0..<5000).map { Double($0) + 0.1 }, ids,
            ["", "a\u{0}b"] + (0..<5000).map { "é\($0)" },
        ]
        for (path, list) in zip(["amount", "rate", "SELF", "note"], lists) {
            let predicate = try FetchPredicate(format: "\(path) IN %@", list)
            let statement = try statement(predicate)
            #expect(statement.arguments.count == 1)
            #expect(try world.identifiers(statement).isEmpty)
        }
    }

    @Test func membersOfLongListsKeepTheirValues() throws {
        let world = try PredicateWorld()
        let texts = ["", "a\u{0}b", "é"]
        let found = texts.map {
            world.add("Spending", ["amount": .integer(.max), "rate": .double(0.1), "note": .string($0)])
        }
        let other = world.add("Spending", ["amount": .integer(5), "rate": .double(0.1.nextUp), "note": .string("a")])
        try world.store()
        let numbers = [Int64.max] + (1000..<2000).map { Int64($0) }
        let rates = [0.1] + (1000..<2000).map { Double($0) }
        let notes = texts + (1000..<2000).map { "\($0)" }
        let predicate = try FetchPredicate(
            format: "amount IN %@ AND rate IN %@ AND note IN %@ AND NOT SELF IN %@", numbers, rates, notes,
            [other] + (1000..<2000).map { RecordID(high: 9, low: $0) })
        let selection = try world.select(predicate, "Spending")
        #expect(selection.sql == Set(found) && selection.direct == Set(found))
    }

    /// The parser of SQLite has a stack of 100 entries, which every accepted form of nesting must fit.
    @Test(arguments: [
        ("(", "person.name CONTAINS[cd] 'x'", " AND amount == 1 OR amount == 2)", ""),
        ("(amount == 1 AND amount == 3 OR ", "amount == 3", ")", ""),
        ("NOT (amount == 1 OR ", "note LIKE 'x'", ")", ""),
        ("NOT (NOT ", "person.name ENDSWITH[cd] person.nickname", " AND amount == 2)", ""),
        ("SUBQUERY(tags, $a, ", "amount == 1", " OR ANY $a.spendings.note ==[c] note).@count != 7", ""),
        ("NOT (SUBQUERY(tags, $a, ", "amount == 1", ").@count BETWEEN {amount, 5} AND amount > 7)", ""),
        ("SUBQUERY(tags, $a, ", "ANY $a.spendings.person.passport.number == 'x'", ").@count != 7", ""),
        ("SUBQUERY(tags, $a, ", "ANY $a.spendings.person.passport.uses.amount == 1", ").@count != 7", ""),
        ("SUBQUERY(tags, $a, ", "$a.spendings[FIRST].person.spendings[LAST].amount == 1", ").@count != 7", ""),
        ("uppercase:(", "person.name", ")", " BEGINSWITH[cd] note"),
        ("amount - (", "tags.@sum.weight", ")", " == 5"), ("(", "amount", ") * 2 - amount", " > rate"),
    ])
    func theDeepestNestingIsTaken(_ before: String, _ core: String, _ after: String, _ end: String) throws {
        var text = core
        var deepest: SQLFragment?
        var levels = 0
        while true {
            text = before + text + after
            guard let predicate = try? FetchPredicate(format: text + end) else { break }
            do {
                deepest = try statement(predicate)
                levels += 1
            } catch let error as FetchPredicateError {
                #expect(error.code == .tooComplex)
                break
            }
        }
        #expect(levels >= 3)
        let inner = try #require(deepest)
        #expect(try world.identifiers("SELECT id FROM spending WHERE amount > 0 AND id IN (\(inner))").isEmpty)
    }

    /// A part that is written once and used several times must not multiply at every level.
    @Test(arguments: [
        (" IN {" + Array(repeating: "amount", count: 2000).joined(separator: ",") + "}", 1),
        (" IN {amount, amount, amount, amount, amount, amount, nil}", 20), (" BETWEEN {amount, amount}", 20),
    ])
    func nestedCalculationsStaySmall(_ comparison: String, _ levels: Int) throws {
        var text = "amount == 1"
        for _ in 0..<levels { text = "SUBQUERY(tags, $t, \(text)).@count\(comparison)" }
        let error = #expect(throws: FetchPredicateError.self) {
            try statement(try FetchPredicate(format: "SUBQUERY(tags, $t, \(text)).@count\(comparison)"))
        }
        #expect(error?.code == .tooComplex)
    }

    @Test func aStatementThatIsTooLongIsRefused() throws {
        let text = Array(repeating: "person.name LIKE[c] note", count: 3500).joined(separator: " OR ")
        let repeated = try FetchPredicate(format: text)
        let predicate = (0..<4).reduce(FetchPredicate.none) { all, _ in all || repeated }
        let error = #expect(throws: FetchPredicateError.self) { try statement(predicate) }
        #expect(error?.code == .tooComplex)
    }

    @Test func tooManyJoinsAreRefused() throws {
        let path = Array(repeating: "boss", count: 60).joined(separator: ".")
        let bound = try FetchPredicate(format: "\(path).age == 1").bound(to: world.schema, entity: "Person")
        let error = #expect(throws: FetchPredicateError.self) { try bound.selectIdentifiers() }
        #expect(error?.code == .tooComplex)
        let fitting = Array(repeating: "boss", count: 50).joined(separator: ".")
        #expect(
            try world.identifiers(try statement(try FetchPredicate(format: "\(fitting).age == 1"), "Person")).isEmpty)
    }
}
