import Foundation
import GRDB
import RoostModel
import TestSupport
import Testing

@testable import Replica

/// Schemas of an untrusted client, and files of an untrusted program, bring no statements of their own.
@Suite struct HostileSchemaTests {
    /// Scalars that join a neighbour into one `Character`: before a quote, or behind it.
    static let joiners = [
        "\u{0600}", "\u{06DD}", "\u{0301}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}", "\u{0BD7}", "\u{110BD}",
    ]
    static let attacks = [
        "') STRICT; CREATE TABLE injected(a); --", "'); ATTACH 'injected.db' AS a; CREATE TABLE a.injected(b); --",
        "'; DROP TABLE roost_outbox; --", "\") STRICT; CREATE TABLE injected(a); --",
    ]
    static let defaults = joiners.flatMap { joiner in
        attacks.flatMap { attack in
            let quote = String(attack.unicodeScalars.first!)
            return ["x\(joiner)\(attack)", "x\(quote)\(joiner)\(attack.dropFirst())", "\(joiner)\(attack)\(joiner)"]
        }
    }

    static func schema(_ version: Int, default text: String?) throws -> Schema {
        let value = text.map { ", \"default\": \(JSONValue.string($0).text)" } ?? ""
        return try Schema(
            json: """
                {"format": 1, "name": "trip", "version": \(version), "entities": [
                  {"id": 1, "name": "Person", "attributes": [
                    {"id": 1, "name": "name", "type": "string"\(value)}], "relationships": []}]}
                """)
    }

    /// Names of everything in the file.
    private func names(_ file: TemporaryReplica) throws -> [String] {
        try file.texts("SELECT name FROM sqlite_schema ORDER BY name")
    }

    @Test(arguments: defaults) func aDefaultIsItsTextAndNothingElse(_ text: String) throws {
        let honest = try TemporaryReplica(Self.schema(1, default: "x").source)
        let file = try TemporaryReplica(Self.schema(1, default: text).source)
        #expect(try names(file) == names(honest))
        try file.sql("INSERT INTO person(id) VALUES (\(id(1)))")
        let read = try file.texts("SELECT hex(name) FROM person")
        #expect(read == [Hex.encode(text.utf8).uppercased()])

        // A later version brings it, too.
        try honest.sql("INSERT INTO person(id) VALUES (\(id(1)))")
        let before = try names(honest)
        try honest.migrate(to: Self.schema(2, default: text))
        #expect(try names(honest) == before)
        try honest.sql("INSERT INTO person(id) VALUES (\(id(2)))")
        #expect(try honest.texts("SELECT hex(name) FROM person WHERE id = \(id(2))") == read)

        let memory = try MemoryReplica(Self.schema(1, default: text)) { _ in }
        #expect(memory.schema.name == "trip")
    }

    @Test func aStatementBringsNoOther() throws {
        let database = try DatabaseQueue()
        try database.write { database in
            #expect(throws: DatabaseError.self) {
                try database.executeOne("CREATE TABLE a(b); CREATE TABLE injected(c)")
            }
            #expect(throws: DatabaseError.self) { try database.makeAgain("ATTACH ':memory:' AS a") }
            #expect(throws: DatabaseError.self) { try database.makeAgain("CREATE TABLE a(b); DROP TABLE a") }
            try database.makeAgain("CREATE TABLE kept(b) -- by another program")
            #expect(try String.fetchAll(database, sql: "SELECT name FROM sqlite_schema") == ["kept"])
        }
    }

    /// Whatever text gets into a statement, another file is out of reach.
    @Test func noConnectionAttachesAFile() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        for connection in [ReplicaFile.Connection.local, .engine] {
            let queue = try DatabaseQueue(
                path: file.path, configuration: ReplicaFile.configuration(connection, .normal, FileWait(file.path)))
            #expect(throws: DatabaseError.self) {
                try queue.writeWithoutTransaction { try $0.execute(sql: "ATTACH ':memory:' AS other") }
            }
            try queue.close()
        }
        #expect(throws: ReplicaError.self) {
            _ = try MemoryReplica(try Schema(json: TemporaryReplica.people)) {
                try $0.execute(sql: "ATTACH ':memory:' AS other")
            }
        }
    }

    /// A column that another program has added has a default with quotes in it.
    @Test(arguments: joiners) func aDefaultOfAnotherProgramStaysItself(_ joiner: String) {
        func expression(_ text: String) -> String? {
            TableColumn(
                name: "x", type: "TEXT", isRequired: false, defaultValue: text, keyPosition: 0, isGenerated: false
            )
            .defaultExpression
        }
        #expect(expression("\"a\"\"\(joiner)b\"") == "'a\"\(joiner)b'")
        #expect(expression("\"a'\(joiner)b\"") == "'a''\(joiner)b'")
        #expect(expression("[a'\(joiner)]") == "'a''\(joiner)'")
        #expect(expression("\"a\" || \"\(joiner)b\"") == "\"a\" || \"\(joiner)b\"")
        #expect(expression("`a``b`") == "'a`b'")
        #expect(expression("\"") == "\"")
    }

    @Test func aTableWithAHostileNameIsCopiedByARepair() throws {
        let name = "odd\"\u{301}; DROP TABLE roost_state; --"
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("CREATE TABLE \(SQLName.quoted(name))(a); INSERT INTO \(SQLName.quoted(name)) VALUES (1)")
        let found = try DatabaseQueue()
        try found.write { fresh in
            try fresh.executeOne("CREATE TABLE \(SQLName.quoted(name))(a)")
            try file.plain.read { source in
                let isWhole = try TableCopy(of: name, from: source, to: fresh).run()
                #expect(isWhole)
            }
            #expect(try Int.fetchOne(fresh, sql: "SELECT a FROM \(SQLName.quoted(name))") == 1)
        }
    }
}
