import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Names of schemas with links and trees, and names that a schema cannot have.
@Suite struct SchemaNamesTests {
    private static let words = (NamesTests.keywords + NamesTests.special).map { $0.lowercased() }

    private static func pairs(_ seed: UInt64, _ count: Int) -> [[String]] {
        var random = SplitMix64(state: seed)
        let each = stride(from: 0, to: words.count, by: 6).map { index in
            (0..<6).map { words[(index + $0) % words.count] }
        }
        return each + (0..<count).map { _ in Array(words.shuffled(using: &random).prefix(6)) }
    }

    // MARK: Links

    /// Tests many-to-many relationships with each delete rule that they can have.
    @Test(arguments: ["nullify", "deny"], pairs(45, 15))
    func linksFollowTheirRules(_ rule: String, _ names: [String]) throws {
        let schema = """
            {"format": 1, "name": "names", "version": 1, "entities": [
              {"id": 1, "name": "\(names[0])", "attributes": [{"id": 1, "name": "\(names[2])", "type": "string"}], "relationships": [
                {"id": 5, "name": "\(names[3])", "kind": "manyToMany", "destination": "\(names[1])", "inverse": "\(names[4])",
                 "deleteRule": "\(rule)"}]},
              {"id": 2, "name": "\(names[1])", "attributes": [{"id": 1, "name": "\(names[5])", "type": "string"}], "relationships": [
                {"id": 8, "name": "\(names[4])", "kind": "manyToMany", "destination": "\(names[0])", "inverse": "\(names[3])"}]}]}
            """
        let file = try TemporaryReplica(schema)
        let other = try TemporaryReplica(schema, id: 2)
        let scope = MemoryScope()
        let links = try #require(
            try file.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'roost!_%' ESCAPE '!' AND sql LIKE '%target%'"
            ).first { $0 != names[0] && $0 != names[1] })
        try file.sql(
            """
            INSERT INTO main."\(names[0])"(id, "\(names[2])") VALUES (\(id(1)), 'a'), (\(id(2)), 'b');
            INSERT INTO main."\(names[1])"(id, "\(names[5])") VALUES (\(id(3)), 'c');
            INSERT INTO main."\(links)"(source, target) SELECT a.id, c.id FROM main."\(names[0])" AS a, main."\(names[1])" AS c
            """)
        // Whichever end stores the links, `a` and `b` are linked with `c`.
        let count = "SELECT count(*) FROM main.\"\(links)\""
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        #expect(try other.count(count) == 2)
        let delete = "DELETE FROM main.\"\(names[0])\" WHERE \"\(names[2])\" = 'a'"
        if rule == "deny" {
            #expect(throws: DatabaseError.self) { try other.sql(delete) }
        } else {
            try other.sql(delete)
        }
        try file.sql("UPDATE main.\"\(names[1])\" SET \"\(names[5])\" = 'C'")
        for replica in [file, other, file, other] { try scope.synchronise(replica.replica) }
        for replica in [file, other] {
            #expect(try replica.count(count) == (rule == "deny" ? 2 : 1))
            #expect(try replica.texts("SELECT \"\(names[5])\" FROM main.\"\(names[1])\"") == ["C"])
            #expect(try replica.replica.status().waiting == 0)
            #expect(try replica.replica.digest() == scope.digest)
            #expect(try replica.replica.check().isSound)
        }
    }

    // MARK: Trees

    @Test(arguments: NamesTests.rules, pairs(46, 6))
    func treesFollowTheirRules(_ rule: String, _ names: [String]) throws {
        let schema = """
            {"format": 1, "name": "names", "version": 1, "entities": [
              {"id": 1, "name": "\(names[0])", "attributes": [{"id": 1, "name": "\(names[1])", "type": "string"}], "relationships": [
                {"id": 2, "name": "\(names[2])", "kind": "toOne", "destination": "\(names[0])", "inverse": "\(names[3])", "tree": true},
                {"id": 3, "name": "\(names[3])", "kind": "toMany", "destination": "\(names[0])", "inverse": "\(names[2])",
                 "deleteRule": "\(rule)"}]}]}
            """
        let file = try TemporaryReplica(schema)
        let other = try TemporaryReplica(schema, id: 2)
        let scope = MemoryScope()
        let (table, attribute, parent) = ("main.\"\(names[0])\"", "\"\(names[1])\"", "\"\(names[2])\"")
        try file.sql(
            """
            INSERT INTO \(table)(id, \(attribute), \(parent)) VALUES (\(id(1)), 'top', NULL), (\(id(2)), 'middle', \(id(1))),
              (\(id(3)), 'leaf', \(id(2))), (\(id(4)), 'else', NULL)
            """)
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        // A hierarchy always cascades, whatever delete rule its other side has.
        try file.sql("DELETE FROM \(table) WHERE \(attribute) = 'top'")
        try other.sql("UPDATE \(table) SET \(attribute) = 'ELSE' WHERE id = \(id(4))")
        for replica in [file, other, file, other] { try scope.synchronise(replica.replica) }
        for replica in [file, other] {
            #expect(
                try replica.texts("SELECT \(attribute) || (\(parent) IS NOT NULL) FROM \(table) ORDER BY id") == [
                    "ELSE0"
                ])
            #expect(try replica.replica.digest() == scope.digest)
            #expect(try replica.replica.check().isSound)
        }
    }

    // MARK: Names that a schema cannot have

    private static func schema(entity: String = "Thing", attribute: String = "value") -> String {
        """
        {"format": 1, "name": "names", "version": 1, "entities": [
          {"id": 1, "name": "\(entity)", "attributes": [{"id": 1, "name": "\(attribute)", "type": "string"}]},
          {"id": 2, "name": "Other", "attributes": [{"id": 1, "name": "Name", "type": "string"}]}]}
        """
    }

    /// The list of names that a table or trigger could confuse with another: Unicode case pairs, quotes, combining marks.
    @Test(arguments: ["é", "É", "a\\\"b", "'", "e\u{301}", "a b", "", "ſ", "\u{212A}"])
    func anEntityOrAttributeCannotBeCalled(_ name: String) throws {
        _ = try Schema(json: Self.schema())
        #expect(throws: (any Error).self) { try Schema(json: Self.schema(entity: name)) }
        #expect(throws: (any Error).self) { try Schema(json: Self.schema(attribute: name)) }
    }

    /// All tables of a file besides those of its schema belong to Roost. Entities and properties may not have their names.
    @Test func namesOfRoostsTablesAreRefused() throws {
        let file = try TemporaryReplica(Self.schema())
        let own = try file.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'roost%'")
        #expect(own.count > 20)
        for name in own + ["roost", "Roost_new", "sqlite_schema", "SQLite_sequence"] {
            #expect(throws: (any Error).self, "\(name)") { try Schema(json: Self.schema(entity: name)) }
            guard !name.lowercased().hasPrefix("sqlite") else { continue }
            #expect(throws: (any Error).self, "\(name)") { try Schema(json: Self.schema(attribute: name)) }
        }
    }

    /// SQLite would take such a name for the rowid, or two of them for one name.
    @Test(arguments: ["id", "ID", "rowid", "ROWID", "oid", "_rowid_", "é", "É", "a\"b", "'", "e\u{301}", "a b", ""])
    func aPropertyCannotBeCalled(_ name: String) {
        let escaped = String(decoding: name.utf8.flatMap { $0 == 0x22 ? [0x5C, $0] : [$0] }, as: UTF8.self)
        #expect(throws: (any Error).self) { try Schema(json: Self.schema(attribute: escaped)) }
    }

    @Test(arguments: ["other", "OTHER", "oTher"])
    func namesThatDifferByCaseAloneAreOne(_ name: String) {
        #expect(throws: (any Error).self) { try Schema(json: Self.schema(entity: name)) }
    }

    /// An entity may have the name of its attribute in another case, or one of SQLite's names of the rowid.
    @Test(arguments: ["rowid", "Oid", "Id", "VALUE", "Name"])
    func anEntityMayBeCalled(_ name: String) throws {
        let schema = Self.schema(entity: name)
        let file = try TemporaryReplica(schema)
        let other = try TemporaryReplica(schema, id: 2)
        let scope = MemoryScope()
        let table = "main.\"\(name.lowercased())\""
        try file.sql("INSERT INTO \(table)(id, value) VALUES (\(id(1)), 'a'), (\(id(2)), 'b')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try other.sql("DELETE FROM \(table) WHERE value = 'a'; UPDATE \(table) SET id = \(id(3)) WHERE value = 'b'")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.texts("SELECT value FROM \(table)") == ["b"])
        #expect(try file.replica.digest() == other.replica.digest())
        #expect(try file.replica.check().isSound)
    }
}
