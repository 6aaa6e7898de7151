import Foundation
import GRDB
import Replica
import RoostMerge
import RoostModel
import TestScope
import Testing

/// The marks that triggers append, and their folding into the outbox.
@Suite struct MarksTests {
    /// Settling after each statement and after many statements gives equal pending changes, and an equal order of the two
    /// changes of a record.
    ///
    /// - Parameter statements: The approximate number of statements before the first settling. Up to 64 marks are folded one
    ///   by one, more by one statement.
    @Test(arguments: 0..<8, [30, 1000]) func lateIsAsGoodAsAtOnce(seed: UInt64, statements: Int) throws {
        var random = SplitMix64(state: seed)
        let atOnce = try TemporaryReplica(TemporaryReplica.people)
        let late = try TemporaryReplica(TemporaryReplica.people)
        for _ in 0..<150 {
            let statement = Self.statement(using: &random)
            for replica in [atOnce, late] {
                do {
                    try replica.sql(statement)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {}
            }
            try atOnce.replica.settle()
            if Int.random(in: 0..<statements, using: &random) == 0 { try late.replica.settle() }
            let counts = try [atOnce, late].map { try $0.replica.status().waiting }
            #expect(counts[0] == counts[1], "\(statement)")
        }
        if statements > 300 {
            for number in 0..<70 {
                for replica in [atOnce, late] {
                    try replica.sql("INSERT OR REPLACE INTO person(id, name) VALUES (\(id(number % 5 + 1)), 'again')")
                }
            }
            try atOnce.replica.settle()
            #expect(try late.count("SELECT count(*) FROM roost_mark") > 64)
        }
        // A local write folds the marks with equal results too.
        if seed % 2 == 0 { try late.replica.settle() } else { try late.replica.write("nothing") { _ in } }
        for query in [
            """
            SELECT hex(id) || (put_stamp IS NULL) || (del_stamp IS NULL) || (coalesce(put_stamp, 0) > coalesce(del_stamp, 0))
            FROM roost_outbox ORDER BY id
            """,
            "SELECT hex(id) || name FROM person ORDER BY id",
            "SELECT hex(id) || name || roost_deleted FROM roost_hidden_person ORDER BY id",
        ] {
            #expect(try atOnce.texts(query) == late.texts(query))
        }
        #expect(try late.count("SELECT count(*) FROM roost_mark") == 0)
    }

    private static func statement(using random: inout SplitMix64) -> String {
        let record = id(Int.random(in: 1...5, using: &random))
        let other = id(Int.random(in: 1...5, using: &random))
        let name = "'\(Int.random(in: 0..<100, using: &random))'"
        switch Int.random(in: 0..<7, using: &random) {
        case 0, 1: return "INSERT INTO person(id, name) VALUES (\(record), \(name))"
        case 2: return "INSERT OR REPLACE INTO person(id, name) VALUES (\(record), \(name))"
        case 3: return "UPDATE person SET name = \(name) WHERE id = \(record)"
        case 4: return "UPDATE person SET id = \(other) WHERE id = \(record)"
        default: return "DELETE FROM person WHERE id = \(record)"
        }
    }

    /// A record that is edited while its push is in flight stays pending: the reply is about the sent change.
    @Test func whatIsWrittenAnewIsNotAcknowledged() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        var pushed: [[UInt8]] = []
        try scope.push(replica.replica) { changes in
            for case .put(let content, _) in changes.map(\.kind) { pushed.append(content) }
            if pushed.count == 1 {
                try? replica.sql("INSERT OR REPLACE INTO person(id, name) VALUES (\(id(1)), 'Anne')")
            }
            return nil
        }
        #expect(Set(pushed).count == 2)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT name FROM person") == ["Anne"])
    }

    /// A statement that fails halfway, or a transaction that is rolled back, leaves no marks.
    @Test func whatIsTakenBackIsNotMarked() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        #expect(throws: DatabaseError.self) {
            try replica.sql(
                "INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob'), (\(id(3)), 'Chloé')")
        }
        #expect(try replica.texts("SELECT hex(id) FROM roost_mark").count == 1)
        #expect(try replica.replica.status().waiting == 1)
    }

    // MARK: Readers

    /// Readers count marked records as pending, and write nothing for it.
    @Test func marksCountAsWaiting() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob'), (\(id(3)), 'Chloé')")
        try scope.synchronise(replica.replica)
        let before = Int64(Date().timeIntervalSince1970 * 1000)
        try replica.sql("UPDATE person SET name = 'Ben' WHERE id = \(id(2))")
        try replica.replica.settle()
        try replica.sql("DELETE FROM person WHERE id IN (\(id(1)), \(id(2)))")
        try replica.sql("INSERT OR REPLACE INTO person(id, name) VALUES (\(id(3)), 'Cléo')")
        let status = try replica.replica.status()
        #expect(status.waiting == 3)
        #expect((before...(before + 60_000)).contains(try #require(status.waitingSince)))
        let log = try replica.replica.log(limit: 10).filter(\.isWaiting)
        #expect(log.count { $0.isDelete } == 2)
        #expect(log.count { !$0.isDelete } == 2, "the edit of Bob and what Chloé was replaced by")
        let deleted = try replica.replica.deleted()
        #expect(deleted.count == 2)
        #expect(deleted.allSatisfy { $0.deletedBy?.replica == ReplicaID(rawValue: 1) })
        #expect(
            try replica.replica.liveness(of: RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1)))
                == Liveness.deleted)
        #expect(try replica.replica.sessionStart().hasWaitingChanges)
        var seen: ForeignCommits?
        #expect(try replica.replica.hasUnsealedChanges(since: &seen))
        #expect(try replica.replica.check().isSound, "what was written anew is not what is confirmed, and not damaged")
        #expect(try replica.count("SELECT count(*) FROM roost_mark") == 3)
    }

    /// Folding the marks is no write of a record, and observers of writes see none.
    @Test func takenInTheMarksAreTheSameChanges() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        let marked = try replica.plain.read { try WriteToken($0) }
        try replica.replica.settle()
        #expect(try replica.plain.read { try WriteToken($0) } == marked)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(3)), 'Chloé')")
        #expect(try replica.plain.read { try WriteToken($0) } != marked)
    }

    // MARK: Moves by Roost

    /// Rows that come back with their parent are not marked.
    @Test func whatComesBackIsNotMarked() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try replica.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'pizza', \(id(1)))
            """)
        try MemoryScope().synchronise(replica.replica)
        try replica.sql("DELETE FROM person")
        #expect(try replica.count("SELECT count(*) FROM spending") == 0)
        // An earlier mark of another program is not lost with the marks of the move.
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(3)), 'Chloé')")
        try replica.replica.write("bring back") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(try replica.count("SELECT count(*) FROM spending") == 1)
        #expect(try replica.texts("SELECT hex(id) FROM roost_outbox ORDER BY id").map { $0.suffix(1) } == ["1", "3"])
        #expect(try replica.count("SELECT count(*) FROM roost_mark") == 0)
    }

    /// Inserts by a user trigger are tracked, even while a delete rule runs for a write of plain SQL.
    @Test func whatATriggerOfTheUsersInsertsIsTracked() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        try replica.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'pizza', \(id(1)));
            CREATE TRIGGER note AFTER DELETE ON spending BEGIN INSERT INTO person(name) VALUES ('noted ' || OLD.content); END
            """)
        try scope.synchronise(replica.replica)
        try replica.sql("DELETE FROM person WHERE id = \(id(1))")
        try scope.synchronise(replica.replica)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT name FROM person") == ["noted pizza"])
    }
}
