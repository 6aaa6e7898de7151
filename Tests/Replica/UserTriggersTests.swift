import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import TestSupport
import Testing

/// Triggers of other programs while Roost writes what it has pulled or derived.
@Suite struct UserTriggersTests {
    private static let index = """
        CREATE VIRTUAL TABLE f USING fts5(content, content='spending');
        CREATE TRIGGER fi AFTER INSERT ON spending BEGIN INSERT INTO f(rowid, content) VALUES (NEW.rowid, NEW.content); END;
        CREATE TRIGGER fd AFTER DELETE ON spending BEGIN
          INSERT INTO f(f, rowid, content) VALUES ('delete', OLD.rowid, OLD.content); END;
        CREATE TRIGGER fu AFTER UPDATE ON spending BEGIN
          INSERT INTO f(f, rowid, content) VALUES ('delete', OLD.rowid, OLD.content);
          INSERT INTO f(rowid, content) VALUES (NEW.rowid, NEW.content); END;
        """

    private func pair() throws -> (scope: MemoryScope, first: TemporaryReplica, second: TemporaryReplica) {
        (
            MemoryScope(), try TemporaryReplica(TemporaryReplica.people),
            try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
    }

    /// A write of the library runs them, and they write records that it knows nothing of.
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
                try transaction.put("Person", id: RecordID(high: 0, low: 1), ["name": .text(name)])
            }
            #expect(try first.count("SELECT count(*) FROM roost_outbox WHERE unsettled > 0") == 0)
        }
        #expect(try first.texts("SELECT content FROM spending") == ["touched"])
    }

    /// Rows that one trigger writes are reverted, and the full-text index that other triggers keep of them follows.
    @Test func fullTextIndexFollowsWhatIsReverted() throws {
        let (scope, first, second) = try pair()
        try second.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'dinner')")
        try second.sql(
            Self.index + """
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

    /// Text keeps what a driver would end it at, and bytes that are no UTF-8, where a trigger wrote over its row.
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

    /// Only the trigger that fails is bypassed: what the others keep follows.
    @Test(arguments: [
        "SELECT RAISE(ABORT, 'no')", "SELECT RAISE(FAIL, 'no')", "SELECT RAISE(ROLLBACK, 'no')", "SELECT RAISE(IGNORE)",
        "SELECT of_another_program(NEW.id)", "INSERT INTO missing VALUES (1)",
        "INSERT OR ROLLBACK INTO once VALUES (1)",
    ])
    func onlyTheTriggerThatFailsIsBypassed(body: String) throws {
        for timing in ["BEFORE", "AFTER"] {
            let (scope, first, second) = try pair()
            try second.sql(
                Self.index + """
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
}
