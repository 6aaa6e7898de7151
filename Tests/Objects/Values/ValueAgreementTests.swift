import Foundation
import GRDB
import Objects
import RoostModel
import TestPlainSQL
import TestSupport
import Testing

@testable import Replica

/// `Docs/values.md` as a test: types × unusual values × layers. All layers accept the same values.
@Suite struct ValueAgreementTests {
    typealias Case = ValueCase

    private let library: TestLibrary
    private let context: ObjectContext

    init() throws {
        library = try TestLibrary(SamplesSchema.text, device: 1)
        context = library.context()
    }

    private func attribute(_ item: Case) throws -> Attribute {
        try #require(library.replica.schema.entity(named: "Sample")?.attribute(named: item.column))
    }

    /// Returns a put with the required attributes and one more.
    private func put(_ item: Case) throws -> [UInt8] {
        let fields: [(UInt32, Value)] = [
            (1, .string("a")), (2, .integer(1)), (3, .double(1)), (4, .boolean(true)), (5, .string("2026-01-01")),
            (6, .integer(0)), (7, .data(Array(repeating: 1, count: 16))), (8, .data([])), (9, .string("{}")),
        ]
        let more = [(try attribute(item).id.rawValue, item.value)]
        return Put(content: ContentCoding.encode((fields + more).map { .init(property: PropertyID($0), value: $1) }))
            .encoded()
    }

    private static let columns = "text, whole, real, truth, day, instant, code, bytes, facts"
    private static let code = IdentifierForm.tested.literal(RecordID(high: 0, low: 0))
    private static let literals = "'a', 1, 1.0, 1, '2026-01-01', 0, \(code), x'', '{}'"

    @Test(arguments: ValueCase.all)
    func theDefinitionSaysSo(_ item: Case) throws {
        #expect((item.kind.fault(of: item.value) == nil) == item.isValid)
        #expect(try attribute(item).kind == item.kind)
    }

    @Test(arguments: ValueCase.all)
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
            // After a correction, the `RowStore` accepts the row.
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

    @Test(arguments: ValueCase.all)
    func aPutIsShownOrKeptAside(_ item: Case) throws {
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 5))
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        let put = try put(item)
        let state = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put))
        _ = try library.replica.apply([state], checkpoint: nil, serverTime: nil)
        #expect(try library.count("sample") == (item.isShown ? 1 : 0))
        #expect(try library.replica.content(of: key) == put)
        guard item.isShown else { return }
        // An edit of another attribute leaves this value unchanged.
        let sample = try #require(try context.fetch(FetchRequest<ManagedObject>("Sample")).first)
        try sample.set("whole", to: .integer(2))
        try context.save()
        let content = try ContentCoding.decode(Put(encoded: try #require(try library.replica.content(of: key))).content)
        #expect(content.last?.value == item.value)
        #expect(content[1].value == .integer(2))
    }

    @Test(arguments: ValueCase.all)
    func objectsAndBatchesTakeWhatIsValid(_ item: Case) throws {
        let sample = try context.insert("Sample")
        for (name, value) in [
            ("text", Value.string("a")), ("whole", .integer(1)), ("real", .double(1)), ("truth", .boolean(true)),
            ("day", .string("2026-01-01")), ("instant", .integer(0)), ("code", .data(Array(repeating: 1, count: 16))),
            ("bytes", .data([])), ("facts", .string("{}")),
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
            // The value is already stored, so writing it again is no change.
            #expect(try context.updateAll(all, [item.column: item.value]) == 0)
        }
    }

    @Test(arguments: ValueCase.all)
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

    // MARK: Equality

    /// Two forms of a text, and the two zeros, are different values of one type. NaN equals itself.
    @Test(arguments: ValueCase.pairs)
    func whatLooksAlikeIsAnotherValue(_ one: ValueCase, _ other: ValueCase) throws {
        #expect(one.value != other.value && one.put != other.put)
        #expect(ContentHash(of: one.put) != ContentHash(of: other.put))
        #expect(Value.double(.nan) == .double(.nan))
        // A put of another device is stored unchanged, byte for byte.
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 5))
        for (counter, item) in [one, other, one].enumerated() {
            let stamp = HybridTimestamp(
                milliseconds: 1000, counter: UInt16(counter), replica: ReplicaID(rawValue: 9))
            let put = try put(item)
            _ = try library.replica.apply(
                [RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put))], checkpoint: nil,
                serverTime: nil)
            #expect(try library.replica.content(of: key) == put)
        }
        #expect(try library.replica.check().isSound)
        // Assigning one value over the other is an edit, unless the column cannot distinguish them.
        let all = FetchRequest<ManagedObject>("Sample")
        let isEdit = one.kind != .double
        #expect(try context.updateAll(all, [other.column: other.value]) == (isEdit ? 1 : 0))
        #expect(try context.updateAll(all, [other.column: other.value]) == 0)
        let sample = try #require(try context.fetch(all).first)
        try sample.set(one.column, to: one.value)
        try context.save()
        #expect(try library.replica.content(of: key) == put(one))
    }

    // MARK: Values that only some layers can express

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
            try context.updateAll(FetchRequest<ManagedObject>("Sample"), ["maybe_real": .double(.nan)])
        }
        #expect(throws: ReplicaError.self) {
            try library.replica.write("write") {
                try $0.put("Sample", id: sample.objectID.record, ["maybe_real": .double(.nan)])
            }
        }
    }

    /// The dates are given as seconds, because Foundation cannot describe them.
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

    /// A date has fewer digits than a timestamp, so assigning the date that was read is no edit.
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
