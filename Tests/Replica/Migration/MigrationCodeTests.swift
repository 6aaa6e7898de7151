import GRDB
import RoostModel
import TestScope
import Testing

@testable import Replica

/// The state that a plan's code sees, and the consequences of its errors.
@Suite struct MigrationCodeTests {
    private static func schema(_ version: Int, _ person: String, _ rest: String = "") -> String {
        """
        {"format": 1, "name": "people", "version": \(version), "entities": [
          {"id": 1, "name": "Person", "attributes": [\(person)]},
          {"id": 2, "name": "Town", "attributes": [{"id": 1, "name": "name", "type": "string"}]}\(rest)]}
        """
    }

    private static let name = #"{"id": 1, "name": "name", "type": "string"}"#
    private static let full = #"{"id": 1, "name": "full", "type": "string"}"#
    private static let given = #"{"id": 2, "name": "given", "type": "string", "optional": true}"#

    private let first = schema(1, name)
    private let second = schema(2, full)
    private let third = schema(3, "\(full), \(given)")

    private func replica() throws -> TemporaryReplica {
        let replica = try TemporaryReplica(first)
        try replica.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana Lima'), (\(id(2)), 'Bob Stone');
            INSERT INTO town(id, name) VALUES (\(id(1)), 'Porto'), (\(id(2)), 'Lyon')
            """)
        return replica
    }

    /// A stage's code uses the names of the previous version, whatever version a file has.
    @Test(arguments: [1, 2])
    func codeFindsTheNamesOfTheVersionBeforeIt(_ version: Int) throws {
        let replica = try replica()
        if version == 2 { try replica.migrate(to: Schema(json: second)) }
        let plan = try MigrationPlan([
            .inferred(Schema(json: second)),
            .custom(Schema(json: third)) { step in
                #expect(step.old.version == 2)
                try step.forEach("Person") { id, values in
                    guard case .string(let full)? = values["full"] else { return }
                    try step.transaction.put("Person", id: id, ["given": .string(String(full.prefix(3)))])
                }
            },
        ])
        try replica.migrate(by: plan)
        #expect(try replica.texts("SELECT given FROM person ORDER BY id") == ["Ana", "Bob"])
    }

    /// Also for entities whose tables stay: records that the code writes while it reads are not among the earlier ones.
    @Test func codeReadsTheRecordsAsTheyWereWhateverItWrites() throws {
        let replica = try replica()
        try replica.migrate(to: Schema(json: second))
        let plan = try MigrationPlan([
            .custom(Schema(json: third)) { step in
                var seen: [Value] = []
                for round in 0..<2 {
                    try step.forEach("Town") { id, values in
                        seen.append(values["name"] ?? .null)
                        try step.transaction.put("Town", id: id, ["name": .string("renamed")])
                        let twin = RecordID(derivedFrom: ["twin", id.description, "\(round)"])
                        try step.transaction.put("Town", id: twin, ["name": .string("twin")])
                    }
                }
                #expect(seen == ["Porto", "Lyon", "Porto", "Lyon"].map { Value.string($0) })
            }
        ])
        try replica.migrate(by: plan)
        #expect(
            try replica.texts("SELECT name FROM town ORDER BY name") == ["renamed", "renamed"]
                + Array(repeating: "twin", count: 4))
        #expect(
            try replica.count(
                "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'roost_old%' OR name LIKE 'roost_by_id%'") == 0)
    }

    /// A new delete rule applies to earlier deletes too. Code that wants to prevent this writes the visible state down.
    @Test func codeKeepsWhatALaterCascadeWouldHide() throws {
        func schema(_ version: Int, _ rule: String) throws -> Schema {
            try Schema(
                json: #"""
                    {"format": 1, "name": "notes", "version": \#(version), "entities": [
                      {"id": 1, "name": "Book", "relationships": [
                        {"id": 1, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "book", "deleteRule": "\#(rule)"}]},
                      {"id": 2, "name": "Note", "relationships": [
                        {"id": 1, "name": "book", "kind": "toOne", "destination": "Book", "inverse": "notes"}]}]}
                    """#)
        }
        let scope = MemoryScope()
        let replicas = try [1, 2].map { try TemporaryReplica(schema(1, "nullify").source, id: $0) }
        try replicas[0].sql(
            """
            INSERT INTO book(id) VALUES (\(id(1))), (\(id(2)));
            INSERT INTO note(id, book) VALUES (\(id(3)), \(id(1))), (\(id(4)), \(id(2))); DELETE FROM book WHERE id = \(id(1))
            """)
        for replica in replicas { try scope.synchronise(replica.replica) }
        let plan = try MigrationPlan([
            .custom(schema(2, "cascade")) { step in
                try step.forEach("Note") { id, values in
                    guard values["book"] == .null else { return }
                    try step.transaction.put("Note", id: id, ["book": .null])
                }
            }
        ])
        for replica in replicas {
            try replica.migrate(by: plan)
            #expect(try replica.count("SELECT count(*) FROM note") == 2)
        }
        for replica in replicas + replicas { try scope.synchronise(replica.replica) }
        try replicas[0].sql("DELETE FROM book")
        for replica in replicas + replicas {
            try scope.synchronise(replica.replica)
        }
        for replica in replicas { #expect(try replica.texts("SELECT hex(substr(id, 16)) FROM note") == ["03"]) }
    }

    @Test func aFullDiskIsNotTheCodesMistake() throws {
        let replica = try replica()
        let plan = try MigrationPlan([
            .custom(Schema(json: second)) { step in
                let pages = try Int.fetchOne(step.transaction.database, sql: "PRAGMA page_count") ?? 0
                try step.transaction.database.execute(sql: "PRAGMA max_page_count = \(pages)")
                for number in UInt64(10)..<10_000 {
                    let text = Value.string(String(repeating: "long ", count: 100))
                    try step.transaction.put("Town", id: RecordID(high: 0, low: number), ["name": text])
                }
            }
        ])
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(by: plan) }
        #expect(error?.code == .diskFull)
        replica.replica = try Replica(opening: replica.path)
        #expect(replica.replica.schema.version == 1)
    }

    @Test func whatTheTableRefusesIsSaidInWords() throws {
        let replica = try replica()
        let plan = try MigrationPlan([
            .custom(Schema(json: second)) { step in
                try step.transaction.put("Person", id: RecordID(high: 0, low: 9), ["given": .string("x")])
            }
        ])
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(by: plan) }
        #expect(
            error?.message
                == "Cannot migrate from version 1 of the schema \"people\" to version 2: its own step failed (Cannot write Person \(RecordID(high: 0, low: 9)): it has no property \"given\". Correct the name.). Nothing was changed."
        )
    }
}
