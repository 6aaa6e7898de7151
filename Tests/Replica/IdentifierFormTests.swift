import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import TestSupport
import Testing

/// Files that store identifiers as text, next to files that store them as bytes (``IdentifierForm``).
@Suite struct IdentifierFormTests {
    static let schema = """
        {"format": 1, "name": "forms", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [
            {"id": 1, "name": "name", "type": "string"}, {"id": 2, "name": "badge", "type": "uuid", "optional": true},
            {"id": 3, "name": "team", "type": "uuid", "optional": false, "default": "00112233-4455-6677-8899-aabbccddeeff"}],
           "relationships": [
            {"id": 5, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "cascade"},
            {"id": 6, "name": "debts", "kind": "toMany", "destination": "Spending", "inverse": "debtor", "deleteRule": "nullify"},
            {"id": 7, "name": "keys", "kind": "toMany", "destination": "Spending", "inverse": "holder", "deleteRule": "deny"},
            {"id": 9, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "people"}]},
          {"id": 2, "name": "Spending", "attributes": [
            {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "receipt", "type": "data", "optional": true}],
           "relationships": [
            {"id": 8, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 9, "name": "debtor", "kind": "toOne", "destination": "Person", "inverse": "debts"},
            {"id": 10, "name": "holder", "kind": "toOne", "destination": "Person", "inverse": "keys"},
            {"id": 11, "name": "whole", "kind": "toOne", "destination": "Spending", "inverse": "parts"},
            {"id": 12, "name": "parts", "kind": "toMany", "destination": "Spending", "inverse": "whole", "deleteRule": "cascade"}]},
          {"id": 3, "name": "Tag", "attributes": [{"id": 1, "name": "name", "type": "string"}], "relationships": [
            {"id": 2, "name": "people", "kind": "manyToMany", "destination": "Person", "inverse": "tags"}]}]}
        """

    @Test(arguments: IdentifierForm.allCases)
    func newIdentifiersAreUUIDs(_ form: IdentifierForm) throws {
        let file = try TemporaryReplica(Self.schema, identifiers: form)
        for _ in 0..<50 { try file.sql("INSERT INTO person(name) VALUES ('Ana')") }
        let digits = try file.texts("SELECT lower(\(form == .text ? "id" : "hex(id)")) FROM person")
        #expect(Set(digits).count == 50)
        let version = form == .text ? "7" : "4"
        for id in digits {
            #expect(id.count == 32 && String(id.dropFirst(12).prefix(1)) == version)
            #expect("89ab".contains(id.dropFirst(16).prefix(1)))
        }
        #expect(try file.texts("SELECT typeof(id) FROM person LIMIT 1") == [form == .text ? "text" : "blob"])
        #expect(try file.texts("SELECT value FROM roost_state WHERE name = 'format'") == [form == .text ? "8" : "7"])
        #expect(try file.replica.status().waiting == 50)
        // A UUID of version 7 begins with the time, by which records made later are greater.
        guard form == .text else { return }
        let milliseconds = try #require(UInt64(digits[0].prefix(12), radix: 16))
        let now = try file.count("SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)")
        #expect(abs(Int(milliseconds) - now) < 60_000)
    }

    @Test(arguments: ["upper(id)", "substr(id, 2)", "id || '0'", "randomblob(16)", "substr(id, 2) || 'g'", "7"])
    func onlyLowerCaseDigitsAreAccepted(_ value: String) throws {
        let file = try TemporaryReplica(Self.schema, identifiers: .text)
        try file.sql("INSERT INTO person(id, name) VALUES ('0a0b0c0d0e0f0a0b0c0d0e0f0a0b0c0d', 'Ana')")
        try file.sql("INSERT INTO spending(content, person) SELECT 'Taxi', id FROM person")
        for statement in [
            "INSERT INTO person(id, name) SELECT \(value), 'Bob' FROM person", "UPDATE person SET id = \(value)",
            "UPDATE person SET badge = \(value)", "UPDATE spending SET person = (SELECT \(value) FROM person)",
        ] {
            #expect(throws: DatabaseError.self) { try file.sql(statement) }
        }
        // The marks of refused statements name no record, and go.
        #expect(try file.replica.status().waiting == 2)
        try file.replica.settle()
        #expect(try file.count("SELECT count(*) FROM roost_mark") == 0)
    }

    /// The statements and steps of one random device, with identifiers as literals of the file.
    private struct Writer {
        let file: TemporaryReplica
        var random: SplitMix64
        var form: IdentifierForm { file.replica.identifiers }

        private mutating func some(_ table: String) throws -> String? {
            let rows = try file.texts("SELECT quote(id) FROM \(table) ORDER BY \(table == "tag" ? "name" : "rowid")")
            return rows.isEmpty ? nil : rows[Int(random.next() % UInt64(rows.count))]
        }

