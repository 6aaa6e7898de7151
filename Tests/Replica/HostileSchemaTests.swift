import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// Schemas of an untrusted client, and files of an untrusted program, cannot inject statements.
@Suite struct HostileSchemaTests {
    /// Scalars that join a neighbour into one `Character`: before a quote, or after it.
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

    /// The server accepts more attributes than SQLite has columns for.
    @Test func aSchemaThatSQLiteCannotTakeIsNamed() throws {
        let attributes = (1...3000).map { #"{"id": \#($0), "name": "a\#($0)", "type": "string"}"# }
        let schema = try Schema(
            json: #"{"format": 1, "name": "t", "version": 1, "entities": [{"id": 1, "name": "E", "attributes": ["#
                + attributes.joined(separator: ",") + "]}]}")
        let path = FileManager.default.temporaryDirectory.appending(path: "roost-wide-\(UUID().uuidString).roost").path
        let error = #expect(throws: ReplicaError.self) { try Replica.create(at: path, schema: schema) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.contains("\"E\": there are 3000 attributes and references") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The objects of an entity are found by its table and its trigger's name.
    @Test func theFingerprintOfALayoutCountsEachItemOnce() throws {
        let layout = Layout(try Self.schema(1, default: nil), .bytes)
        func item(_ number: Int64, _ kind: SchemaItem.Kind, _ name: String, _ table: String) -> SchemaItem {
            SchemaItem(number: number, kind: kind, name: name, table: table, rootPage: number, sql: "x\(number)")
        }
        let items = [
            item(1, .table, "PERSON", "PERSON"), item(2, .table, "roost_hidden_person", "roost_hidden_person"),
            item(3, .trigger, "roost_update_1", "person"), item(4, .trigger, "roost_update_1_x", "other"),
        ]
        let whole = LayoutFingerprint(items, layout)
        for place in items.indices {
            var fewer = items
            fewer.remove(at: place)
            #expect(LayoutFingerprint(fewer, layout).all != whole.all, "\(place)")
        }
        #expect(LayoutFingerprint(items + [item(5, .table, "other", "other")], layout).all == whole.all)
        #expect(LayoutFingerprint(items, layout).text == whole.text)
    }

    /// Returns the names of all objects in the file.
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

        // A migration that adds the attribute uses the exact default too.
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

    /// Even with injected SQL, a statement cannot reach another file.
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
