import RoostModel
import RoostProtocol
import RoostService
import Testing

/// A put is stored only in the canonical form of protocol.md §5.3, and every stored put can be pulled as JSON.
@Suite struct CanonicalPutTests {
    private static let target = "01890000000070008000000000000001"

    /// Bytes that break a rule, named by the violation.
    static let broken: [(name: String, hex: String)] = [
        ("an empty content", "1200"), ("two contents", "1204" + "0a020801" + "1204" + "0a020802"),
        ("a reference behind the content", "1204" + "0a020801" + "0a14" + "08031210" + target),
        ("references in descending order", "0a14" + "08041210" + target + "0a14" + "08031210" + target),
        ("a reference twice", "0a14" + "08031210" + target + "0a14" + "08031210" + target),
        ("a target before its number", "0a14" + "1210" + target + "0803"),
        ("a number twice in a reference", "0a16" + "08030803" + "1210" + target),
        ("a target of 15 bytes", "0a13" + "0803120f" + String(target.dropLast(2))),
        ("a reference with the number 0", "0a14" + "08001210" + target),
        ("a target that is a number", "0a06" + "0803" + "1001" + "1200"),
        ("a reference with the number 2^32", "0a18" + "088080808010" + "1210" + target),
        ("an overlong length", "1284" + "00" + "0a020801"), ("an overlong tag", "920004" + "0a020801"),
        ("an overlong number of a property", "1205" + "0a03088100"),
        ("an overlong integer", "1207" + "0a050801188200"), ("an overlong length of a text", "1207" + "0a050801928000"),
        ("a property with the number 0", "1204" + "0a020800"), ("a field without a number", "1205" + "0a03120161"),
        ("a value before its number", "1207" + "0a051201610801"), ("two values", "1209" + "0a07080112016118" + "02"),
        ("a value twice", "120a" + "0a080801" + "120161" + "120162"),
        ("a number twice in a field", "1206" + "0a0408010801"),
        ("a text that is a number", "1206" + "0a0408011002"), ("an integer that is a text", "1207" + "0a0508011a0161"),
        ("properties in descending order", "1208" + "0a020802" + "0a020801"),
        ("a property twice", "1208" + "0a020801" + "0a020801"),
        ("a field that is a number", "1202" + "0801"), ("a truncated text", "1207" + "0a050801120561"),
        ("a truncated field", "1204" + "0a090801"), ("a group", "0b"), ("a reserved wire type", "0e"),
        ("a content that is a number", "1005"), ("an unknown field before the content", "1801" + "1204" + "0a020801"),
    ]

    /// Bytes that follow the rules, although a reader may not understand them.
    static let canonical: [(name: String, hex: String)] = [
        ("nothing", ""), ("an explicit nil", "1204" + "0a020801"), ("a text that is not UTF-8", "12080a0608011202fffe"),
        ("an empty text", "1206" + "0a0408011200"), ("false", "1206" + "0a0408012800"),
        ("a NaN", "120d" + "0a0b080121010000000000f87f"),
        ("unknown fields of a put", "1204" + "0a020801" + "1801" + "1801" + "3802"),
        ("an unknown value", "1206" + "0a0408013805"), ("an unknown field of a content", "1206" + "0a020801" + "1001"),
        ("an unknown field of a reference", "0a16" + "08031210" + target + "1801"),
        ("a known value and an unknown one", "1209" + "0a070801120161" + "3805"),
    ]

    private let group: TestGroup
    private var owner: TestDevice

    init() async throws {
        group = try TestGroup()
        owner = try await group.owner()
    }

    private mutating func push(_ hex: String, _ number: UInt64) async throws -> PushReply.Result? {
        let put = try #require(Hex.decode(hex.utf8))
        let change = Change(key: TestGroup.key(TestGroup.id(number)), stamp: owner.stamp(), kind: .put(put, base: nil))
        return try await owner.push(change).results.first
    }

