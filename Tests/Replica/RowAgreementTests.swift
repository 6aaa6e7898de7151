import GRDB
import Replica
import RoostModel
import Testing

/// The tables refuse the values of a local program that are set aside when they come from elsewhere, and no others. Otherwise
/// two replicas with equal changes would show different records.
@Suite struct RowAgreementTests {
    struct Case: Sendable, CustomStringConvertible {
        let property: UInt32
        let column: String
        let value: Value
        let literal: String

        var description: String { "\(column) = \(literal)" }

        static func text(_ property: UInt32, _ column: String, _ text: String) -> Case {
            Case(property: property, column: column, value: .string(text), literal: "'\(text)'")
        }
    }

    static let cases: [Case] =
        ["2026-02-28", "2026-02-30", "2024-02-29", "0000-01-01", "-0001-01-01", "0001-01-01", "9999-12-31", "x", ""]
        .map { .text(3, "day", $0) }
        + ["{}", "[1,2]", "null", "{\"a\":1,\"a\":2}", "\"\\ud800\""].map { .text(4, "split", $0) } + [
            Case(property: 2, column: "amount", value: .integer(.max), literal: "9223372036854775807"),
            Case(property: 2, column: "amount", value: .string("12a"), literal: "'12a'"),
            Case(property: 12, column: "paid", value: .boolean(true), literal: "1"),
            Case(property: 13, column: "token", value: .data([0]), literal: "x'00'"),
        ]

    @Test(arguments: cases)
    func tableAndPullAgree(_ item: Case) throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        var isTaken = true
        do {
            try replica.sql("INSERT INTO spending(content, \(item.column)) VALUES ('local', \(item.literal))")
        } catch is DatabaseError { isTaken = false }
        let content = ContentCoding.encode([
            .init(property: PropertyID(1), value: .string("pulled")),
            .init(property: PropertyID(item.property), value: item.value),
        ])
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let key = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 5))
        _ = try replica.replica.apply(
            [RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()))],
            checkpoint: nil, serverTime: nil)
        #expect(try replica.texts("SELECT content FROM spending WHERE content = 'pulled'").isEmpty == !isTaken)
    }
}
