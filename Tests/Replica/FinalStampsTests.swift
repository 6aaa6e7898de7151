import GRDB
import RoostModel
import Testing

@testable import Replica

/// One statement writes all final stamps (``FinalStamps``), with the result of one update for each entry.
@Suite struct FinalStampsTests {
    private static let count = 40

    /// The stamps are of most entries, in any order. Some entries also hold a delete, and some stamps have no entry any more.
    @Test(arguments: 0..<24 as Range<UInt64>)
    func oneStatementWritesWhatOneForEachDoes(_ seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let file = try TemporaryReplica(TemporaryReplica.people)
        let entries = (0..<Self.count).map { Self.entry($0, &random) }
        try file.sql(entries.map(Self.insertSQL).joined(separator: "; "))
        let stamps = entries.shuffled(using: &random).dropLast(Int.random(in: 0...4, using: &random)).map { entry in
            let step = Int64.random(in: 0...9, using: &random)
            return (key: entry.key, put: entry.put.map { $0 + step }, delete: entry.delete.map { $0 + step })
        }
        let puts = stamps.count { $0.put != nil && $0.delete == nil }
        #expect(FinalStamps.isFaster(for: puts, of: Self.count))
        if seed % 3 == 0, let gone = stamps.randomElement(using: &random) {
            try file.sql("DELETE FROM roost_outbox WHERE id = \(Self.literal(gone.key))")
        }
        let each = try Self.outbox(of: file, after: stamps, of: nil)
        #expect(try Self.outbox(of: file, after: stamps, of: Self.count) == each)
    }

    /// Returns the rows of the outbox after the stamps were written, and rolls that back.
    private static func outbox(
        of file: TemporaryReplica, after stamps: [Outbox.Restamped], of waiting: Int?
    ) throws -> [String] {
        struct RolledBack: Error {}
        var rows: [String] = []
        do {
            try file.replica.engineWrite("restamp") { database in
                try Outbox(database: database).setStamps(stamps, of: waiting)
                rows = try Row.fetchAll(database, sql: "SELECT * FROM roost_outbox ORDER BY entity, id")
                    .map { "\($0)" }
                throw RolledBack()
            }
        } catch {}
        #expect(!rows.isEmpty)
        return rows
    }

    /// Makes an entry with a put, a delete or both.
    private static func entry(_ number: Int, _ random: inout SplitMix64) -> Outbox.Restamped {
        let key = RecordKey(
            entity: EntityID(UInt32.random(in: 1...2, using: &random)), id: RecordID(high: 7, low: UInt64(number)))
        let time = Int64.random(in: 1...1000, using: &random) << 16
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return (key, nil, time)
        case 1: return (key, time, time + 1)
        default: return (key, time, nil)
        }
    }

    private static func insertSQL(_ entry: Outbox.Restamped) -> String {
        func sql(_ time: Int64?) -> String { time.map { "\($0)" } ?? "NULL" }
        return """
            INSERT INTO roost_outbox(entity, id, put_stamp, del_stamp, first, txn, unsettled)
            VALUES (\(entry.key.entity), \(literal(entry.key)), \(sql(entry.put)), \(sql(entry.delete)), 0, 0, 0)
            """
    }

    private static func literal(_ key: RecordKey) -> String { "x'\(Hex.encode(key.id.bytes))'" }
}
