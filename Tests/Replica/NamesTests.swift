import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Entities, attributes and relationships may have any name that a schema accepts, and other programs' columns any name that
/// SQLite accepts.
@Suite struct NamesTests {
    /// SQLite's keywords (sqlite.org/lang_keywords.html).
    static let keywords = """
        ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE CASE CAST CHECK
        COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT
        DEFERRABLE DEFERRED DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER
        FIRST FOLLOWING FOR FOREIGN FROM FULL GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER
        INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS
        OF OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY RAISE RANGE RECURSIVE REFERENCES REGEXP
        REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY THEN TIES TO
        TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    /// Words that are no keywords, but have a meaning in a trigger, in Roost's statements, or for SQLite.
    static let special = [
        "old", "new", "excluded", "main", "temp", "true", "false", "source", "roos", "sqlit", "c", "f", "h", "k", "m",
        "n", "o", "p", "r", "v", "x", "one",
        "at", "txn",
        "entity", "applying", "reading", "deletes", "put_stamp", "control", "mark", "fact", "rule", "target",
        "relationship",
        "generated_always", "stored", "strict", "any", "json", "julianday", "max", "random", "last_insert_rowid",
    ]

    /// The names of one schema.
    struct Names: CustomTestStringConvertible {
        let parent: String
        let child: String
        let attribute: String
        let toMany: String
        let toOne: String
        let rule: String

        var testDescription: String { "\(rule): \(parent) \(child) \(attribute) \(toMany) \(toOne)" }

        var schema: String {
            """
            {"format": 1, "name": "names", "version": 1, "entities": [
              {"id": 1, "name": "\(parent)", "attributes": [{"id": 1, "name": "\(attribute)", "type": "string"}], "relationships": [
                {"id": 5, "name": "\(toMany)", "kind": "toMany", "destination": "\(child)", "inverse": "\(toOne)", "deleteRule": "\(rule)"}]},
              {"id": 2, "name": "\(child)", "attributes": [{"id": 1, "name": "\(attribute)", "type": "string"}], "relationships": [
                {"id": 8, "name": "\(toOne)", "kind": "toOne", "destination": "\(parent)", "inverse": "\(toMany)"}]}]}
            """
        }
    }

    static let rules = ["cascade", "nullify", "deny", "noAction"]

    /// Every word as a name of an entity, an attribute and a relationship, for each delete rule, in random schemas.
    static let all: [Names] = rules.flatMap { rule in
        let words = (keywords + special).map { $0.lowercased() }
        var random = SplitMix64(state: 44)
        let count = words.count
        func names(_ places: [Int]) -> Names {
            Names(
                parent: words[places[0]].capitalized, child: words[places[1]], attribute: words[places[2]],
                toMany: words[places[3]],
                toOne: words[places[4]], rule: rule)
        }
        let each = stride(from: 0, to: count, by: 4).map { index in
            names((0..<5).map { (index + $0 * ($0 < 2 ? 1 : 7)) % count })
        }
        let drawn = (0..<15).map { _ in names(Array(Array(0..<count).shuffled(using: &random).prefix(5))) }
        return each + drawn
    }

    @Test(arguments: all) func theRulesHoldUnderAnyName(_ names: Names) throws {
        let file = try TemporaryReplica(names.schema)
        let other = try TemporaryReplica(names.schema, id: 2)
        let scope = MemoryScope()
        let (parent, child) = ("main.\"\(names.parent.lowercased())\"", "main.\"\(names.child.lowercased())\"")
        let (attribute, toOne) = ("\"\(names.attribute)\"", "\"\(names.toOne)\"")
        try file.sql(
            """
            INSERT INTO \(parent)(id, \(attribute)) VALUES (\(id(1)), 'p1'), (\(id(2)), 'p2');
            INSERT INTO \(child)(id, \(attribute), \(toOne)) VALUES (\(id(3)), 'a', \(id(1))), (\(id(4)), 'b', \(id(2))), (\(id(5)), 'c', NULL)
            """)
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try other.sql("UPDATE \(child) SET \(attribute) = 'edited' WHERE id = \(id(4))")
        let delete = "DELETE FROM \(parent) WHERE \(attribute) = 'p1'"
        if names.rule == "deny" {
            #expect(throws: DatabaseError.self) { try file.sql(delete) }
        } else {
            try file.sql(delete)
        }
        try file.sql(
            "UPDATE \(parent) SET \(attribute) = 'P2' WHERE id = \(id(2)); UPDATE \(child) SET id = \(id(6)) WHERE id = \(id(5))"
        )
        for replica in [file, other, file, other] { try scope.synchronise(replica.replica) }
        let children = [
            "cascade": ["edited1", "c0"], "nullify": ["a0", "edited1", "c0"], "deny": ["a1", "edited1", "c0"],
            "noAction": ["a1", "edited1", "c0"],
        ]
        for replica in [file, other] {
            #expect(
                try replica.texts("SELECT \(attribute) || (\(toOne) IS NOT NULL) FROM \(child) ORDER BY id")
                    == children[names.rule])
            #expect(
                try replica.texts("SELECT \(attribute) FROM \(parent) ORDER BY id")
                    == (names.rule == "deny" ? ["p1", "P2"] : ["P2"]))
            #expect(try replica.replica.status().waiting == 0)
            #expect(try replica.replica.digest() == scope.digest)
            #expect(try replica.replica.check().isSound)
        }
    }

    /// A quote is doubled whatever follows it: next to a combining mark it is part of a larger character.
    @Test(arguments: [
        "a\"b", "\"\u{301}", "x\"\u{600}", "'", "é", "e\u{301}", "É", "ﬀ", "select", "a b", "[", "`", "%",
        "\u{1F600}\"",
    ])
    func columnsOfOtherProgramsHaveAnyName(_ name: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let scope = MemoryScope()
        let quoted = String(decoding: name.utf8.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] }, as: UTF8.self)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("ALTER TABLE person ADD COLUMN \"\(quoted)\" TEXT")
        try scope.synchronise(file.replica)
        try file.sql(
            "UPDATE person SET \"\(quoted)\" = 'mine'; CREATE UNIQUE INDEX \"u\(quoted)\" ON person(\"\(quoted)\")")
        try scope.synchronise(file.replica)
        try file.sql("DELETE FROM person")
        try scope.synchronise(file.replica)
        #expect(try file.count("SELECT count(*) FROM person") == 0)
        try file.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(try file.texts("SELECT name || \"\(quoted)\" FROM person") == ["Anamine"])
        try file.sql("INSERT OR REPLACE INTO person(id, name, \"\(quoted)\") VALUES (\(id(2)), 'Bob', 'mine')")
        try scope.synchronise(file.replica)
        let other = try TemporaryReplica(TemporaryReplica.people, id: 2)
        try scope.synchronise(other.replica)
        #expect(try other.texts("SELECT name FROM person") == ["Bob"])
        #expect(try other.replica.digest() == file.replica.digest())
    }

    /// Two columns whose names differ for SQLite, but are equal for Swift, or two cases of one letter.
    @Test(arguments: [
        ("e\u{301}", "\u{e9}"), ("\u{c9}", "\u{e9}"), ("\u{3a3}", "\u{3c2}"),
        ("\u{130}", "i\u{307}"),
        ("\u{fb00}", "ff"), ("\u{212a}", "K"),
    ])
    func columnsOfOtherProgramsMayDifferByCaseOrForm(_ one: String, _ other: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let second = try TemporaryReplica(TemporaryReplica.people, id: 2)
        let scope = MemoryScope()
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        for replica in [file, second] { try scope.synchronise(replica.replica) }
        for name in [one, other] { try file.sql("ALTER TABLE person ADD COLUMN \"\(name)\" TEXT") }
        try file.sql(
            """
            CREATE TABLE "\(one)"("\(other)"); CREATE INDEX "i\(one)" ON person("\(one)"); CREATE INDEX "i\(other)" ON person("\(other)");
            UPDATE person SET "\(one)" = 'one', "\(other)" = 'other'
            """)
        _ = try file.replica.status()
        try second.sql("UPDATE person SET name = 'Ada'")
        for replica in [second, file] { try scope.synchronise(replica.replica) }
        try file.sql("DELETE FROM person")
        try scope.synchronise(file.replica)
        try file.replica.write("undelete") { try $0.undelete("Person", id: RecordID(high: 0, low: 1)) }
        #expect(try file.texts("SELECT name || \"\(one)\" || \"\(other)\" FROM person") == ["Adaoneother"])
        #expect(try file.replica.check().isSound)
    }
}
