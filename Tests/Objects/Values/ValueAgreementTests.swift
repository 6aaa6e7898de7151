import Foundation
import GRDB
import Objects
import RoostModel
import TestPlainSQL
import Testing

@testable import Replica

/// `Docs/values.md` as a test: types × unusual values × layers. What one layer takes, the others take.
@Suite struct ValueAgreementTests {
    struct Case: Sendable, CustomStringConvertible {
        let column: String
        let value: Value
        /// How SQL says it.
        let sql: String
        /// How JSON says it; `nil` where it cannot, other than with the put.
        var json: String?
        /// Whether programs may write it.
        let isValid: Bool
        /// Whether SQL stores it, valid or not.
        var isStored = true
        /// Whether a put that holds it is shown.
        var isShown: Bool

        var description: String { "\(column) = \(sql.prefix(60))" }

        var kind: Attribute.Kind {
            switch column {
            case "maybe_text": .string
            case "maybe_whole": .integer
            case "maybe_real": .double
            case "maybe_truth": .boolean
            case "maybe_day": .date
            case "maybe_instant": .timestamp
            case "maybe_code": .uuid
            case "maybe_bytes": .data
            default: .json
            }
        }
    }

    private static func valid(_ column: String, _ value: Value, _ sql: String, _ json: String?) -> Case {
        Case(column: column, value: value, sql: sql, json: json, isValid: true, isShown: true)
    }

    private static func invalid(
        _ column: String, _ value: Value, _ sql: String, _ json: String? = nil, isStored: Bool
    ) -> Case {
        Case(column: column, value: value, sql: sql, json: json, isValid: false, isStored: isStored, isShown: false)
    }

