import RoostModel
import Testing

@testable import Replica

/// Differences between a row and its confirmed content that look like a failing disk, and those that look like a program's
/// write.
@Suite struct DamageSignTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let was: [Value]
        let held: [Value]
        let isDamage: Bool
        var testDescription: String { name }
    }

    private static let long = [UInt8](repeating: 0x41, count: 300)

    private static func changed(_ bytes: Range<Int>, to byte: UInt8) -> Value {
        .data(long.enumerated().map { bytes.contains($0.offset) ? byte : $0.element })
    }

    static let cases = [
        Case(name: "a byte of a text", was: [.string("dinner")], held: [.string("dinnes")], isDamage: true),
        Case(name: "another text", was: [.string("dinner")], held: [.string("lunch!")], isDamage: false),
        Case(name: "a text cut short", was: [.string("dinner")], held: [.string("din")], isDamage: true),
        Case(name: "a text with more", was: [.string("dinner")], held: [.string("dinner for two")], isDamage: false),
        Case(name: "a run of zeros", was: [.data(long)], held: [changed(100..<200, to: 0)], isDamage: true),
        Case(name: "a run of ones", was: [.data(long)], held: [changed(100..<200, to: 0xFF)], isDamage: true),
        Case(name: "a run of another byte", was: [.data(long)], held: [changed(100..<200, to: 7)], isDamage: false),
        Case(name: "a bit of a number", was: [.integer(1200)], held: [.integer(1200 ^ 64)], isDamage: true),
        Case(name: "a byte of a number", was: [.integer(1200)], held: [.integer(1215)], isDamage: false),
        Case(name: "another number", was: [.integer(1200)], held: [.integer(99_000)], isDamage: false),
        Case(name: "a number that is a text now", was: [.integer(1)], held: [.string("one")], isDamage: false),
        Case(
            name: "two values that a length has moved", was: [.string("dinner"), .string("Lisbon")],
            held: [.string("din"), .string("nerLis")], isDamage: true),
        Case(
            name: "one of two values written", was: [.string("dinner"), .string("Lisbon")],
            held: [.string("lunch"), .string("Lisbon")], isDamage: false),
    ]

    @Test(arguments: cases) func differencesAreTold(_ sample: Case) {
        #expect(DamageSign.isShown(by: Self.put(sample.held), insteadOf: Self.put(sample.was)) == sample.isDamage)
    }

    @Test func whatDoesNotReadIsDamage() {
        #expect(DamageSign.isShown(by: [0xFF], insteadOf: Self.put([.integer(1)])))
    }

    @Test func referenceThatNamesAnotherRecordIsAnEdit() {
        #expect(!DamageSign.isShown(by: Self.referring(9 << 40), insteadOf: Self.referring(0x1234_5678)))
        #expect(DamageSign.isShown(by: Self.referring(0x1234_5679), insteadOf: Self.referring(0x1234_5678)))
    }

    private static func put(_ values: [Value]) -> [UInt8] {
        let fields = values.enumerated().map { place, value in
            ContentCoding.Field(property: PropertyID(UInt32(place + 1)), value: value)
        }
        return Put(content: ContentCoding.encode(fields)).encoded()
    }

    private static func referring(_ low: UInt64) -> [UInt8] {
        let target = RecordID(high: 3, low: low)
        return Put(references: [.init(relationship: PropertyID(8), target: target)], content: []).encoded()
    }
}
