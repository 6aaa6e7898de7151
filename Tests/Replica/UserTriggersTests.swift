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
}
