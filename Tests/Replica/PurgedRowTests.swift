import CSQLite
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Rows of records that the server has purged while this replica was away.
@Suite struct PurgedRowTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string", "optional": true}]}]}
        """

    /// No other device has content that was written past the triggers.
    @Test(arguments: [false, true]) func untrackedContentIsInTheJournal(isUntracked: Bool) throws {
        let (file, other) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema))
        try other.sql("INSERT INTO person(name) VALUES ('Ana')")
        let change = try #require(try other.replica.sealChanges(SealedPushes.limits).first)
        let (key, encoded) = (change.key, try #require(change.encodedPut))
        let stamp = HybridTimestamp(time: change.stamp.time, replica: ReplicaID(rawValue: 9))
        let record = RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: encoded))
        _ = try file.replica.apply([record], checkpoint: [1], serverTime: nil)
        if isUntracked {
            try file.plain.writeWithoutTransaction { database in
                _ = csqlite_enable_triggers(try #require(database.sqliteConnection), 0)
                try database.execute(sql: "UPDATE person SET name = 'unseen'")
            }
        }
        _ = try file.replica.apply([], purged: [key], checkpoint: [2], serverTime: nil)
        #expect(try file.texts("SELECT count(*) FROM person") == ["0"])
        let journal = try file.replica.journal()
        #expect(journal.map(\.outcome) == (isUntracked ? [.damaged] : []))
        #expect(journal.allSatisfy { $0.put.map { String(decoding: $0, as: UTF8.self).contains("unseen") } ?? false })
    }
}
