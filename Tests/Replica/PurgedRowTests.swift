import CSQLite
import Foundation
import GRDB
import RoostModel
import TestScope
import Testing

@testable import Replica

/// Rows without slots, of records that the server has purged while this replica was away, or that come from another device.
@Suite struct PurgedRowTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string", "optional": true}]}]}
        """

    /// Only this device has the content of an untracked write.
    @Test(arguments: [false, true]) func untrackedContentIsInTheJournal(isUntracked: Bool) throws {
        let (file, other) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema))
        try other.sql("INSERT INTO person(name) VALUES ('Ana')")
        let change = try #require(try other.replica.sealChanges(.sample).first)
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

    /// An untracked insert has the identifier of a record that another device has created.
    @Test(arguments: [1, 60]) func rowUnderTheIdentifierOfANewRecordIsInTheJournal(records: Int) throws {
        let (file, other) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema))
        for number in 0..<records { try other.sql("INSERT INTO person(name) VALUES ('Ana \(number)')") }
        let changes = try other.replica.sealChanges(.sample)
        let states = try changes.map { change in
            let stamp = HybridTimestamp(time: change.stamp.time, replica: ReplicaID(rawValue: 9))
            return RecordState(
                key: change.key, put: .init(stamp: stamp, base: nil, encoded: try #require(change.encodedPut)))
        }
        let taken = try #require(states.last).key.id
        try file.plain.writeWithoutTransaction { database in
            _ = csqlite_enable_triggers(try #require(database.sqliteConnection), 0)
            try database.execute(
                sql: "INSERT INTO person(id, name) VALUES (?, 'unseen')", arguments: [Data(taken.bytes)])
        }
        _ = try file.replica.apply(states, checkpoint: [1], serverTime: nil)
        #expect(try file.texts("SELECT count(*) FROM person WHERE name LIKE 'Ana%'") == ["\(records)"])
        let journal = try file.replica.journal()
        #expect(journal.map(\.outcome) == [.damaged])
        #expect(journal.allSatisfy { $0.put.map { String(decoding: $0, as: UTF8.self).contains("unseen") } ?? false })
    }
}
