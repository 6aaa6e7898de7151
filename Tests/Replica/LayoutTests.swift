import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Tables, triggers and rows that other programs have changed without Roost's triggers.
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

    /// No other device ever had the parent, and no delete rule has run: every other device hides the child.
    @Test func whatHangsOffANewRowThatIsGoneIsHidden() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'dinner', \(id(1)))
            """)
        try file.replica.settle()
        let triggers = try file.texts(
            "SELECT 'DROP TRIGGER \"' || name || '\"' FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'person'"
        )
        try file.sql(triggers.joined(separator: ";") + "; DELETE FROM person")
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT count(*) FROM spending") == ["0"])
        #expect(try file.texts("SELECT content FROM roost_hidden_spending") == ["dinner"])
    }

    /// The insert of the child was untracked, and the delete rule of its parent hides it.
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

    /// The delete is sent with the content of the row, so that other devices can undelete it.
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

    /// REPLACE deletes and inserts a row, which a delete rule then hides. The record exists, so that no delete is sent.
    @Test func aReplacedRowThatARuleHidesIsNotDeleted() throws {
        let scope = MemoryScope()
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

    /// A user trigger fails within a delete rule and keeps its effects: the protected child is stored in one table only.
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

    /// The sealed push has the earlier content. All rows are compared as soon as it is accepted.
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

    /// SQLite takes a quoted name in a default for a text, and a name in parentheses for a column.
    @Test(arguments: [
        "\"x y\"", "'it''s'", "\"a\"\"b\"", "plain", "[in brackets]", "`ticks`", "7", "-1.5", "x'01'", "NULL", "TRUE",
        "CURRENT_TIMESTAMP", "(1 + 2)",
    ])
    func aColumnWithAnyDefaultIsTheUsers(standard: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob')")
        try file.sql("DELETE FROM person WHERE id = \(id(2))")
        try file.replica.settle()
        let made = try file.texts("SELECT replace(sql, '\"person\"', 'made') FROM sqlite_schema WHERE name = 'person'")[
            0]
        try file.sql(
            """
            \(made.dropLast(") STRICT".count)), tag ANY DEFAULT \(standard)) STRICT;
            INSERT INTO made(id, name) SELECT id, name FROM person;
            DROP TABLE person; ALTER TABLE made RENAME TO person
            """)
        #expect(try file.replica.status().waiting == 2)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(3)), 'Eve')")
        let tags = try file.texts("SELECT DISTINCT quote(tag) FROM person")
        if standard != "CURRENT_TIMESTAMP" {
            #expect(try file.texts("SELECT DISTINCT quote(tag) FROM roost_hidden_person") == tags)
        }
        #expect(try file.replica.check().isSound)
    }

    /// No page brings the record again: neither the server nor another device resends it.
    @Test func aRecordThatAnIndexRefusedComesBackWhenTheIndexIsDropped() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'); CREATE UNIQUE INDEX u ON person(name)")
        try other.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Ana')")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.count("SELECT count(*) FROM roost_unfit") == 1)
        try file.sql("DROP INDEX u")
        #expect(try file.replica.status().unfit == 0)
        #expect(try file.texts("SELECT name FROM person") == ["Ana", "Ana"])
        #expect(try !file.replica.sessionStart().hasWaitingChanges)
    }

    /// The table's rows lack the server's values of that column. New rows lack nothing.
    @Test func newRowsOfATableWithoutAColumnAreSent() throws {
        let scope = MemoryScope()
        let notes = #"""
            {"format": 1, "name": "trip", "version": 1, "entities": [{"id": 1, "name": "Person", "attributes": [
              {"id": 1, "name": "name", "type": "string"}, {"id": 2, "name": "note", "type": "string", "optional": true}]}]}
            """#
        let (file, other) = (
            try TemporaryReplica(notes), try TemporaryReplica(notes, id: 2)
        )
        try file.sql("INSERT INTO person(id, name, note) VALUES (\(id(1)), 'Ana', 'hers')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
            INSERT INTO made SELECT id, name FROM person; UPDATE made SET name = 'Ada'; INSERT INTO made VALUES (\(id(2)), 'Bob');
            DROP TABLE person; ALTER TABLE made RENAME TO person
            """)
        for replica in [file, file, other, file, other] { try scope.synchronise(replica.replica) }
        for replica in [file, other] {
            #expect(
                try replica.texts("SELECT name || coalesce(note, '') FROM person ORDER BY id") == ["Anahers", "Bob"])
        }
        #expect(try file.texts("SELECT name FROM person_replaced") == ["Ada"])
    }

    /// A full resynchronisation for another reason does not answer the question to the user.
    @Test func aRowThatTheUserIsAskedAboutStaysAway() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob'), (\(id(3)), 'Eve')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql("DROP TRIGGER roost_delete_1; DELETE FROM person WHERE id IN (\(id(1)), \(id(2)))")
        #expect(try file.replica.status().missing == 2)
        try file.replica.pullAnew(.differs)
        try scope.synchronise(file.replica)
        #expect(try file.texts("SELECT name FROM person") == ["Eve"])
        #expect(try file.replica.status().missing == 2)
        // An edit from elsewhere is an answer.
        try other.sql("UPDATE person SET name = 'Ada' WHERE id = \(id(1))")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.replica.status().missing == 1)
        #expect(try file.replica.acceptMissingAsDeleted() == 1)
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try other.texts("SELECT name FROM person ORDER BY id") == ["Ada", "Eve"])
    }

    /// A key-value program creates its index and replaces keys before Roost has checked the layout. No other rows are deleted
    /// with the evicted ones.
    @Test func rowsThatAnUnseenIndexTookAwayTakeNothingAlong() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql(
            "UPDATE person SET name = 'Ada' WHERE id = \(id(1)); CREATE UNIQUE INDEX IF NOT EXISTS u ON person(name)")
        for round in 2...4 {
            try file.sql(
                "INSERT OR REPLACE INTO person(id, name) VALUES (\(id(10 * round)), 'k'), (\(id(10 * round + 1)), 'l')")
        }
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try file.replica.status().missing == 0)
        #expect(try file.replica.journal().isEmpty)
        for replica in [file, other] {
            #expect(try replica.texts("SELECT name FROM person ORDER BY name") == ["Ada", "k", "l"])
        }
    }

    /// Only this device has the value of a user's column in a row that an index removes from its table.
    @Test func theJournalKeepsColumnsOfARowThatAnIndexRefuses() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql(
            """
            ALTER TABLE person ADD COLUMN mine TEXT; CREATE UNIQUE INDEX u ON person(name);
            INSERT INTO person(id, name, mine) VALUES (\(id(1)), 'Ana', NULL), (\(id(2)), 'Bob', 'it''s mine')
            """)
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        for _ in 1...2 {
            try other.sql("UPDATE person SET name = 'Bob' WHERE id = \(id(2))")
            try other.sql("UPDATE person SET name = 'Ana' WHERE id = \(id(2))")
            for replica in [other, file] { try scope.synchronise(replica.replica) }
            let reason = try file.replica.journal().first { $0.outcome == .unfit }?.reason
            #expect(reason?.hasSuffix(#" Columns of other programs held: "mine" = 'it''s mine'."#) == true)
        }
    }

    /// A table that was recreated without Roost's CHECK may hold rows that are no records. They are reported, and kept in a
    /// table next to it.
    @Test func rowsWithOtherIdentifiersAreSetAside() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL) STRICT;
            INSERT INTO made SELECT id, name FROM person; INSERT INTO made VALUES (x'0102', 'Cy');
            DROP TABLE person; ALTER TABLE made RENAME TO person
            """)
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT name FROM person") == ["Ana"])
        #expect(try file.texts("SELECT name FROM person_replaced") == ["Cy"])
        #expect(try file.texts("SELECT text FROM roost_event").contains { $0.contains("person_replaced") })
    }

    /// Roost recreates one of its own tables while the replica is open. The next reader sees the new table instead of an
    /// error.
    @Test func aTableOfRoostsThatIsMadeAgainIsNoError() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        _ = try file.replica.status()
        try file.sql("DROP TABLE roost_missing")
        #expect(try file.replica.check().isSound)
        #expect(try file.replica.status().waiting == 0)
        try file.replica.write("Ana") {
            try $0.put("Person", id: RecordID(high: 0, low: 1), ["name": .string("Ana")])
        }
        #expect(try file.replica.status().waiting == 1)
    }

    /// A program may recreate a table with another order of columns, and another may rename a column before Roost checks the
    /// layout.
    @Test func aColumnOfAnotherOrderGetsItsNameBack() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL, person BLOB, approver BLOB, guarantor BLOB, paid INTEGER, token BLOB,
              day TEXT, split TEXT, rate REAL, amount INTEGER, content TEXT NOT NULL);
            PRAGMA legacy_alter_table = ON; DROP TABLE spending; ALTER TABLE made RENAME TO spending;
            INSERT INTO spending(id, amount, paid, content) VALUES (\(id(2)), 7, 0, 'dinner');
            PRAGMA legacy_alter_table = OFF; ALTER TABLE spending RENAME COLUMN amount TO price
            """)
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT content || amount FROM spending") == ["dinner7"])
    }

    /// A view may name a column by its original name. SQLite then renames no column, unless it ignores the view.
    @Test func aColumnThatAViewStillNamesGetsItsNameBack() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'); ALTER TABLE person RENAME COLUMN name TO called;
            CREATE VIEW people AS SELECT id, name FROM person
            """)
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT name FROM people") == ["Ana"])
    }

    /// An invalid view prevents SQLite from renaming anything, unless it ignores the view. The trigger would then name a
    /// table that does not exist.
    @Test func aTriggerFollowsATableThatGetsItsNameBack() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO spending(id, content) VALUES (\(id(1)), 'tea');
            CREATE TRIGGER mine AFTER UPDATE OF content ON spending BEGIN
              UPDATE spending SET amount = 7 WHERE id = NEW.id;
            END;
            ALTER TABLE spending RENAME TO spent; CREATE VIEW broken AS SELECT 1 FROM nowhere
            """)
        #expect(try file.replica.status().waiting == 1)
        try file.sql("UPDATE spending SET content = 'coffee'")
        #expect(try file.texts("SELECT content || amount FROM spending") == ["coffee7"])
    }

    /// A row that replaced another with its identifier counts as no delete of that record if its table is dropped before
    /// Roost checks it.
    @Test(arguments: [
        "INSERT OR REPLACE INTO person(id, name) VALUES (\(id(2)), 'Bob')",
        "UPDATE OR REPLACE person SET id = \(id(2)) WHERE id = \(id(1))",
    ])
    func aRowThatWasReplacedIsNotDeletedWithItsTable(statement: String) throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Eve')")
        try scope.synchronise(file.replica)
        try file.sql("PRAGMA recursive_triggers = ON; \(statement); DROP TABLE person")
        try scope.synchronise(file.replica)
        #expect(try file.texts("SELECT name FROM person ORDER BY name").contains("Eve"))
        #expect(scope.states.values.allSatisfy { $0.key.id != RecordID(high: 0, low: 2) || $0.delete == nil })
    }

    /// Rows of a dropped table are still to be restored, even if a program changes the layout again before.
    @Test func aRowThatIsStillToComeIsNotDeleted() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("DROP TABLE person")
        #expect(try file.replica.status().waiting == 0)
        try file.sql("CREATE TRIGGER mine AFTER INSERT ON person BEGIN SELECT 1; END")
        #expect(try file.replica.status().waiting == 0)
        try scope.synchronise(file.replica)
        #expect(try file.texts("SELECT name FROM person") == ["Ana"])
    }

    /// The table's rows have no rowids, which the copy of other tables relies on.
    @Test(arguments: ["WITHOUT ROWID", "STRICT, WITHOUT ROWID"])
    func aTableWithoutRowNumbersIsMadeAgain(options: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL) \(options);
            INSERT INTO made SELECT id, name FROM person; INSERT INTO made VALUES (\(id(2)), 'Bob'), (x'0102', 'Cy');
            DROP TABLE person; ALTER TABLE made RENAME TO person
            """)
        #expect(try file.replica.status().waiting == 2)
        #expect(try file.texts("SELECT name FROM person ORDER BY name") == ["Ana", "Bob"])
        #expect(try file.texts("SELECT name FROM person_replaced") == ["Cy"])
        #expect(try file.replica.check().isSound)
    }

    /// The table's marks may be lost with it, so that all rows are compared.
    @Test func aReplicaOpensWithoutItsMarks() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'); DROP TABLE roost_mark")
        try file.replica.close()
        file.replica = try Replica(opening: file.path)
        #expect(try file.replica.status().waiting == 1)
        #expect(try waiting(file) == ["1 1 put"])
    }

    /// Only a program that bypasses the table's CHECK writes a row that is no record. It leaves no entry that is pending
    /// forever.
    @Test func aRowThatIsNoRecordDoesNotWait() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("PRAGMA ignore_check_constraints = ON; INSERT INTO person(id, name) VALUES (x'0102', 'short')")
        try scope.synchronise(file.replica)
        try file.sql("UPDATE person SET name = 'x'; PRAGMA ignore_check_constraints = OFF")
        try scope.synchronise(file.replica)
        #expect(try file.replica.status().waiting == 0)
    }

    /// A trigger belongs to Roost by its whole name. A column with the name of one of Roost's is reported.
    @Test func namesLikeRoostsAreTheUsers() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            CREATE TABLE log(name); CREATE INDEX roost_mine ON person(name);
            CREATE TRIGGER roost_audit AFTER INSERT ON person BEGIN INSERT INTO log VALUES (NEW.name); END;
            ALTER TABLE person ADD COLUMN roost_deleted INTEGER
            """)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try other.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.texts("SELECT name FROM log") == ["Ana"])
        #expect(try file.texts("SELECT text FROM roost_event").contains { $0.contains("has a name of Roost's") })
        try file.sql("UPDATE person SET roost_deleted = 7")
        try other.sql("DELETE FROM person")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        try other.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.texts("SELECT name FROM person") == ["Ana"])
    }

    /// An update to equal content leaves a pending change as it was: an edit made elsewhere in between wins.
    @Test func anUpdateToTheSameContentIsNone() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql("UPDATE person SET name = 'w1'")
        try other.sql("UPDATE person SET name = 'b1'")
        try scope.synchronise(other.replica)
        try file.sql("UPDATE person SET name = name")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try file.texts("SELECT name FROM person") == ["b1"])
        #expect(try other.texts("SELECT name FROM person") == ["b1"])
    }

    /// A recreated table may compare text with another collation than Roost.
    @Test func anEditOfCaseAloneIsAChange() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL CHECK(length(id) = 16), name TEXT NOT NULL COLLATE NOCASE) STRICT;
            PRAGMA legacy_alter_table = ON; DROP TABLE person; ALTER TABLE made RENAME TO person
            """)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'ana')")
        try scope.synchronise(file.replica)
        try file.sql("UPDATE person SET name = 'Ana'")
        #expect(try waiting(file) == ["1 1 put"])
    }

    /// The log names the triggers that are dropped with the view.
    @Test func theTriggersOfAViewAreNamed() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            ALTER TABLE person RENAME TO person_0; CREATE VIEW person AS SELECT * FROM person_0;
            CREATE TRIGGER tv INSTEAD OF INSERT ON person BEGIN INSERT INTO person_0(id, name) VALUES (NEW.id, NEW.name); END
            """)
        _ = try file.replica.status()
        #expect(try file.texts("SELECT text FROM roost_event").contains { $0.contains("CREATE TRIGGER tv") })
    }

    /// Only this device has the value of another program's column in a row that cannot be sent.
    @Test func aRowThatCannotBeSentTellsWhatOtherColumnsHeld() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("ALTER TABLE person ADD COLUMN mine TEXT; ALTER TABLE person ADD COLUMN empty TEXT")
        try file.sql("INSERT INTO person(id, name, mine) VALUES (\(id(1)), CAST(x'4AFC' AS TEXT), 'own value')")
        try scope.synchronise(file.replica)
        let reasons = try file.replica.journal().map(\.reason)
        #expect(reasons.count == 1 && reasons[0].contains("\"mine\" = 'own value'") && !reasons[0].contains("empty"))
    }
}