    private static func json(_ text: String, _ json: String?, isValid: Bool = true) -> Case {
        let sql = "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        return Case(
            column: "maybe_facts", value: .text(text), sql: sql, json: json, isValid: isValid, isShown: isValid)
    }

    private static func day(_ text: String, isValid: Bool) -> Case {
        Case(
            column: "maybe_day", value: .text(text), sql: "'\(text)'", json: "\"\(text)\"", isValid: isValid,
            isStored: isValid, isShown: isValid)
    }

    private static let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)

    static let cases: [Case] = [
        valid("maybe_text", .text(""), "''", "\"\""),
        valid("maybe_text", .text("a\0b"), "'a' || char(0) || 'b'", #""a\u0000b""#),
        valid("maybe_text", .text("e\u{301}"), "'e\u{301}'", "\"e\u{301}\""),
        valid("maybe_whole", .integer(.min), "-9223372036854775808", "\"-9223372036854775808\""),
        valid("maybe_whole", .integer(.max), "9223372036854775807", "9223372036854775807"),
        invalid("maybe_whole", .real(1.5), "1.5", "1.5", isStored: false),
        invalid("maybe_whole", .text("12a"), "'12a'", "\"12a\"", isStored: false),
        valid("maybe_real", .real(.infinity), "9e999", "\"inf\""),
        valid("maybe_real", .real(-.infinity), "-9e999", "\"-inf\""),
        valid("maybe_real", .real(.leastNonzeroMagnitude), "5e-324", "5e-324"),
        // A column makes 0.0 of it, and the put of another client keeps it.
        valid("maybe_real", .real(-0.0), "-0.0", "-0.0"),
        invalid("maybe_truth", .integer(2), "2", "2", isStored: false),
        day("2024-02-29", isValid: true), day("2026-02-29", isValid: false), day("0000-01-01", isValid: false),
        day("0001-01-01", isValid: true), day("9999-12-31", isValid: true), day("10000-01-01", isValid: false),
        day("2026-1-1", isValid: false), day("", isValid: false),
        valid("maybe_instant", .integer(.max), "9223372036854775807", "\"9223372036854775807\""),
        valid("maybe_instant", .integer(.min), "-9223372036854775808", "-9223372036854775808"),
        valid("maybe_instant", .integer(253_402_300_800_000), "253402300800000", "253402300800000"),
        invalid("maybe_code", .bytes([0]), "x'00'", "\"00\"", isStored: false),
        invalid("maybe_code", .bytes(Array(repeating: 1, count: 17)), "zeroblob(17)", isStored: false),
        valid("maybe_bytes", .bytes([]), "x''", "\"\""), valid("maybe_bytes", .bytes([0, 255]), "x'00ff'", "\"AP8=\""),
        invalid("maybe_bytes", .text("a"), "'a'", "1", isStored: false),
        json("null", nil), json("{}", "{}"), json(#"{"a":1,"a":2}"#, nil), json(#""\ud800""#, nil),
        json(deep, deep), json("[\(deep)]", nil, isValid: false), json("{", nil, isValid: false),
        json("", nil, isValid: false), json("1 2", nil, isValid: false),
    ]

    private let library: TestLibrary
    private let context: ObjectContext

    init() throws {
        library = try TestLibrary(SamplesSchema.text, device: 1)
        context = library.context()
    }

    private func attribute(_ item: Case) throws -> Attribute {
        try #require(library.replica.schema.entity(named: "Sample")?.attribute(named: item.column))
    }

    /// The required attributes, and one more.
    private func put(_ item: Case) throws -> [UInt8] {
        let fields: [(UInt32, Value)] = [
            (1, .text("a")), (2, .integer(1)), (3, .real(1)), (4, .boolean(true)), (5, .text("2026-01-01")),
            (6, .integer(0)), (7, .bytes(Array(repeating: 1, count: 16))), (8, .bytes([])), (9, .text("{}")),
        ]
        let more = [(try attribute(item).id.rawValue, item.value)]
        return Put(content: ContentCoding.encode((fields + more).map { .init(property: PropertyID($0), value: $1) }))
            .encoded()
    }

    private static let columns = "text, whole, real, truth, day, instant, code, bytes, facts"
    private static let literals = "'a', 1, 1.0, 1, '2026-01-01', 0, zeroblob(16), x'', '{}'"

    @Test(arguments: cases)
    func theDefinitionSaysSo(_ item: Case) throws {
        #expect((item.kind.fault(of: item.value) == nil) == item.isValid)
        #expect(try attribute(item).kind == item.kind)
    }

    @Test(arguments: cases)
    func sqlIsJudgedAtSettlement(_ item: Case) throws {
        let plain = try PlainSQL(library.replica.path)
        let insert = "INSERT INTO sample(\(Self.columns), \(item.column)) VALUES (\(Self.literals), \(item.sql))"
        guard item.isStored else {
            #expect(throws: (any Error).self) { try plain.execute(insert) }
            return
        }
        try plain.execute(insert)
        try library.replica.engineWrite("judge") { database in
            let rows = try RowStore(database, library.replica.layout)
            let id = try #require(try database.query("SELECT id FROM sample").first { $0.id(0) } ?? nil)
            let key = RecordKey(entity: EntityID(1), id: id)
            let content = try #require(try rows.encodedPut(of: key))
            let refusal = rows.refusal(of: key, content, bytesMax: 256 * 1024)
            #expect((refusal == nil) == item.isValid, "\(refusal ?? "none")")
            #expect(refusal.map { $0.contains("\"\(item.column)\"") } ?? true)
            // Of the same store, and judged again.
            if !item.isValid {
                try database.execute(sql: "UPDATE sample SET \(item.column) = NULL")
                let content = try #require(try rows.encodedPut(of: key))
                #expect(rows.refusal(of: key, content, bytesMax: 256 * 1024) == nil)
                #expect(
                    rows.refusal(of: key, content, bytesMax: 10)
                        == "The content has \(content.count) bytes, the limit is 10.")
            }
        }
    }

    @Test(arguments: cases)
    func aPutIsShownOrKeptAside(_ item: Case) throws {
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 5))
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let put = try put(item)
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put))
        _ = try library.replica.apply([state], checkpoint: nil, serverTime: nil)
        #expect(try library.count("sample") == (item.isShown ? 1 : 0))
        #expect(try library.replica.content(of: key) == put)
        guard item.isShown else { return }
        // An object edits something else, and leaves this.
        let sample = try #require(try context.fetch(FetchRequest<ManagedObject>("Sample")).first)
        try sample.set("whole", to: .integer(2))
        try context.save()
        let content = try ContentCoding.decode(Put(encoded: try #require(try library.replica.content(of: key))).content)
        #expect(content.last?.value == item.value)
        #expect(content[1].value == .integer(2))
    }

    @Test(arguments: cases)
    func objectsAndBatchesTakeWhatIsValid(_ item: Case) throws {
        let sample = try context.insert("Sample")
        for (name, value) in [
            ("text", Value.text("a")), ("whole", .integer(1)), ("real", .real(1)), ("truth", .boolean(true)),
            ("day", .text("2026-01-01")), ("instant", .integer(0)), ("code", .bytes(Array(repeating: 1, count: 16))),
            ("bytes", .bytes([])), ("facts", .text("{}")),
        ] { try sample.set(name, to: value) }
        try context.save()
        let all = FetchRequest<ManagedObject>("Sample")
        func isTaken(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return true
            } catch { return false }
        }
        let isSet = isTaken {
            try sample.set(item.column, to: item.value)
            try context.save()
        }
        #expect(isSet == item.isValid)
        context.rollback()
        #expect(isTaken { try context.updateAll(all, [item.column: item.value]) } == item.isValid)
        let isWritten = isTaken {
            try library.replica.write("write") {
                try $0.put("Sample", id: sample.objectID.record, [item.column: item.value])
            }
        }
        #expect(isWritten == item.isValid)
        if item.isValid {
            // Stored by now, so that the same value is no change.
            #expect(try context.updateAll(all, [item.column: item.value]) == 0)
        }
    }

    @Test(arguments: cases)
    func jsonTakesAndGivesWhatIsValid(_ item: Case) throws {
        let names = RecordJSON(library.replica.schema)
        let put = try put(item)
        let given = names.exactObject(put, of: EntityID(1))
        #expect(try names.put(try JSONParser.parse(given.text, depthMax: 70), of: EntityID(1)) == put)
        guard let json = item.json else { return }
        let object = try JSONParser.parse("{\"\(item.column)\": \(json)}", depthMax: 70)
        guard item.isValid else {
            #expect(throws: AttributeJSON.Mismatch.self) { try names.put(object, of: EntityID(1)) }
            return
        }
        let fields = try ContentCoding.decode(Put(encoded: try names.put(object, of: EntityID(1))).content)
        #expect(fields.map(\.value) == [item.value])
    }

    // MARK: What only some layers can say

    @Test func textThatIsNotUTF8IsRefusedOfSQL() throws {
        let plain = try PlainSQL(library.replica.path)
        try plain.execute(
            "INSERT INTO sample(\(Self.columns), maybe_text) VALUES (\(Self.literals), CAST(x'61ff' AS TEXT))")
        try library.replica.engineWrite("judge") { database in
            let rows = try RowStore(database, library.replica.layout)
            let id = try #require(try database.query("SELECT id FROM sample").first { $0.id(0) } ?? nil)
            let key = RecordKey(entity: EntityID(1), id: id)
            let content = try #require(try rows.encodedPut(of: key))
            #expect(
                rows.refusal(of: key, content, bytesMax: 1000)
                    == "Sample \"maybe_text\" is not UTF-8. SQL writes its bytes so: CAST(X'61FF' AS TEXT).")
        }
    }

    @Test func whatIsNotANumberIsRefusedAndNotErased() throws {
        let sample = try context.insert("Sample")
        #expect(throws: ObjectError.self) {
            try context.updateAll(FetchRequest<ManagedObject>("Sample"), ["maybe_real": .real(.nan)])
        }
        #expect(throws: ReplicaError.self) {
            try library.replica.write("write") {
                try $0.put("Sample", id: sample.objectID.record, ["maybe_real": .real(.nan)])
            }
        }
    }

    /// Seconds, for Foundation cannot describe such dates.
    @Test(arguments: [Double.nan, .infinity, -1e17])
    func aDateThatNoTimestampHoldsFailsTheSave(_ seconds: Double) throws {
        let library = try TestLibrary(SamplesSchema.text, classes: SamplesSchema.classes)
        let context = library.context()
        let sample = try context.insert(Sample.self)
        (sample.day, sample.facts) = ("2026-01-01", "{}")
        (sample.text, sample.whole, sample.real, sample.truth, sample.code, sample.bytes) = (
            "a", 1, 1, true, UUID(), Data()
        )
        sample.instant = Date(timeIntervalSince1970: 1)
        try context.save()
        sample.instant = Date(timeIntervalSince1970: seconds)
        #expect(throws: ObjectError.self) { try context.save() }
        #expect(sample.instant == Date(timeIntervalSince1970: 1))
    }

    /// A date has fewer digits than a timestamp: to set what is read is no edit.
    @Test func aDistantTimestampIsNotRounded() throws {
        let library = try TestLibrary(SamplesSchema.text, classes: SamplesSchema.classes)
        let context = library.context()
        let sample = try context.insert(Sample.self)
        (sample.day, sample.facts) = ("2026-01-01", "{}")
        (sample.text, sample.whole, sample.real, sample.truth, sample.code, sample.bytes) = (
            "a", 1, 1, true, UUID(), Data()
        )
        for number in [Int64.max, .min, (1 << 60) + 1] {
            try sample.set("instant", to: .integer(number))
            sample.instant = sample.instant
            try context.save()
            #expect(try sample.value(of: "instant") == .integer(number))
        }
    }
}
