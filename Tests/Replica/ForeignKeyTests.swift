import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Foreign keys that other programs declare in tables of their own.
@Suite struct ForeignKeyTests {
    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
        """

    /// `SQLITE_DEFAULT_FOREIGN_KEYS` builds of SQLite have foreign keys on in each new connection, as GRDB makes them here.
    @Test(arguments: [ReplicaFile.Connection.local, .engine])
    func theyAreOffWhateverSQLiteHasByDefault(_ connection: ReplicaFile.Connection) throws {
        let file = try TemporaryReplica(Self.schema)
        var configuration = ReplicaFile.configuration(connection, .normal, FileWait(file.path))
        configuration.foreignKeysEnabled = true
        let queue = try DatabaseQueue(path: file.path, configuration: configuration)
        defer { try? queue.close() }
        #expect(try queue.read { try Int.fetchOne($0, sql: "PRAGMA foreign_keys") } == 0)
    }

    @Test func danglingReferencesAreCountedByTable() throws {
        let file = try TemporaryReplica(Self.schema)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (zeroblob(16), 'Ana');
            CREATE TABLE a(one BLOB REFERENCES person, two BLOB REFERENCES "PERSON"(id) ON DELETE CASCADE);
            CREATE TABLE b(id BLOB PRIMARY KEY REFERENCES person(id)) WITHOUT ROWID;
            INSERT INTO a VALUES (zeroblob(16), zeroblob(16)), (zeroblob(16), NULL);
            INSERT INTO b VALUES (zeroblob(16));
            """)
        #expect(try file.replica.check().dangling == [])
        try file.sql("DELETE FROM person")
        let check = try file.replica.check()
        #expect(check.dangling.map(\.table) == ["a", "b"])
        #expect(check.dangling.map(\.destination) == ["person", "person"])
        #expect(check.dangling.map(\.count) == [3, 1])
        #expect(check.isSound)
    }

    /// A foreign key may name a column that is no key, a table that does not exist, or a table of another program.
    @Test func foreignKeysThatCannotBeCheckedAreLeftOut() throws {
        let file = try TemporaryReplica(Self.schema)
        try file.sql(
            """
            CREATE TABLE by_name(name TEXT REFERENCES person(name));
            CREATE TABLE nowhere(id BLOB REFERENCES absent(id));
            CREATE TABLE own(id INTEGER PRIMARY KEY, of INTEGER REFERENCES own(id));
            INSERT INTO by_name VALUES ('Ana');
            INSERT INTO nowhere VALUES (zeroblob(16));
            INSERT INTO own VALUES (1, 2);
            """)
        let check = try file.replica.check()
        #expect(check.dangling == [])
        #expect(check.isSound)
    }
}
