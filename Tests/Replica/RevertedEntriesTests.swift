import Foundation
import Replica
import RoostModel
import TestScope
import Testing

/// The journal entries of writes by other programs' triggers that Roost reverted.
@Suite struct RevertedEntriesTests {
    private func pair() throws -> (scope: MemoryScope, first: TemporaryReplica, second: TemporaryReplica) {
        (
            MemoryScope(), try TemporaryReplica(TemporaryReplica.people),
            try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
    }

    private func reverted(_ file: TemporaryReplica) throws -> [JournalEntry] {
        try file.replica.journal().filter { $0.outcome == .reverted }
    }

    private func contains(_ text: String, _ entry: JournalEntry?) -> Bool {
        entry?.put.map { Data($0).range(of: Data(text.utf8)) != nil } ?? false
    }

    /// An update, an insert and a delete by triggers are journaled, each with its content.
    @Test func theJournalHasWhatATriggerWroteIntoASynchronisedTable() throws {
        let (scope, first, second) = try pair()
        try first.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'dinner'), (\(id(9)), 'taxi')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try second.sql(
            """
            CREATE TRIGGER touch AFTER INSERT ON person BEGIN
              UPDATE spending SET content = 'touched' WHERE id = \(id(8));
              DELETE FROM spending WHERE id = \(id(9));
              INSERT INTO spending(id, content) VALUES (\(id(10)), 'made');
              UPDATE person SET name = NEW.name || '!' WHERE id = NEW.id;
              END
            """)
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        #expect(try second.texts("SELECT content FROM spending ORDER BY id") == ["dinner", "taxi"])
        let entries = try reverted(second)
        func entry(_ number: UInt64) -> JournalEntry? {
            entries.first { $0.key.id == RecordID(high: 0, low: number) }
        }
        #expect(entries.count == 4)
        #expect(contains("touched", entry(8)))
        #expect(entry(9)?.put == nil && entry(9)?.reason.contains("deleted the record") == true)
        #expect(contains("made", entry(10)))
        #expect(contains("Ana!", entry(1)))
        #expect(entries.allSatisfy { $0.stamp == nil && $0.ordinal != nil })
        // Restoring an entry makes it a change.
        _ = try second.replica.restore(try #require(entry(8)?.ordinal))
        for replica in [second, first] { try scope.synchronise(replica.replica) }
        #expect(try first.texts("SELECT content FROM spending WHERE id = \(id(8))") == ["touched"])
    }

    /// Two devices with such triggers are idle after one round, and have one entry for each record, however often it is
    /// pulled.
    @Test func anUpdatedAtTriggerLeavesOneEntryForEachRecord() throws {
        let (scope, first, second) = try pair()
        let trigger = """
            CREATE TRIGGER updated AFTER UPDATE ON spending BEGIN
              UPDATE spending SET split = json_object('at', hex(randomblob(8))) WHERE id = NEW.id; END
            """
        try first.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'a'), (\(id(9)), 'b')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        for replica in [first, second] { try replica.sql(trigger) }
        for round in 1...5 {
            try first.sql("UPDATE spending SET amount = \(round)")
            for replica in [first, second] { try scope.synchronise(replica.replica) }
            #expect(try !second.replica.sessionStart().hasWaitingChanges)
            try scope.synchronise(first.replica)
            #expect(try !first.replica.sessionStart().hasWaitingChanges)
            #expect(try first.replica.digest() == second.replica.digest())
            #expect(try Set(reverted(second).map(\.key.id)).count == 2)
            #expect(try reverted(second).count == 2)
        }
        #expect(try reverted(first).isEmpty)
    }

    /// The newest entries stay, and the log reports that older ones are gone.
    @Test func theOldestEntriesAreForgotten() throws {
        let (scope, first, second) = try pair()
        try second.sql(
            "CREATE TRIGGER touch AFTER INSERT ON spending BEGIN UPDATE spending SET content = 'touched' WHERE id = NEW.id; END"
        )
        try first.sql(
            """
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100)
            INSERT INTO spending(id, content) SELECT CAST(zeroblob(14) || char(1 + n / 100, 1 + n % 100) AS BLOB), 'dinner' FROM n
            """)
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        #expect(try reverted(second).count == 1000)
        #expect(try second.count("SELECT count(*) FROM spending WHERE content = 'dinner'") == 1100)
        #expect(try second.count("SELECT count(*) FROM roost_event WHERE text LIKE '%older entries%'") == 1)
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// Writes of the user's own statement stay; writes of a trigger to derived rows are reverted and journaled.
    @Test func whatIsRevertedInAWriteOfTheLibraryIsJournaled() throws {
        let (_, first, _) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(8)), 'dinner', \(id(1)));
            """)
        _ = try first.replica.status()
        try first.replica.write("delete") { try $0.delete("Person", id: RecordID(high: 0, low: 1)) }
        try first.sql(
            "CREATE TRIGGER touch AFTER INSERT ON spending BEGIN UPDATE spending SET content = 'touched' WHERE id = NEW.id; END"
        )
        _ = try first.replica.status()
        try first.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(try first.texts("SELECT content FROM spending") == ["dinner"])
        #expect(contains("touched", try reverted(first).first))
        #expect(try first.count("SELECT count(*) FROM roost_event WHERE kind = 'trigger'") == 1)
    }

    /// A record with a reverted trigger write still gets entries when changes of it are refused or beaten.
    @Test func aRecordWithARevertedEntryStillGetsOthers() throws {
        let (scope, first, second) = try pair()
        try first.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'a')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try second.sql(
            "CREATE TRIGGER touch AFTER UPDATE ON spending BEGIN UPDATE spending SET amount = 7 WHERE id = NEW.id; END")
        try first.sql("UPDATE spending SET content = 'b'")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try second.sql("UPDATE spending SET content = 'mine'")
        _ = try second.replica.status()
        try first.sql("UPDATE spending SET content = 'theirs'")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        let outcomes = try second.replica.journal().map(\.outcome)
        #expect(outcomes.contains(.beaten))
        #expect(outcomes.filter { $0 == .reverted }.count == 1)
    }
}
