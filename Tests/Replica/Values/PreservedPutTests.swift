import Foundation
import RoostModel
import TestScope
import Testing

@testable import Replica

/// A put that its row cannot reproduce is kept entirely, and an edit replaces only the edited fields.
@Suite struct PreservedPutTests {
    private static let key = RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 5))
    private static let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
    private static let negativeZero: [UInt8] = [0x0A, 11, 0x08, 11, 0x21, 0, 0, 0, 0, 0, 0, 0, 0x80]
    private static let notANumber: [UInt8] = [0x0A, 11, 0x08, 11, 0x21, 1, 0, 0, 0, 0, 0, 0xF8, 0x7F]
    private static let tea: [UInt8] = [0x0A, 7, 0x08, 1, 0x12, 3] + Array("tea".utf8)
    private static let cab: [UInt8] = [0x0A, 7, 0x08, 1, 0x12, 3] + Array("cab".utf8)
    private static let malformed: [UInt8] = [0x0A, 8, 0x08, 1, 0x12, 4, 0x74, 0xFF, 0xC3, 0x61]
    private static let ten: [UInt8] = [0x0A, 4, 0x08, 2, 0x18, 20]

    private static func content(_ fields: [UInt8]...) -> [UInt8] {
        let bytes = fields.flatMap(\.self)
        return [0x12, UInt8(bytes.count)] + bytes
    }

    private let file: TemporaryReplica

    init() throws { file = try TemporaryReplica(TemporaryReplica.people) }

    private func pull(_ put: [UInt8]) throws {
        let state = RecordState(key: Self.key, put: .init(stamp: Self.stamp, base: nil, encoded: put))
        _ = try file.replica.apply([state], checkpoint: nil, serverTime: nil)
    }

    private var held: [UInt8]? { get throws { try file.replica.content(of: Self.key) } }

    // MARK: Edits

    struct Edit: Sendable, CustomStringConvertible {
        let description: String
        let before: [UInt8]
        let sql: String
        let after: [UInt8]
    }

    static let edits = [
        Edit(
            description: "another attribute than a negative zero", before: content(tea, negativeZero),
            sql: "content = 'cab'", after: content(cab, negativeZero)),
        Edit(
            description: "another attribute than a NaN", before: content(tea, notANumber), sql: "content = 'cab'",
            after: content(cab, notANumber)),
        Edit(
            description: "a NaN", before: content(tea, notANumber), sql: "rate = 0.0",
            after: content(tea, [0x0A, 11, 0x08, 11, 0x21, 0, 0, 0, 0, 0, 0, 0, 0])),
        Edit(
            description: "another attribute than text that is not UTF-8", before: content(malformed, negativeZero),
            sql: "amount = 10", after: content(malformed, ten, negativeZero)),
        Edit(
            description: "text that is not UTF-8", before: content(malformed, ten), sql: "content = 'tea'",
            after: content(tea, ten)),
        Edit(
            description: "a put of a later version", before: content(tea, ten) + [0x18, 5], sql: "content = 'cab'",
            after: content(cab, ten) + [0x18, 5]),
        Edit(
            description: "in another order", before: content(ten, tea), sql: "content = 'cab'",
            after: content(ten, cab)),
        Edit(
            description: "to nil", before: content(tea, negativeZero) + [0x18, 5], sql: "rate = NULL",
            after: content(tea) + [0x18, 5]),
        Edit(
            description: "beside a value of a later form", before: content(tea, [0x0A, 6, 0x08, 11, 0x3A, 2, 1, 2]),
            sql: "content = 'cab'", after: content(cab, [0x0A, 6, 0x08, 11, 0x3A, 2, 1, 2])),
    ]

    @Test(arguments: edits)
    func anEditReplacesWhatItEdits(_ edit: Edit) throws {
        try pull(edit.before)
        #expect(try held == edit.before)
        try file.sql("UPDATE spending SET \(edit.sql)")
        #expect(try held == edit.after)
    }

    @Test(arguments: UnusualPut.all)
    func aWriteOfTheSameValuesIsNoEdit(_ item: UnusualPut) throws {
        try pull(item.bytes)
        try file.sql("UPDATE spending SET content = content, amount = amount, rate = rate, person = person")
        #expect(try held == item.bytes)
    }

    /// All devices have the sent content of an edit, and equal digests.
    @Test(arguments: edits)
    func devicesThatExchangeAnEditHaveTheSame(_ edit: Edit) throws {
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        scope.recover([RecordState(key: Self.key, put: .init(stamp: Self.stamp, base: nil, encoded: edit.before))])
        for replica in [file, other] { try scope.pull(replica.replica) }
        try file.sql("UPDATE spending SET \(edit.sql)")
        for replica in [file, other, file] { try scope.synchronise(replica.replica) }
        #expect(scope.states[Self.key]?.put?.encoded == edit.after)
        let columns = "SELECT quote(content) || quote(amount) || quote(rate) FROM spending"
        #expect(try file.texts(columns) == other.texts(columns))
        for replica in [file, other] {
            #expect(try replica.replica.digest() == scope.digest)
            let check = try replica.replica.check()
            #expect(check.isSound && check.irregular == 0)
        }
    }

    @Test func textThatIsNotUTF8IsShownAlikeEverywhere() throws {
        try pull(Self.content(Self.malformed, Self.ten))
        #expect(try file.texts("SELECT hex(content) FROM spending") == ["74EFBFBDEFBFBD61"])
        #expect(try file.replica.status().unfit == 0)
    }

    @Test func whatIsNotANumberIsNotShownWhereANumberIsRequired() throws {
        let schema = """
            {"format": 1, "name": "trip", "version": 1, "entities": [
              {"id": 2, "name": "Rate", "attributes": [{"id": 11, "name": "rate", "type": "double"}]}]}
            """
        let file = try TemporaryReplica(schema)
        let put = Self.content(Self.notANumber)
        let state = RecordState(key: Self.key, put: .init(stamp: Self.stamp, base: nil, encoded: put))
        _ = try file.replica.apply([state], checkpoint: nil, serverTime: nil)
        #expect(try file.texts("SELECT reason FROM roost_unfit") == ["Rate \"rate\" is not a number, but required."])
        #expect(try file.replica.content(of: Self.key) == put)
    }

    /// Otherwise a NaN that was replaced would come back with a NULL.
    @Test func whatWasReplacedDoesNotComeBack() throws {
        try pull(Self.content(Self.tea, Self.notANumber) + [0x18, 5])
        try file.sql("UPDATE spending SET rate = 0.0")
        let edited = try #require(try held)
        try file.replica.engineWrite("seal") { database in
            try RowStore(database, file.replica.layout).renewOriginal(of: Self.key, to: edited)
        }
        #expect(try held == edited)
        try file.sql("UPDATE spending SET rate = NULL")
        #expect(try held == Self.content(Self.tea) + [0x18, 5])
    }

    // MARK: Data kept by earlier versions

    @Test func theFormOfEarlierVersionsIsRead() throws {
        let put = Put(
            references: [.init(relationship: PropertyID(99), target: RecordID(high: 1, low: 2))],
            content: ContentCoding.encode([.init(property: PropertyID(98), value: .string("later"))]))
        let extra = try RowExtra(encoded: put.encoded() + [0x78, 2, 0x78, 12, 0x70, 1])
        #expect(extra.put == put)
        #expect(extra.absent == [PropertyID(2), PropertyID(12)])
        #expect(extra.isIrregular && extra.original == nil)
        #expect(extra.encoded() == put.encoded() + [0x78, 2, 0x78, 12, 0x70, 1])
        var kept = RowExtra(original: [1, 2, 3])
        #expect(try RowExtra(encoded: kept.encoded()) == kept)
        kept.isIrregular = true
        #expect(try RowExtra(encoded: kept.encoded()) == kept)
    }

    @Test func aRowWhosePutAnEarlierVersionDidNotKeepIsNotCompared() throws {
        try pull(Self.content(Self.tea, Self.negativeZero))
        try file.sql("UPDATE roost_extra SET put = x'7001'")
        let check = try file.replica.check()
        #expect(check.isSound && check.irregular == 1)
        #expect(check.irregularRecords.count == 1)
        // The next page with the record brings the preserved put.
        try file.replica.pullAnew(.differs)
        try pull(Self.content(Self.tea, Self.negativeZero))
        #expect(try file.replica.check().irregular == 0)
    }
}
