import Foundation
import RoostModel
import Testing

@testable import Replica

/// The second thread decodes exactly what the writing thread would, whatever the content: a row, or an equal reason for none.
@Suite struct PageReadingTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
    }

    /// Contents of spendings as other clients may write them.
    static let contents: [[UInt8]] =
        UnusualPut.all.map(\.bytes)
        + RowAgreementTests.cases.map { content in
            Put(
                content: ContentCoding.encode([
                    .init(property: PropertyID(1), value: .string("tea")),
                    .init(property: PropertyID(content.property), value: content.value),
                ])
            ).encoded()
        } + [[], [0x12], [0x0A, 1], Array("no message".utf8), [UInt8](repeating: 0xFF, count: 70_000)]

    @Test func readsWhatTheWriterWould() throws {
        let states = (0..<PageReading.recordsMin).map { number in
            Self.state(number, entity: number % 50 == 49 ? 99 : 2, Self.contents[number % Self.contents.count])
        }
        let (layout, expected) = try file.replica.write("look") { transaction in
            (transaction.layout, try states.map { try Self.read($0, transaction) })
        }
        var kinds: Set<String> = []
        for (index, found) in try Self.readAhead(states, layout) {
            let record = states[index]
            #expect(found.slots == record.stamps)
            #expect(found.term == ScopeDigest.term(record.key, record.stamps))
            // Records of an entity that the schema does not have are not read ahead.
            let content = found.content ?? "left"
            kinds.insert(String(content.prefix(4)))
            if found.content != nil { #expect(content == expected[index]) }
        }
        #expect(kinds == ["row ", "not ", "left"])
    }

    /// An entity without properties has no cells, and its put no bytes.
    @Test func readsARecordOfNothing() throws {
        let file = try TemporaryReplica(
            #"{"format": 1, "name": "marks", "version": 1, "entities": [{"id": 1, "name": "Mark", "attributes": []}]}"#)
        let states = (0..<PageReading.recordsMin).map { Self.state($0, entity: 1, []) }
        let layout = try file.replica.write("look") { $0.layout }
        for (_, found) in try Self.readAhead(states, layout) { #expect(found.content == "row [] nil") }
        _ = try file.replica.apply(states, checkpoint: nil, serverTime: nil)
        #expect(try file.count("SELECT count(*) FROM mark") == states.count(where: { $0.delete == nil }))
    }

    /// With many attributes, only a limited amount of decoded content is kept for any page. The other records are hashed, and
    /// decoded by the writing thread.
    @Test func readsNoMoreThanItMayKeep() throws {
        let attributes = (1...300).map { #"{"id": \#($0), "name": "a\#($0)", "type": "string", "optional": true}"# }
        let file = try TemporaryReplica(
            """
            {"format": 1, "name": "wide", "version": 1,
             "entities": [{"id": 1, "name": "Wide", "attributes": [\(attributes.joined(separator: ", "))]}]}
            """)
        let content = Put(content: ContentCoding.encode([.init(property: PropertyID(7), value: .string("x"))]))
            .encoded()
        let states = (0..<3000).map { Self.state($0, entity: 1, content) }
        let layout = try file.replica.write("look") { $0.layout }
        let found = try Self.readAhead(states, layout)
        let kept = found.count { $0.value.content != nil }
        #expect((256..<2900).contains(kept))
        #expect(kept * 300 * MemoryLayout<RowCoding.Row.Cell>.stride < PageReading.bytesMax + (1 << 20))
        _ = try file.replica.apply(states, checkpoint: nil, serverTime: nil)
        let count = states.count { $0.delete == nil }
        #expect(try file.count("SELECT count(*) FROM wide WHERE a7 = 'x'") == count)
    }

    /// Memory is allocated piece by piece: pieces do not overlap, and each is aligned for its values.
    @Test func memoryIsTakenOnce() throws {
        var random = SplitMix64(state: 1)
        var memory = GrowingMemory()
        var taken: [(start: UInt, end: UInt)] = []
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<(Int.random(in: 0..<50, using: &random) == 0 ? 20_000 : 40), using: &random)
            if Bool.random(using: &random) {
                let words = memory.take(UInt64.self, count: count)
                words.initialize(repeating: .max)
                taken.append((UInt(bitPattern: words.baseAddress), UInt(bitPattern: words.baseAddress! + count)))
            } else {
                let bytes = memory.take(UInt8.self, count: count)
                bytes.initialize(repeating: 1)
                taken.append((UInt(bitPattern: bytes.baseAddress), UInt(bitPattern: bytes.baseAddress! + count)))
            }
        }
        let pieces = taken.filter { $0.start < $0.end }.sorted { $0.start < $1.start }
        #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.end <= $1.start })
    }

    // MARK: Helpers

    private static func state(_ number: Int, entity: UInt32, _ content: [UInt8]) -> RecordState {
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        return RecordState(
            key: RecordKey(entity: EntityID(entity), id: RecordID(high: 1, low: UInt64(number))),
            put: .init(stamp: stamp, base: nil, encoded: content), delete: number % 3 == 0 ? stamp : nil)
    }

    /// Returns the records that were read ahead, as text. The progress of the other thread is not deterministic, so that
    /// reading repeats until nearly all records have been seen.
    private static func readAhead(
        _ states: [RecordState], _ layout: Layout
    ) throws -> [Int: (slots: SlotStamps, term: UInt128, content: String?)] {
        var found: [Int: (slots: SlotStamps, term: UInt128, content: String?)] = [:]
        for _ in 0..<1000 where found.count < states.count - 16 {
            let reading = PageReading(states, layout)
            Thread.sleep(forTimeInterval: 0.02)
            for index in states.indices {
                guard let read = reading[index] else { continue }
                found[index] = (read.stamps, read.term, read.content.map(text))
            }
            reading.end()
        }
        try #require(found.count == states.count - 16)
        return found
    }

    private static func read(_ record: RecordState, _ transaction: LocalTransaction) throws -> String {
        guard let table = transaction.layout[record.key.entity], let put = record.put else { return "no table" }
        do {
            return try RowCoding(table).withRow(put.encoded) { row in text(.success(row)) }
        } catch let unfit as RowCoding.Unfit {
            return text(.failure(unfit))
        }
    }

    private static func text(_ content: Result<RowCoding.Row, RowCoding.Unfit>) -> String {
        switch content {
        case .failure(let unfit): return "not \(unfit.reason)"
        case .success(let row):
            let cells = row.cells.map { cell in
                switch cell {
                case .absent: "absent"
                case .attribute(let value): "\(value.value)"
                case .reference(let target): "\(target)"
                }
            }
            return "row \(cells) \(row.extra.map { "\($0)" } ?? "nil")"
        }
    }
}
