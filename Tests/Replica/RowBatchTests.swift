import RoostMerge
import RoostModel
import Testing

@testable import Replica

/// The result of a statement for many rows, and its effects.
@Suite struct RowBatchTests {
    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(TemporaryReplica.people)
    }

    @Test func saysWhetherRowsWereThere() throws {
        #expect(try write(areNew: true, "new") == .anew)
        #expect(try contents() == ["new"])
        #expect(try write(areNew: false, "edited") == .inPlace)
        #expect(try contents() == ["edited"])
        // SQLite reports the last inserted row of any statement.
        try file.loseRow("spending", "(SELECT max(id) FROM spending)")
        #expect(try write(areNew: false, "once more") == .anew)
        #expect(try contents() == ["once more"])
        #expect(try file.count("SELECT count(*) FROM spending") == RowBatch.size)
    }

    /// An existing row is not new; one that refers to another person is not edited in place.
    @Test func saysWhatItDidNotDo() throws {
        #expect(try write(areNew: true, "new") == .anew)
        #expect(try write(areNew: true, "again") == .incomplete(isAnew: false))
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(9)), 'Ana')")
        try file.sql("UPDATE spending SET person = \(id(9)) WHERE id = (SELECT max(id) FROM spending)")
        #expect(try write(areNew: false, "edited") == .incomplete(isAnew: false))
        try file.loseRow("spending", "(SELECT min(id) FROM spending)")
        #expect(try write(areNew: false, "edited again") == .incomplete(isAnew: true))
        try file.sql(
            "UPDATE spending SET person = NULL; CREATE UNIQUE INDEX own ON spending(content) WHERE content = 'one for all'"
        )
        #expect(try write(areNew: false, "one for all") == .incomplete(isAnew: false))
    }

    private func write(areNew: Bool, _ content: String) throws -> RowStore.BatchWriting {
        try file.replica.engineWrite("write") { database in
            let layout = file.replica.layout
            let table = try #require(layout[EntityID(2)])
            let put = Put(content: ContentCoding.encode([.init(property: PropertyID(1), value: .string(content))]))
                .encoded()
            return try RowCoding(table).withRow(put) { row in
                var batch = RowBatch(of: table, areNew: areNew)
                for number in 1...RowBatch.size {
                    let key = RecordKey(entity: table.entity, id: RecordID(high: 0, low: UInt64(number)))
                    batch.add(.init(key: key, row: row, encoded: put, held: nil, confirmed: SlotStamps()))
                }
                return try RowStore(database, layout).write(batch)
            }
        }
    }

    private func contents() throws -> [String] { try file.texts("SELECT DISTINCT content FROM spending") }
}
