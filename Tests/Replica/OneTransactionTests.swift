import GRDB
import Replica
import Testing

/// Every transaction of the engine and of local writes is committed completely, or has no effect.
@Suite struct OneTransactionTests {
    private struct Refusal: Error {}

    private static let schema = """
        {"format": 1, "name": "list", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}]}]}
        """

    private let file: TemporaryReplica

    init() throws {
        file = try TemporaryReplica(Self.schema)
        try file.sql("CREATE TABLE note(text TEXT)")
    }

    private func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try file.plain.writeWithoutTransaction { try $0.inOneTransaction(.immediate, body) }
    }

    /// Adds a note, which proves that the connection is usable, and returns all notes.
    private func notesAfterOneMore() throws -> [String] {
        try write { try $0.execute(sql: "INSERT INTO note VALUES ('after')") }
        return try file.texts("SELECT text FROM note ORDER BY rowid")
    }

    @Test func isTakenBackWhereItsBodyThrows() throws {
        #expect(throws: Refusal.self) {
            try write { database in
                try database.execute(sql: "INSERT INTO note VALUES ('before')")
                throw Refusal()
            }
        }
        #expect(try notesAfterOneMore() == ["after"])
    }

    /// SQLite ends the transaction itself, as with a full disk. `body` may have caught the error of the statement.
    @Test func isNotTakenForCommittedWhereItEndedByItself() throws {
        let error = #expect(throws: DatabaseError.self) {
            try write { database in
                try database.execute(sql: "INSERT INTO note VALUES ('before')")
                try database.execute(sql: "ROLLBACK")
            }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        #expect(try notesAfterOneMore() == ["after"])
    }

    @Test func isTakenBackWhereItCannotBeCommitted() throws {
        try file.sql("CREATE TABLE whole(id INTEGER PRIMARY KEY)")
        try file.sql("CREATE TABLE half(whole INTEGER REFERENCES whole(id) DEFERRABLE INITIALLY DEFERRED)")
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = ON") }
        let error = #expect(throws: DatabaseError.self) {
            try write { database in
                try database.execute(sql: "INSERT INTO note VALUES ('before'); INSERT INTO half VALUES (1)")
            }
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        #expect(try notesAfterOneMore() == ["after"])
    }

    @Test func isGivenUpByAReaderThatStandsOnARow() throws {
        try file.sql("INSERT INTO note VALUES ('one'), ('two')")
        #expect(throws: Refusal.self) {
            try write { database in
                let rows = try database.query("SELECT text FROM note")
                _ = try rows.step()
                throw Refusal()
            }
        }
        #expect(try notesAfterOneMore() == ["one", "two", "after"])
    }
}
