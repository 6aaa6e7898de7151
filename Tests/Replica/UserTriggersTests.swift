import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Triggers of other programs while Roost writes pulled or derived rows.
@Suite struct UserTriggersTests {
    private func pair() throws -> (scope: MemoryScope, first: TemporaryReplica, second: TemporaryReplica) {
        (
            MemoryScope(), try TemporaryReplica(TemporaryReplica.people),
            try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
    }

    /// A write by the library runs user triggers, which write records that the library does not know of.
    @Test func whatATriggerWritesBesideAWriteOfTheLibraryIsSettled() throws {
        let (_, first, _) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            INSERT INTO spending(id, content, person) VALUES (\(id(8)), 'dinner', \(id(1)));
            CREATE TRIGGER touch AFTER UPDATE OF name ON person BEGIN
              UPDATE spending SET content = 'touched', person = \(id(2)); END
            """)
        _ = try first.replica.status()
        for name in ["Ada", "Eve"] {
            try first.replica.write("rename") { transaction in
                try transaction.put("Person", id: RecordID(high: 0, low: 1), ["name": .string(name)])
            }
            #expect(try first.count("SELECT count(*) FROM roost_outbox WHERE unsettled > 0") == 0)
        }
        #expect(try first.texts("SELECT content FROM spending") == ["touched"])
    }

    /// Writes of one trigger are reverted, and the full-text index that other triggers maintain follows.
    @Test func fullTextIndexFollowsWhatIsReverted() throws {
        let (scope, first, second) = try pair()
        try second.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'dinner')")
        try second.sql(
            TemporaryReplica.fullTextIndex + """
                INSERT INTO f(f) VALUES ('rebuild');
                CREATE TRIGGER touch AFTER INSERT ON person BEGIN
                  INSERT INTO spending(id, content) VALUES (\(id(9)), 'made');
                  UPDATE spending SET content = 'touched' WHERE content = 'dinner';
                  END
                """)
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [first, second, first] { try scope.synchronise(replica.replica) }
        #expect(try second.texts("SELECT content FROM spending") == ["dinner"])
        #expect(try second.count("SELECT count(*) FROM f('made')") == 0)
        #expect(try second.count("SELECT count(*) FROM f('dinner')") == 1)
        try second.sql("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// Texts keep bytes at which a driver would end them, and bytes that are not UTF-8, after a trigger has overwritten their
    /// row.
    @Test(arguments: ["CAST(x'610062' AS TEXT)", "CAST(x'61ff62' AS TEXT)", "''"])
    func whatIsRevertedKeepsItsBytes(text: String) throws {
        let (scope, first, second) = try pair()
        try second.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), \(text))")
        let before = try second.texts("SELECT hex(content) FROM spending")
        try second.replica.settle()
        try second.sql(
            """
            CREATE TRIGGER touch AFTER INSERT ON person BEGIN
              UPDATE spending SET content = 'touched'; DELETE FROM spending; END
            """)
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(first.replica)
        _ = try second.replica.apply(Array(scope.states.values), checkpoint: [1], serverTime: nil)
        #expect(try second.count("SELECT count(*) FROM person") == 1)
        #expect(try second.texts("SELECT hex(content) FROM spending") == before)
    }

    /// Only the trigger that fails is bypassed: the objects that the others maintain stay up to date.
    @Test(arguments: [
        "SELECT RAISE(ABORT, 'no')", "SELECT RAISE(FAIL, 'no')", "SELECT RAISE(ROLLBACK, 'no')", "SELECT RAISE(IGNORE)",
        "SELECT of_another_program(NEW.id)", "INSERT INTO missing VALUES (1)",
        "INSERT OR ROLLBACK INTO once VALUES (1)",
    ])
    func onlyTheTriggerThatFailsIsBypassed(body: String) throws {
        for timing in ["BEFORE", "AFTER"] {
            let (scope, first, second) = try pair()
            try second.sql(
                TemporaryReplica.fullTextIndex + """
                    CREATE TABLE once(n INTEGER PRIMARY KEY); INSERT INTO once VALUES (1);
                    CREATE TRIGGER mine \(timing) INSERT ON spending WHEN NEW.content LIKE 'd%' BEGIN \(body); END;
                    CREATE TABLE log(content); CREATE TRIGGER last AFTER INSERT ON spending BEGIN INSERT INTO log VALUES (NEW.content); END
                    """)
            _ = try second.replica.status()
            let list = "SELECT rowid || type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY rowid"
            let before = try second.texts(list)
            for number in 1...40 {
                try first.sql(
                    "INSERT INTO spending(id, content) VALUES (\(id(number)), '\(number % 2 == 0 ? "dinner" : "taxi") \(number)')"
                )
            }
            for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
            #expect(try second.count("SELECT count(*) FROM f('dinner')") == 20, "\(timing)")
            #expect(try second.count("SELECT count(*) FROM f('taxi')") == 20)
            #expect(try second.count("SELECT count(*) FROM log") == 40)
            try second.sql("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
            #expect(try second.texts(list) == before)
            #expect(
                try second.texts("SELECT text FROM roost_event WHERE kind = 'trigger'").contains {
                    $0.contains("bypassed")
                })
            #expect(try !second.replica.sessionStart().hasWaitingChanges)
            #expect(try first.replica.digest() == second.replica.digest())
        }
    }

    /// Of two triggers that keep a row from being deleted, one can never run, and the other passes over the row. Muting either
    /// alone is not enough.
    @Test(arguments: [true, false], [1, 3])
    func triggersThatTogetherKeepARowAreBypassed(isBrokenFirst: Bool, count: Int) throws {
        let (scope, first, second) = try pair()
        for number in 1...count {
            try first.sql(
                "INSERT INTO spending(id, content, person) VALUES (\(id(10 + number)), 'dinner', \(id(1)))")
        }
        try first.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        let passing = "CREATE TRIGGER passing BEFORE DELETE ON spending BEGIN SELECT RAISE(IGNORE); END"
        let broken = "CREATE TRIGGER broken BEFORE DELETE ON spending BEGIN SELECT of_another_program(OLD.content); END"
        // The rows survive the delete rule of the user's own statement, which only the passing trigger sees.
        try first.sql(passing + ";DELETE FROM person")
        try first.sql(isBrokenFirst ? "DROP TRIGGER passing; \(broken); \(passing)" : broken)
        try second.sql(isBrokenFirst ? "\(broken); \(passing)" : "\(passing); \(broken)")
        let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'roost%' ORDER BY rowid"
        let before = try first.texts(triggers)
        _ = try first.replica.check()
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        for replica in [first, second] {
            #expect(try replica.count("SELECT count(*) FROM spending") == 0)
            #expect(try replica.texts(triggers) == before)
        }
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// A trigger that runs during a delete rule's writes is still a user trigger.
    @Test(arguments: [
        "AFTER UPDATE OF approver ON spending BEGIN UPDATE spending SET content = 'note', approver = NULL WHERE id <> NEW.id; END",
        "BEFORE UPDATE OF approver ON spending BEGIN UPDATE spending SET content = 'note', approver = NULL; END",
        "AFTER UPDATE OF approver ON spending BEGIN UPDATE spending SET content = 'note'; END",
    ])
    func whatATriggerWritesWithinADeleteRuleIsTracked(trigger: String) throws {
        let (scope, first, second) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, approver) VALUES (\(id(11)), 'a', \(id(1))), (\(id(12)), 'b', \(id(1)));
            """)
        try scope.synchronise(first.replica)
        try first.sql("CREATE TRIGGER mine \(trigger)")
        _ = try first.replica.status()
        try first.sql("DELETE FROM person")
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        let notes = "SELECT content || ifnull(approver, '') FROM spending ORDER BY id"
        #expect(try first.texts(notes) == ["note", "note"])
        #expect(try second.texts(notes) == ["note", "note"])
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// A row that a trigger deletes and the statement inserts again has the inserted content.
    @Test(arguments: [false, true])
    func whatATriggerDeletesAndTheStatementInsertsAgainStands(isSent: Bool) throws {
        let (scope, first, second) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(11)), 'old', \(id(1)));
            """)
        if isSent { try scope.synchronise(first.replica) }
        try first.sql(
            """
            CREATE TRIGGER mine BEFORE INSERT ON spending BEGIN DELETE FROM spending WHERE person = NEW.person; END
            """)
        _ = try first.replica.status()
        try first.sql(
            """
            INSERT INTO spending(id, content, person) VALUES (\(id(12)), 'b', \(id(1))), (\(id(11)), 'new', \(id(1)))
            ON CONFLICT DO NOTHING
            """)
        let contents = "SELECT content FROM spending ORDER BY id"
        _ = try first.replica.status()
        #expect(try first.texts(contents) == ["new"])
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        #expect(try first.texts(contents) == ["new"])
        #expect(try second.texts(contents) == ["new"])
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// A BEFORE INSERT trigger may delete the row that a page is about to change, with the user's own columns.
    @Test func aTriggerBeforeInsertsLeavesOwnColumnsOfWhatIsPulled() throws {
        let (scope, first, second) = try pair()
        try first.sql("INSERT INTO spending(id, content) VALUES (\(id(11)), 'old')")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try first.sql(
            """
            ALTER TABLE spending ADD COLUMN mine TEXT;
            UPDATE spending SET mine = 'kept';
            CREATE TRIGGER mine BEFORE INSERT ON spending BEGIN DELETE FROM spending WHERE id = NEW.id; END
            """)
        try second.sql("UPDATE spending SET content = 'new'")
        for replica in [first, second, first] { try scope.synchronise(replica.replica) }
        #expect(try first.texts("SELECT content || mine FROM spending") == ["newkept"])
        #expect(try first.replica.status().waiting == 0)
    }

    /// Full-text indexes refer to rows by rowid, which has another name next to a user's column "rowid".
    @Test func aRevertedRowKeepsItsNumberBesideAColumnOfThatName() throws {
        let (scope, first, second) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(11)), 'a', \(id(1))), (\(id(12)), 'b', \(id(1)));
            """)
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        try second.sql(
            """
            ALTER TABLE spending ADD COLUMN rowid INTEGER;
            UPDATE spending SET "rowid" = 1000;
            UPDATE spending SET _rowid_ = 70 WHERE content = 'a';
            CREATE TRIGGER mine AFTER UPDATE ON person BEGIN DELETE FROM spending WHERE person = NEW.id; END
            """)
        try first.sql("UPDATE person SET name = 'Ada'")
        for replica in [first, second] { try scope.synchronise(replica.replica) }
        let rows = "SELECT content || _rowid_ || \"rowid\" FROM spending ORDER BY content"
        #expect(try second.texts(rows).first == "a701000")
    }

    /// Triggers that write to synchronised tables, including rows of the page that fires them.
    static let writing = [
        "AFTER UPDATE ON person BEGIN DELETE FROM spending WHERE person = NEW.id; END",
        "BEFORE UPDATE ON person BEGIN DELETE FROM spending; END",
        "BEFORE INSERT ON spending BEGIN DELETE FROM spending WHERE person = NEW.person; END",
        "AFTER INSERT ON spending BEGIN DELETE FROM person WHERE id = NEW.person; END",
        "AFTER UPDATE ON spending BEGIN DELETE FROM spending WHERE id <> NEW.id; END",
        "BEFORE DELETE ON person BEGIN DELETE FROM spending WHERE approver = OLD.id OR person = OLD.id; END",
        "AFTER DELETE ON person BEGIN UPDATE spending SET person = NULL WHERE person = OLD.id; END",
        "AFTER DELETE ON person BEGIN UPDATE spending SET person = NULL, approver = NULL, content = 'gone'; END",
        "BEFORE UPDATE OF approver ON spending BEGIN UPDATE spending SET content = 'note', approver = NULL WHERE id = NEW.id; END",
        "AFTER UPDATE OF approver ON spending BEGIN UPDATE spending SET content = 'note', approver = NULL WHERE id <> NEW.id; END",
        "AFTER DELETE ON spending BEGIN DELETE FROM spending; DELETE FROM person; END",
        "AFTER DELETE ON spending BEGIN INSERT INTO spending(id, content) VALUES (OLD.id, 'again'); END",
        "AFTER INSERT ON person BEGIN INSERT INTO spending(content, person) VALUES ('made', NEW.id); DELETE FROM spending WHERE content <> 'made'; END",
        "AFTER UPDATE ON person BEGIN UPDATE spending SET id = randomblob(16) WHERE person = NEW.id; END",
        """
        AFTER DELETE ON person BEGIN UPDATE spending SET content = 'noted' WHERE approver IS NULL; END;
        CREATE TRIGGER other BEFORE UPDATE OF approver ON spending WHEN NEW.approver IS NULL AND OLD.content = 'noted'
        BEGIN SELECT RAISE(IGNORE); END
        """,
        """
        AFTER UPDATE ON person BEGIN INSERT INTO spending(content) VALUES ('made'); END;
        CREATE TRIGGER other BEFORE DELETE ON spending WHEN OLD.content = 'made' BEGIN SELECT RAISE(IGNORE); END
        """,
    ]

    /// The writes of the triggers are reverted before Roost reads or writes anything else. The rowid of a row that one of
    /// them deletes is not used again. The row is hidden if a delete rule applies, and comes back unchanged.
    @Test(arguments: writing)
    func whatTriggersWriteBetweenRowsOfAPageIsReverted(trigger: String) throws {
        let (scope, first, second) = try pair()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob'), (\(id(3)), 'Cy');
            INSERT INTO spending(id, content, person, approver) VALUES (\(id(11)), 'a', \(id(1)), \(id(2))),
              (\(id(12)), 'b', \(id(1)), \(id(3))), (\(id(13)), 'c', \(id(3)), \(id(2))), (\(id(14)), 'd', \(id(2)), \(id(2))),
              (\(id(15)), 'e', NULL, \(id(2)))
            """)
        func expectSame(_ step: String) throws {
            for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
            for table in [
                "SELECT hex(id) || name FROM person ORDER BY id",
                "SELECT hex(id) || content || ifnull(hex(person), '') || '/' || ifnull(hex(approver), '') FROM spending ORDER BY id",
            ] {
                let (here, there) = (try first.texts(table), try second.texts(table))
                #expect(here == there, "\(step)")
            }
            #expect(try first.replica.digest() == second.replica.digest(), "\(step)")
            #expect(try !second.replica.sessionStart().hasWaitingChanges, "\(step)")
        }
        try expectSame("at first")
        try second.sql("CREATE TRIGGER mine \(trigger)")
        try first.sql(
            """
            UPDATE person SET name = 'Ada' WHERE id = \(id(1));
            INSERT INTO spending(id, content, person) VALUES (\(id(16)), 'f', \(id(1)));
            INSERT INTO person(id, name) VALUES (\(id(4)), 'Di');
            UPDATE spending SET approver = \(id(1)), amount = 5 WHERE id = \(id(12));
            UPDATE spending SET content = 'cc' WHERE id = \(id(13))
            """)
        try expectSame("edits and inserts")
        try first.sql("DELETE FROM person WHERE id IN (\(id(2)), \(id(3)))")
        try expectSame("deletes")
        try first.replica.write("back") {
            try $0.undelete("Person", id: RecordID(high: 0, low: 2))
            try $0.undelete("Person", id: RecordID(high: 0, low: 3))
        }
        try expectSame("undeletes")
        #expect(try second.count("SELECT count(*) FROM spending") == 6)
    }
}
