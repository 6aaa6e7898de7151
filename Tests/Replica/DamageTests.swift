import Foundation
import GRDB
import Replica
import RoostModel
import Testing

/// Replica files whose bytes were damaged.
@Suite struct DamageTests {
    /// The rows are whole: what waits is found and sent, although the index by identifier has lost it.
    @Test func damagedIndexLosesNoWaitingChange() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(name) VALUES ('Ana'), ('Bob'), ('Cem')")
        let root = try file.count("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_person_1'")
        let size = try file.count("PRAGMA page_size")
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        try file.plain.close()
        // The cells of an index stand at the end of its page.
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seek(toOffset: UInt64(root * size - 60))
        try handle.write(contentsOf: Data(count: 60))
        try handle.close()
        let replica = try Replica(opening: file.path)
        defer { try? replica.close() }
        var sent: [Change] = []
        let limits = PushLimits(
            changesPerPush: 100, bytesPerPush: 100_000, changesPerTransaction: 100, bytesPerTransaction: 100_000)
        _ = try replica.sealPushes(limits: limits) { push in
            sent += push.parts.flatMap(\.changes)
            return []
        }
        #expect(sent.count == 3)
    }
}