        mutating func write() throws {
            let word = "w\(random.next() % 1000)"
            let fresh = form.literal(RecordID(high: random.next(), low: random.next()))
            let person = try some("person") ?? "NULL"
            let spending = try some("spending") ?? "NULL"
            let column = ["person", "debtor", "holder"][Int(random.next() % 3)]
            let statement =
                switch random.next() % 12 {
                case 0, 1: "INSERT INTO person(id, name, badge) VALUES (\(fresh), '\(word)', \(fresh))"
                case 2: "INSERT INTO person(name) VALUES ('\(word)')"
                case 3, 4: "INSERT INTO spending(content, \(column), receipt) VALUES ('\(word)', \(person), x'00ff')"
                case 5: "UPDATE spending SET content = '\(word)', \(column) = \(person) WHERE id = \(spending)"
                case 6:
                    "UPDATE spending SET whole = (SELECT max(id) FROM spending) WHERE id = \(spending) AND id < (SELECT max(id) FROM spending)"
                case 7: "UPDATE person SET name = '\(word)', badge = id WHERE id = \(person)"
                case 8: "DELETE FROM person WHERE id = \(person)"
                case 9: "DELETE FROM spending WHERE id = \(spending)"
                case 10:
                    "INSERT OR REPLACE INTO person(id, name) VALUES (\(person == "NULL" ? fresh : person), '\(word)')"
                default: "UPDATE OR IGNORE spending SET id = \(fresh) WHERE id = \(spending)"
                }
            do { try file.sql(statement) } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT
            {}
        }

        mutating func undelete() throws {
            let deleted = try file.replica.deleted()
            guard let record = deleted.first else { return }
            let name = ["", "Person", "Spending", "Tag"][Int(record.key.entity.rawValue)]
            try file.replica.write("undelete") { try $0.undelete(name, id: record.key.id) }
        }
    }

    /// All rows of a file with identifiers as digits.
    private func rows(_ file: TemporaryReplica) throws -> [String] {
        try ["person", "spending", "tag"].flatMap { table in
            let names = try file.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY name")
            let values = names.map {
                "lower(CASE typeof(\($0)) WHEN 'blob' THEN hex(\($0)) ELSE coalesce(\($0), '-') END)"
            }
            return try file.texts("SELECT '\(table)|' || \(values.joined(separator: " || '|' || ")) FROM \(table)")
                .sorted()
        }
    }

    @Test(arguments: 0..<12)
    func mixedFleetConverges(seed: UInt64) throws {
        let scope = MemoryScope()
        var writers = try [IdentifierForm.bytes, .text, .text].enumerated().map { number, form in
            let file = try TemporaryReplica(Self.schema, id: UInt64(number + 1), identifiers: form)
            return Writer(file: file, random: SplitMix64(state: seed << 8 | UInt64(number)))
        }
        for round in 0..<6 {
            for index in writers.indices {
                for _ in 0..<8 { try writers[index].write() }
                if round > 2 { try writers[index].undelete() }
                try scope.synchronise(writers[index].file.replica)
            }
        }
        for writer in writers + writers { try scope.synchronise(writer.file.replica) }
        let expected = try rows(writers[0].file)
        #expect(expected.count > 10)
        for writer in writers {
            #expect(try writer.file.replica.digest() == scope.digest)
            #expect(try rows(writer.file) == expected)
            let check = try writer.file.replica.check()
            #expect(check.faults.isEmpty && check.damaged.isEmpty && check.compared > 10)
            #expect(try writer.file.replica.status().waiting == 0)
        }
    }

    @Test func damageIsRepairedInTheFilesForm() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(Self.schema, identifiers: .text)
        try file.sql("INSERT INTO person(name) SELECT 'p' || value FROM json_each('[1,2,3,4,5]')")
        try file.sql("INSERT INTO spending(content, person) SELECT name, id FROM person")
        try scope.synchronise(file.replica)
        let before = try rows(file)
        try file.sql("ALTER TABLE person RENAME TO people")
        try scope.synchronise(file.replica)
        try file.sql("DROP TABLE spending")
        try scope.synchronise(file.replica)
        try scope.synchronise(file.replica)
        #expect(try rows(file) == before)
        let copy = file.path + "-copy"
        try file.copy(to: copy)
        let opened = try Replica(opening: copy)
        #expect(opened.identifiers == .text)
        #expect(try opened.digest() == scope.digest)
        try opened.close()
    }

    @Test func anUnreadablePageIsRepairedInTheFilesForm() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(Self.schema, identifiers: .text)
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        try file.sql("\(numbers) INSERT INTO person(name) SELECT 'p' || i FROM n")
        try scope.synchronise(file.replica)
        try file.plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try file.replica.close()
        try file.plain.close()
        let page = try TablePage(of: "person", child: 1, in: file.path).bytes
        let handle = try FileHandle(forWritingTo: URL(filePath: file.path))
        try handle.seek(toOffset: UInt64(page.lowerBound))
        try handle.write(contentsOf: Data(count: page.count))
        try handle.close()
        let (replica, _) = try Replica.repairing(opening: file.path)
        try scope.synchronise(replica)
        #expect(replica.identifiers == .text)
        #expect(try replica.digest() == scope.digest)
        #expect(
            try replica.select("SELECT count(*), count(typeof(id) = 'text') FROM person") == [
                [.integer(300), .integer(300)]
            ])
        try replica.close()
    }

    @Test func objectsBindIdentifiersInTheFilesForm() throws {
        let file = try TemporaryReplica(Self.schema, identifiers: .text)
        let id = RecordID(high: 7, low: 9)
        try file.replica.write("add Ana") { transaction in
            try transaction.put("Person", id: id, ["name": .string("Ana"), "badge": .data(id.bytes)])
            try transaction.put(
                "Spending", id: RecordID(high: 8, low: 1), ["content": .string("Taxi"), "person": .data(id.bytes)])
        }
        let digits = "00000000000000070000000000000009"
        #expect(try file.texts("SELECT badge FROM person WHERE id = '\(digits)'") == [digits])
        #expect(try file.texts("SELECT team FROM person") == ["00112233445566778899aabbccddeeff"])
        #expect(try file.texts("SELECT p.name FROM spending s JOIN person p ON p.id = s.person") == ["Ana"])
    }
}