    @Test mutating func whatBreaksARuleIsRefused() async throws {
        for (index, item) in Self.broken.enumerated() {
            guard case .refused(let refusal)? = try await push(item.hex, UInt64(index) + 1) else {
                Issue.record("stored: \(item.name)")
                continue
            }
            #expect(refusal.code == .malformedPut, "\(item.name)")
        }
        #expect(try group.service.head(for: owner.member).records == 0)
    }

    @Test mutating func whatKeepsTheRulesIsStoredAndServed() async throws {
        for (index, item) in Self.canonical.enumerated() {
            guard case .accepted? = try await push(item.hex, UInt64(index) + 1) else {
                Issue.record("refused: \(item.name)")
                continue
            }
        }
        let other = try await group.device(owner)
        let body = try await group.service.pull(PageRequest(since: nil), as: .json, for: other.member)
        let page = try JSONParser.parse(body, depthMax: 70)
        #expect(page["records"]?.arrayValue?.count == Self.canonical.count)
        let names = RecordJSON(try Schema(json: TestGroup.schema))
        for (index, record) in (page["records"]?.arrayValue ?? []).enumerated() {
            let put = try names.put(record["put"] ?? .null, of: EntityID(1))
            #expect(Hex.encode(put) == Self.canonical[index].hex, "\(Self.canonical[index].name)")
        }
    }

    /// An earlier server accepted the put and lost it. A replica brings it back unchanged.
    @Test mutating func aRecoveryTakesWhatEarlierServersTook() async throws {
        let stamp = HybridTimestamp(time: group.clock.now << 16, replica: owner.member.replica)
        let record = RecordState(
            key: TestGroup.key(TestGroup.id(1)), put: .init(stamp: stamp, base: nil, encoded: [0x12, 0]), delete: nil)
        #expect(await refusal { try await owner.recover([record]) } == .notRecovering)
        let broken = RecordState(
            key: TestGroup.key(TestGroup.id(1)), put: .init(stamp: stamp, base: nil, encoded: [0x12, 9]), delete: nil)
        #expect(await refusal { try await owner.recover([broken]) } == .malformedPut)
    }

    /// A corrupt record is left out of JSON pages and reported to the operator.
    @Test mutating func anUnreadableRecordIsReported() async throws {
        _ = try await owner.push(owner.put(TestGroup.id(1)), owner.put(TestGroup.id(2)))
        try group.store.write { transaction in
            let key = TestGroup.key(TestGroup.id(1))
            var record = try #require(try transaction.record(key, in: .init(1)))
            record.message = [0x08]
            try transaction.put(record, key, in: .init(1))
        }
        func reports() -> [Int] {
            group.events.all.compactMap { event in
                guard case .unreadableRecords(owner.member.scopeID, let records) = event else { return nil }
                return records
            }
        }
        #expect(reports().isEmpty)
        let body = try await group.service.pull(PageRequest(since: nil), as: .json, for: owner.member)
        #expect(try JSONParser.parse(body)["records"]?.arrayValue?.count == 1)
        #expect(reports() == [1])
    }

    /// Stored bytes that are no record are reported, and the page contains all other records.
    @Test func anUnreadableRecordIsLeftOut() throws {
        let stamp = HybridTimestamp(time: 1 << 20, replica: ReplicaID(rawValue: 1))
        let good = RecordState(
            key: TestGroup.key(TestGroup.id(1)), put: .init(stamp: stamp, base: nil, encoded: []), delete: nil)
        let page = PullReply(
            records: [], checkpoint: Checkpoint(bytes: [1]), hasMore: false, digest: nil, schemaVersion: 1,
            serverTime: 1)
        let bytes = PullReply.protobuf(page, encodedRecords: [[0xFF], good.protobuf(), [0x08, 0x01]])
        #expect(throws: CodingError.self) { try PullReply(protobuf: bytes) }
        var faults = 0
        let read = try bytes.withBytes { (bytes) throws(CodingError) in
            try PullReply(protobuf: bytes) { (_) throws(CodingError) in faults += 1 }
        }
        #expect(faults == 2)
        #expect(read.records == [good])
    }
}
