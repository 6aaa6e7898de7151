import Foundation
import Predicates
import RoostModel
import Testing

/// Arguments replace `%@`, `%K` and other placeholders.
@Suite struct FormatArgumentTests {
    @Test func valuesAreKeptAsTheyAre() throws {
        let id = RecordID(high: 1, low: 2)
        let predicate = try FetchPredicate(
            format: "%K == %@ AND b IN %@ AND c == %@ AND d == %@ AND e BETWEEN %@ AND f == %@ AND g == %@",
            "person.name",
            "it's", [1, 2], id, Date(timeIntervalSince1970: 1.5), 1..<10, Data([1, 2]), Int64?.none)
        #expect(
            "\(predicate)" == """
                person.name == "it's" AND b IN {1, 2} AND c == CAST("00000000-0000-0001-0000-000000000002", "UUID") AND \
                d == CAST("1970-01-01T00:00:01.500Z", "timestamp") AND e BETWEEN {1, 9} AND f == CAST("AQI=", "NSData") AND \
                g == nil
                """)
    }

    @Test func numbersMayBeWrittenAsInC() throws {
        let predicate = try FetchPredicate(format: "a == %d AND b == %ld AND c == %f AND d == %lf", 1, 2, 1.5, 3)
        #expect("\(predicate)" == "a == 1 AND b == 2 AND c == 1.5 AND d == 3.0")
    }

    @Test func numbersMayComeAsTheirTexts() throws {
        let predicate = try FetchPredicate(format: "a == %d AND b == %f AND c == %@", "-1", "1.5", "1")
        #expect("\(predicate)" == "a == -1 AND b == 1.5 AND c == \"1\"")
    }

    @Test func pathsMayGoOnAndHaveFunctions() throws {
        let predicate = try FetchPredicate(format: "%K.name == 'x' AND %K > 1", "person.#in", "spendings.@count")
        #expect("\(predicate)" == "person.#in.name == \"x\" AND spendings.@count > 1")
    }

    @Test func aTextCannotChangeTheStructure() throws {
        let evil = "x\" OR TRUEPREDICATE OR name == \"\\"
        let predicate = try FetchPredicate(format: "name == %@", evil)
        #expect(
            predicate == FetchPredicate(.comparison(.init(.path(.init(["name"])), .equal, .constant(.string(evil))))))
        #expect(try FetchPredicate(format: "\(predicate)") == predicate)
        #expect(throws: FetchPredicateError.self) { try FetchPredicate(format: "%K == 1", "a == 1 OR b") }
    }

    @Test(arguments: [
        ("a == %d", [PredicateValue.string("x")], 6), ("%K == 1", [.integer(5)], 1),
        ("a == %@ AND b == %@", [.null], 18),
        ("a == %@", [.null, .null], 8), ("a == %f", [.boolean(true)], 6),
        ("a == %d", [.string("1.5")], 6), ("a == %f", [.string("")], 6), ("a == %f", [.string("nan")], 6),
    ])
    func wrongArgumentsAreRefused(_ format: String, _ arguments: [PredicateValue], _ column: Int) {
        let error = #expect(throws: FetchPredicateError.self) {
            try FetchPredicate(format: format, arguments: arguments)
        }
        #expect(error?.code == .argument)
        #expect(error?.column == column)
    }

    @Test func variablesAreReplacedLater() throws {
        let predicate = try FetchPredicate(format: "a > $low AND SUBQUERY(b, $low, $low.c == $high).@count > $low")
        #expect(
            "\(predicate.substituting(["low": 5, "high": "x"]))"
                == "a > 5 AND SUBQUERY(b, $low, $low.c == \"x\").@count > 5")
    }

    @Test func emptyRangesContainNothing() {
        #expect((Int64.min..<Int64.min).predicateValue == .list([.integer(1), .integer(0)]))
        #expect((2.0..<2.0).predicateValue == .list([.double(2), .double(2.0.nextDown)]))
        #expect(UInt64.max.predicateValue == .double(18_446_744_073_709_551_616))
        #expect(Double.nan.predicateValue == .null)
        #expect(Date(timeIntervalSince1970: .infinity).predicateValue == .timestamp(.max))
    }

    @Test func anEnumerationIsItsRawValue() throws {
        enum Kind: String, PredicateArgument { case refund }
        #expect("\(try FetchPredicate(format: "kind == %@", Kind.refund))" == "kind == \"refund\"")
    }

    @Test func predicatesAreJoinedFlat() throws {
        let one = try FetchPredicate(format: "a == 1")
        let two = try FetchPredicate(format: "b == 2")
        #expect("\(one && two && one)" == "a == 1 AND b == 2 AND a == 1")
        #expect("\(!(one || two) && !(!one))" == "NOT (a == 1 OR b == 2) AND a == 1")
        #expect(!FetchPredicate.all == FetchPredicate.none)
    }
}
