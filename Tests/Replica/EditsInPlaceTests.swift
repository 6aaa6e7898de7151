import GRDB
import RoostModel
import Testing

@testable import Replica

/// An edit that keeps the references is written without their columns, with the result of writing the whole row.
@Suite struct EditsInPlaceTests {
    private static let count = 30

    @Test(arguments: 0..<8 as Range<UInt64>)
    func attributesAreWrittenAsWholeRowsAre(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bo')")
        let references = (0..<Self.count).map { _ in Self.references(&random) }
        let states = references.enumerated().map { number, references in
            RecordState(
                key: Self.key(number),
                put: .init(stamp: Self.stamp, base: nil, encoded: Self.put(references, &random)))
        }
        _ = try file.replica.apply(states, checkpoint: nil, serverTime: nil)
        // Some records are edited twice, so that content that the schema does not know also goes again.
        let edits = (0..<2 * Self.count).map { _ in
            let number = Int.random(in: 0..<Self.count, using: &random)
            return (Self.key(number), Self.put(references[number], &random))
        }
        let inPlace = try Self.rows(of: file, after: edits, inPlace: true)
        #expect(try Self.rows(of: file, after: edits, inPlace: false) == inPlace)
        #expect(inPlace.count > Self.count)
    }

    /// Returns the rows after the edits, and rolls these back.
    private static func rows(
        of file: TemporaryReplica, after edits: [(RecordKey, [UInt8])], inPlace: Bool
    ) throws -> [String] {
        struct RolledBack: Error {}
        var found: [String] = []
        do {
            try file.replica.engineWrite("edit") { database in
                let layout = file.replica.layout
                let table = try #require(layout[EntityID(2)])
                let rows = try RowStore(database, layout)
                for (key, put) in edits {
                    try RowCoding(table).withRow(put) { row in
                        if inPlace {
                            #expect(try rows.writeAttributes(row, to: key, in: table))
                        } else {
                            try rows.write(row, to: key, in: table, .visible)
                        }
                    }
                }
                for sql in ["SELECT * FROM spending ORDER BY id", "SELECT * FROM roost_extra ORDER BY id"] {
                    found += try Row.fetchAll(database, sql: sql).map { "\($0)" }
                }
                throw RolledBack()
            }
        } catch {}
        return found
    }

    private static let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))

    private static func key(_ number: Int) -> RecordKey {
        RecordKey(entity: EntityID(2), id: RecordID(high: 1, low: UInt64(number)))
    }

    private static func references(_ random: inout SplitMix64) -> [Put.Reference] {
        ([8, 9] as [UInt32]).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }.map { property in
            let person = RecordID(high: 0, low: UInt64.random(in: 1...2, using: &random))
            return Put.Reference(relationship: PropertyID(property), target: person)
        }
    }

    /// Makes a put with some of the attributes, and sometimes with one that the schema does not know.
    private static func put(_ references: [Put.Reference], _ random: inout SplitMix64) -> [UInt8] {
        let number = Int64.random(in: 0..<1000, using: &random)
        let others: [ContentCoding.Field] = [
            .init(property: PropertyID(2), value: .integer(number)),
            .init(property: PropertyID(3), value: .string("2026-02-\(10 + number % 19)")),
            .init(property: PropertyID(4), value: .string("[\(number)]")),
            .init(property: PropertyID(11), value: .double(Double(number) / 8)),
            .init(property: PropertyID(12), value: .boolean(number.isMultiple(of: 2))),
            .init(property: PropertyID(99), value: .string("unknown \(number)")),
        ]
        let chosen = others.filter { _ in Bool.random(using: &random) }
        let content = ContentCoding.encode(
            [.init(property: PropertyID(1), value: .string("content \(number)"))] + chosen)
        return Put(references: references, content: content).encoded()
    }
}
