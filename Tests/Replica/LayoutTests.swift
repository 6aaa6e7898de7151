import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import TestSupport
import Testing

/// Tables, triggers and rows that other programs have changed behind the triggers of Roost.
@Suite struct LayoutTests {
    private func waiting(_ file: TemporaryReplica) throws -> [String] {
        try file.replica.settle()
        return try file.texts(
            """
            SELECT entity || ' ' || substr(hex(id), -1) || CASE WHEN put_stamp IS NULL THEN '' ELSE ' put' END
              || CASE WHEN del_stamp IS NULL THEN '' ELSE ' delete' END FROM roost_outbox ORDER BY 1
            """)
    }

    @Test func aDroppedTriggerIsMadeAgainAndItsWritesAreFound() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let before = try file.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'roost%' ORDER BY name")
        try file.sql("DROP TRIGGER roost_insert_1; INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'roost%' ORDER BY name") == before)
        #expect(try waiting(file) == ["1 1 put"])
    }

    /// Nobody has seen the child come, and the delete rule of its parent takes it out of sight.
    @Test func aHiddenRowThatNobodySawIsAChange() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.replica.settle()
        try file.sql(
            """
            DROP TRIGGER roost_insert_2;
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'dinner', \(id(1)));
            DELETE FROM person WHERE id = \(id(1))
            """)
        #expect(try file.replica.status().waiting == 2)
        #expect(try waiting(file) == ["1 1 put delete", "2 2 put"])
    }

    /// It goes along with what the row held, so that others can bring it back.
    @Test func aDeletedRowThatNobodySawComeIsSentWithItsContent() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            DROP TRIGGER roost_insert_1; INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            DELETE FROM person WHERE id = \(id(1))
            """)
        #expect(try file.replica.status().waiting == 1)
        #expect(try waiting(file) == ["1 1 put delete"])
    }

    /// REPLACE deletes and inserts; then a delete rule hides the row. It exists, so nobody is told that it was deleted.
    @Test func aReplacedRowThatARuleHidesIsNotDeleted() throws {
        let scope = try MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql("INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'dinner', \(id(1)))")
        try scope.synchronise(file.replica)
        try file.sql(
            """
            PRAGMA recursive_triggers = 1;
            INSERT OR REPLACE INTO spending(id, content, person) VALUES (\(id(2)), 'supper', \(id(1)))
            """)
        try file.sql("DELETE FROM person WHERE id = \(id(1))")
        #expect(try waiting(file) == ["1 1 delete", "2 2 put"])
    }

    /// A trigger of the user's fails in the midst of a delete rule, and keeps what was done: the child that it protects stands in one table.
    @Test func aRuleThatFailsLeavesEachRowOnce() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            CREATE TRIGGER mine BEFORE DELETE ON spending WHEN OLD.content = 'locked'
              BEGIN SELECT RAISE(FAIL, 'locked'); END
            """)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql(
            """
            INSERT INTO spending(id, content, person)
            VALUES (\(id(2)), 'free', \(id(1))), (\(id(3)), 'locked', \(id(1)))
            """)
        _ = try file.replica.status()
        try file.replica.settle()
        #expect(throws: DatabaseError.self) { try file.sql("DELETE FROM person WHERE id = \(id(1))") }
        try file.replica.settle()
        let twice = "SELECT count(*) FROM spending AS v JOIN roost_hidden_spending AS h ON h.id = v.id"
        #expect(try file.count(twice) == 0)
        #expect(try file.count("SELECT count(*) FROM roost_rule") == 0)
    }

    /// What is under way says what the row held before: all is compared as soon as it has arrived.
    @Test func anEditThatNobodySawOfARowUnderWayIsFound() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.push(file.replica, atMost: 1) { _ in
            try? file.sql("DROP TRIGGER roost_update_1; UPDATE person SET name = 'Eve'")
            return nil
        }
        let page = try file.replica.apply(Array(scope.states.values), checkpoint: [1], serverTime: nil)
        #expect(page.isScrubDue)
        #expect(try file.replica.check().damaged.count == 1)
        try file.replica.pullAnew(.damaged)
        _ = try file.replica.apply(Array(scope.states.values), checkpoint: [2], serverTime: nil)
        try scope.synchronise(file.replica)
        #expect(try file.texts("SELECT name FROM person") == ["Eve"])
        #expect(try file.replica.digest() == scope.digest)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT name FROM person") == ["Eve"])
    }

    /// Roost makes a table of its own again while the replica is open, and the next who reads looks at the tables, not at an error.
    @Test func aTableOfRoostsThatIsMadeAgainIsNoError() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.status()
        try file.sql("DROP TABLE roost_missing")
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.status().waiting == 0)
        try file.replica.write("Ana") {
            try $0.put("Person", id: RecordID(high: 0, low: 1), ["name": .text("Ana")])
        }
        #expect(try file.replica.status().waiting == 1)
    }
}
