import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Links of a many-to-many relationship that programs write by SQL.
@Suite struct LinkRecordTests {
    private static let schema = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string"}],
           "relationships": [{"id": 2, "name": "tags", "kind": "manyToMany", "destination": "Tag", "inverse": "people"}]},
          {"id": 2, "name": "Tag", "attributes": [{"id": 1, "name": "word", "type": "string"}],
           "relationships": [{"id": 2, "name": "people", "kind": "manyToMany", "destination": "Person", "inverse": "tags"}]}]}
        """

    private static func link(_ person: Int, _ tag: Int) -> String { "(\(id(person)), \(id(tag)))" }

    /// Statements on people 1 and 2 and tags 11, 12 and 13. Ana has 11 and 12, Bob has 13.
    struct Writing: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let statements: String
        /// Pairs of a person and a tag.
        let links: [(Int, Int)]
    }

    static let all = [
        Writing(
            testDescription: "removed and added again in one transaction",
            statements: """
                DELETE FROM person_tags WHERE target = \(id(11)); INSERT INTO person_tags(source, target) VALUES \(Self.link(1, 11))
                """, links: [(1, 11), (1, 12), (2, 13)]),
        Writing(
            testDescription: "the whole set written again",
            statements: """
                DELETE FROM person_tags WHERE source = \(id(1));
                INSERT INTO person_tags(source, target) VALUES \(Self.link(1, 11)), \(Self.link(1, 12)), \(Self.link(1, 13))
                """, links: [(1, 11), (1, 12), (1, 13), (2, 13)]),
        Writing(
            testDescription: "moved onto a pair that was removed",
            statements: """
                DELETE FROM person_tags WHERE source = \(id(1)) AND target = \(id(11));
                UPDATE person_tags SET target = \(id(11)) WHERE source = \(id(1)) AND target = \(id(12))
                """, links: [(1, 11), (2, 13)]),
        Writing(
            testDescription: "targets swapped by one statement",
            statements: """
                UPDATE person_tags SET target = CASE target WHEN \(id(11)) THEN \(id(12)) ELSE \(id(11)) END WHERE source = \(id(1))
                """, links: [(1, 11), (1, 12), (2, 13)]),
        Writing(
            testDescription: "people swapped by one statement",
            statements: "UPDATE person_tags SET source = CASE source WHEN \(id(1)) THEN \(id(2)) ELSE \(id(1)) END",
            links: [(1, 13), (2, 11), (2, 12)]),
        Writing(
            testDescription: "rotated",
            statements: """
                INSERT INTO person_tags(source, target) VALUES \(Self.link(1, 13));
                UPDATE person_tags SET target = CASE target WHEN \(id(11)) THEN \(id(12)) WHEN \(id(12)) THEN \(id(13)) ELSE \(id(11)) END
                """, links: [(1, 11), (1, 12), (1, 13), (2, 11)]),
        Writing(
            testDescription: "moved along a chain",
            statements: """
                DELETE FROM person_tags WHERE target = \(id(13));
                UPDATE person_tags SET target = CASE target WHEN \(id(11)) THEN \(id(12)) ELSE \(id(13)) END
                """, links: [(1, 12), (1, 13)]),
        Writing(
            testDescription: "all made the same", statements: "UPDATE person_tags SET target = \(id(12))",
            links: [(1, 12), (2, 12)]),
        Writing(
            testDescription: "replaced by identifier",
            statements:
                "INSERT OR REPLACE INTO person_tags SELECT id, source, \(id(13)) FROM person_tags WHERE target = \(id(11))",
            links: [(1, 12), (1, 13), (2, 13)]),
    ]

    @Test(arguments: all, [true, false])
    func linksArriveAsTheyWereWritten(_ writing: Writing, isSent: Bool) throws {
        let (first, second) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2))
        let scope = MemoryScope()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            INSERT INTO tag(id, word) VALUES (\(id(11)), 'a'), (\(id(12)), 'b'), (\(id(13)), 'c');
            INSERT INTO person_tags(source, target) VALUES \(Self.link(1, 11)), \(Self.link(1, 12)), \(Self.link(2, 13))
            """)
        if isSent { try scope.synchronise(first.replica) }
        try first.sql(writing.statements)
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        // Each link has the identifier that the library would give it.
        let expected = writing.links.map { person, tag in
            Schema.linkID(
                of: EntityID(1 << 16 | 2), source: RecordID(high: 0, low: UInt64(person)),
                target: RecordID(high: 0, low: UInt64(tag))
            ).bytes
        }
        let ids = "SELECT lower(hex(id)) FROM person_tags ORDER BY 1"
        let texts = expected.map { $0.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
            .sorted()
        #expect(try first.texts(ids) == texts)
        #expect(try second.texts(ids) == texts)
        let ends = "SELECT count(*) FROM person_tags WHERE source IS NOT NULL AND target IS NOT NULL"
        #expect(try second.count(ends) == writing.links.count)
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// A link gets its identifier even if a user trigger refuses, ignores or undoes the write of it.
    @Test(arguments: [
        "BEFORE UPDATE ON person_tags BEGIN SELECT RAISE(ABORT, 'no'); END",
        "BEFORE UPDATE ON person_tags BEGIN SELECT RAISE(IGNORE); END",
        "BEFORE UPDATE ON person_tags BEGIN SELECT RAISE(ROLLBACK, 'no'); END",
        "AFTER UPDATE ON person_tags BEGIN DELETE FROM person_tags; END",
        "AFTER UPDATE ON person_tags BEGIN UPDATE tag SET word = 'touched'; END",
        "BEFORE DELETE ON person_tags BEGIN SELECT RAISE(IGNORE); END",
        "AFTER UPDATE ON person_tags BEGIN SELECT of_another_program(NEW.id); END",
    ])
    func triggersKeepNoLinkFromItsIdentifier(trigger: String) throws {
        let (first, second) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2))
        let scope = MemoryScope()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'); INSERT INTO tag(id, word) VALUES (\(id(11)), 'a'), (\(id(12)), 'b');
            CREATE TRIGGER mine \(trigger)
            """)
        _ = try first.replica.status()
        // The second link repeats the first.
        try first.sql(
            "INSERT INTO person_tags(source, target) VALUES \(Self.link(1, 11)), \(Self.link(1, 11)), \(Self.link(1, 12))"
        )
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        let links = "SELECT hex(id) || hex(target) FROM person_tags ORDER BY 1"
        #expect(try second.count("SELECT count(*) FROM person_tags") == 2)
        #expect(try first.texts(links) == second.texts(links))
        #expect(
            try first.texts("SELECT word FROM tag ORDER BY word") == second.texts("SELECT word FROM tag ORDER BY word"))
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// There are more links than one settling step handles: links that swap ends are in different steps.
    @Test func manyLinksTradePlaces() throws {
        let (first, second) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2))
        let scope = MemoryScope()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 6000)
            INSERT INTO tag(word) SELECT 't' || n FROM n;
            INSERT INTO person_tags(source, target) SELECT \(id(1)), id FROM tag WHERE CAST(substr(word, 2) AS INTEGER) % 3 <> 0;
            INSERT INTO person_tags(source, target) SELECT \(id(2)), id FROM tag WHERE CAST(substr(word, 2) AS INTEGER) % 3 <> 1
            """)
        try scope.synchronise(first.replica)
        try first.sql("UPDATE person_tags SET source = CASE source WHEN \(id(1)) THEN \(id(2)) ELSE \(id(1)) END")
        let links = "SELECT hex(source) || hex(target) FROM person_tags ORDER BY 1"
        let written = try first.texts(links)
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        #expect(try first.texts(links) == written)
        #expect(try second.texts(links) == written)
        #expect(try first.replica.digest() == second.replica.digest())
    }

    /// With a user's unique index over both ends, links that REPLACE evicts or IGNORE skips leave no records.
    @Test(arguments: [
        ["REPLACE", "IGNORE"], ["IGNORE"], ["REPLACE"], ["REPLACE", "REPLACE"], ["IGNORE", "REPLACE", "IGNORE"],
        ["FAIL"], ["REPLACE", "FAIL"], ["ABORT"],
    ])
    func aUniqueIndexOfTheUsersLeavesNoGhosts(clauses: [String]) throws {
        let (first, second) = (try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2))
        let scope = MemoryScope()
        try first.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            INSERT INTO tag(id, word) VALUES (\(id(11)), 'a'), (\(id(12)), 'b');
            INSERT INTO person_tags(source, target) SELECT person.id, tag.id FROM person, tag
            """)
        try scope.synchronise(first.replica)
        try first.sql("CREATE UNIQUE INDEX u ON person_tags(source, target)")
        _ = try first.replica.status()
        for (number, clause) in clauses.enumerated() {
            // Without a transaction, so that FAIL and ABORT end the statement only.
            try? first.plain.writeWithoutTransaction {
                try $0.execute(
                    sql: """
                        INSERT OR \(clause) INTO person_tags(source, target) SELECT person.id, tag.id FROM person, tag
                        \(number == 0 ? "WHERE tag.word = 'a'" : "")
                        """)
            }
        }
        for replica in [first, second, first, second] { try scope.synchronise(replica.replica) }
        let links = "SELECT hex(id) || hex(source) || hex(target) FROM person_tags ORDER BY 1"
        #expect(try second.count("SELECT count(*) FROM person_tags") == 4)
        #expect(try first.texts(links) == second.texts(links))
        #expect(try first.count("SELECT count(*) FROM roost_hidden_person_tags WHERE roost_deleted = 0") == 0)
        try second.sql("DELETE FROM tag WHERE word = 'a'")
        for replica in [second, first, second] { try scope.synchronise(replica.replica) }
        #expect(try first.texts(links) == second.texts(links))
        let hidden = "SELECT hex(id) FROM roost_hidden_person_tags ORDER BY 1"
        #expect(try first.texts(hidden) == second.texts(hidden))
        #expect(try first.replica.digest() == second.replica.digest())
        #expect(try first.replica.status().unfit == 0)
    }

    /// Two devices in turn write links in one transaction. Both devices then have the links that the program read back.
    @Test func linksOfRandomTransactionsArrive() throws {
        for seed in 1...25 as ClosedRange<UInt64> {
            var random = SplitMix64(state: seed)
            let replicas = [try TemporaryReplica(Self.schema), try TemporaryReplica(Self.schema, id: 2)]
            let scope = MemoryScope()
            let (people, tags) = (1...3, 11...14)
            try replicas[0].sql(
                people.map { "INSERT INTO person(id, name) VALUES (\(id($0)), 'p');" }.joined()
                    + tags.map { "INSERT INTO tag(id, word) VALUES (\(id($0)), 't');" }.joined())
            func synchronise() throws {
                for replica in replicas + replicas { try scope.synchronise(replica.replica) }
            }
            try synchronise()
            for _ in 0..<8 {
                let replica = replicas[Int.random(in: 0...1, using: &random)]
                func person() -> String { id(Int.random(in: people, using: &random)) }
                func tag() -> String { id(Int.random(in: tags, using: &random)) }
                let statements = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    switch Int.random(in: 0...9, using: &random) {
                    case 0...2: "INSERT INTO person_tags(source, target) VALUES (\(person()), \(tag()))"
                    case 3: "DELETE FROM person_tags WHERE source = \(person())"
                    case 4: "DELETE FROM person_tags WHERE target = \(tag())"
                    case 5: "UPDATE person_tags SET target = \(tag()) WHERE target = \(tag())"
                    case 6: "UPDATE person_tags SET source = \(person()) WHERE source = \(person())"
                    case 7:
                        "UPDATE person_tags SET target = CASE target WHEN \(id(11)) THEN \(id(12)) ELSE \(id(11)) END"
                    case 8:
                        "INSERT OR REPLACE INTO person_tags SELECT id, source, \(tag()) FROM person_tags WHERE target = \(tag())"
                    default:
                        "INSERT INTO person_tags(source, target) SELECT source, \(tag()) FROM person_tags WHERE target = \(tag())"
                    }
                }
                let links = "SELECT DISTINCT hex(source) || hex(target) FROM person_tags ORDER BY 1"
                try replica.sql(statements.joined(separator: ";"))
                let written = try replica.texts(links)
                try synchronise()
                for replica in replicas {
                    #expect(try replica.texts(links) == written, "seed \(seed): \(statements)")
                    #expect(
                        try replica.count("SELECT count(*) FROM person_tags") == written.count,
                        "seed \(seed): \(statements)")
                }
                #expect(try replicas[0].replica.digest() == replicas[1].replica.digest(), "seed \(seed)")
            }
        }
    }
}
