import Foundation
import TestProcesses

/// A local replica of a few spendings, in a folder of its own.
final class SpendingFile {
    private let folder: URL
    let path: String

    private static let schema = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "deny"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer", "default": 0},
            {"id": 3, "name": "rate", "type": "double", "optional": true},
            {"id": 4, "name": "paid", "type": "boolean", "default": false},
            {"id": 5, "name": "day", "type": "date", "optional": true},
            {"id": 6, "name": "at", "type": "timestamp", "optional": true},
            {"id": 7, "name": "in", "type": "json", "optional": true}], "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"}]}]}
        """

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-spendings-\(UUID().uuidString)")
        path = folder.appending(path: "trip.roost").path
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let schema = folder.appending(path: "schema.json")
        try Data(Self.schema.utf8).write(to: schema)
        try Programs.check("roost", "init", path, "--schema", schema.path)
        let output = try Programs.sql(
            path,
            """
            begin;
            insert into person(name) values ('Ana'), ('Éva'), ('Zoé');
            insert into spending(content, amount) values ('Boat', 3300), ('Taxi', 1250), ('Dinner', 4250), ('日本', 1250), ('Lost', 5);
            update spending set person = (select id from person where name = 'Ana') where content in ('Boat', 'Taxi');
            update spending set person = (select id from person where name = 'Éva') where content = 'Dinner';
            update spending set person = (select id from person where name = 'Zoé') where content = '日本';
            update spending set rate = 1.5, paid = 1, day = '2026-07-14', at = 1784020200000, "in" = '{"a":[1]}' where content = 'Taxi';
            commit
            """)
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}
