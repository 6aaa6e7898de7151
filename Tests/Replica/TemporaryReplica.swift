import Foundation
import GRDB
import Replica
import RoostModel
import TestSupport

/// A replica in its own folder, with a second connection without Roost's code, like that of `sqlite3` or a report tool.
final class TemporaryReplica {
    var replica: Replica
    let plain: DatabaseQueue
    let path: String
    private let folder: URL

    init(_ schemaText: String, id: UInt64 = 1, identifiers: IdentifierForm = .bytes) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "test.roost").path
        replica = try Replica.create(
            at: path, schema: try Schema(json: schemaText), identifiers: identifiers, durability: .normal)
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(10)
        plain = try DatabaseQueue(path: path, configuration: configuration)
        try replica.join(
            Membership(
                scope: ScopeID("00000000-0000-0000-0000-000000000001")!, scopeName: "test",
                replica: ReplicaID(rawValue: id), server: "http://127.0.0.1:1", token: "none", role: .owner,
                deviceName: "device \(id)"))
    }

    deinit {
        try? plain.close()
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func sql(_ sql: String) throws {
        try plain.write { try $0.execute(sql: sql) }
    }

    /// Makes a copy of the file, without a WAL.
    func copy(to path: String) throws {
        try plain.writeWithoutTransaction { try $0.execute(sql: "VACUUM INTO '\(path)'") }
        let copy = try DatabaseQueue(path: path)
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        try copy.close()
    }

    /// Removes a row without a trace, as corruption does; `id` is an SQL literal.
    func loseRow(_ table: String, _ id: String) throws {
        try sql(
            """
            UPDATE roost_control SET applying = 1000000;
            DELETE FROM \(table) WHERE id = \(id);
            UPDATE roost_control SET applying = 0
            """)
    }

    /// Converts the file to the layout before format 5: the state that a session changes is in rows of `roost_state` again.
    func dropControlColumns() throws {
        try sql(FormatSix.takenBack)
        try sql(FormatFive.takenBack)
    }

    /// Converts the file to the layout before format 4, without marks and the triggers that need them.
    func dropMarks() throws {
        try replica.settle()
        try dropControlColumns()
        let triggers = try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'roost!_%' ESCAPE '!'")
        try sql(
            triggers.map { "DROP TRIGGER \($0); " }.joined()
                + "DROP TABLE roost_mark; ALTER TABLE roost_control RENAME COLUMN clock TO hlc")
    }

    /// Returns the first column of all rows, as text.
    func texts(_ sql: String) throws -> [String] {
        try plain.read { try String.fetchAll($0, sql: sql) }
    }

    func count(_ sql: String) throws -> Int {
        try plain.read { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// A full-text index over the contents of spendings, maintained by triggers, as another program makes it.
    static let fullTextIndex = """
        CREATE VIRTUAL TABLE f USING fts5(content, content='spending');
        CREATE TRIGGER fi AFTER INSERT ON spending BEGIN INSERT INTO f(rowid, content) VALUES (NEW.rowid, NEW.content); END;
        CREATE TRIGGER fd AFTER DELETE ON spending BEGIN
          INSERT INTO f(f, rowid, content) VALUES ('delete', OLD.rowid, OLD.content); END;
        CREATE TRIGGER fu AFTER UPDATE ON spending BEGIN
          INSERT INTO f(f, rowid, content) VALUES ('delete', OLD.rowid, OLD.content);
          INSERT INTO f(rowid, content) VALUES (NEW.rowid, NEW.content); END;
        """

    static let people = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
             "deleteRule": "cascade"},
            {"id": 6, "name": "approved", "kind": "toMany", "destination": "Spending", "inverse": "approver"},
            {"id": 7, "name": "guaranteed", "kind": "toMany", "destination": "Spending", "inverse": "guarantor",
             "deleteRule": "deny"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"},
            {"id": 2, "name": "amount", "type": "integer", "default": 0},
            {"id": 3, "name": "day", "type": "date", "optional": true},
            {"id": 4, "name": "split", "type": "json", "optional": true},
            {"id": 11, "name": "rate", "type": "double", "optional": true},
            {"id": 12, "name": "paid", "type": "boolean", "default": false},
            {"id": 13, "name": "token", "type": "uuid", "optional": true}],
           "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 9, "name": "approver", "kind": "toOne", "destination": "Person", "inverse": "approved"},
            {"id": 10, "name": "guarantor", "kind": "toOne", "destination": "Person", "inverse": "guaranteed"}]}]}
        """
}

/// Returns the 16-byte identifier that ends in `number`, as an SQL literal.
func id(_ number: Int) -> String {
    "x'\(String(repeating: "0", count: 32 - String(number, radix: 16).count))\(String(number, radix: 16))'"
}
