import Foundation
import GRDB
import RoostModel
import Testing

@testable import Replica

/// The parts of a migration besides moving records: code, several versions at once, refusals, and other programs.
@Suite struct MigrationTests {
    private static func schema(_ version: Int, _ attributes: String, _ rest: String = "") -> String {
        """
        {"format": 1, "name": "people", "version": \(version)\(rest), "entities": [
          {"id": 1, "name": "Person", "attributes": [\(attributes)]}]}
        """
    }

    private static let name = #"{"id": 1, "name": "name", "type": "string"}"#
    private static let parts = #"""
        {"id": 2, "name": "given", "type": "string", "optional": true}, {"id": 3, "name": "family", "type": "string", "optional": true}
        """#
    private static let greeting = #"{"id": 4, "name": "greeting", "type": "string", "optional": true}"#

    private let first = schema(1, name)
    private let second = schema(2, "\(name), \(parts)")
    private let third = schema(3, "\(parts), \(greeting)")

    private func replica() throws -> TemporaryReplica {
        let replica = try TemporaryReplica(first)
        try replica.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana Lima'), (\(id(2)), 'Bob Stone')")
        return replica
    }

    /// Splits the name in records where it is not split yet.
    @Sendable private static func split(_ step: MigrationStep) throws {
        try step.forEach("Person") { id, values in
            guard case .string(let name)? = values["name"] else { return }
            let words = name.split(separator: " ").map { Value.string(String($0)) }
            try step.transaction.put("Person", id: id, ["given": words[0], "family": words[1]])
        }
    }

    private func plan() throws -> MigrationPlan {
        try MigrationPlan([
            .custom(Schema(json: second), Self.split),
            .custom(Schema(json: third)) { step in
                try step.forEach("Person") { id, values in
                    guard case .string(let given)? = values["given"] else { return }
                    try step.transaction.put("Person", id: id, ["greeting": .string("Hello \(given)")])
                }
            },
        ])
    }

    @Test func codeRunsInItsVersionsInOneTransaction() throws {
        let replica = try replica()
        try replica.migrate(by: plan())
        #expect(replica.replica.schema.version == 3)
        #expect(
            try replica.texts("SELECT given || '/' || family || '/' || greeting FROM person ORDER BY id")
                == ["Ana/Lima/Hello Ana", "Bob/Stone/Hello Bob"])
        #expect(try replica.count("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'roost_old%'") == 0)
        // The writes of the code are sent, with the fields of the first version.
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))
        let content = try #require(try replica.replica.content(of: key))
        let put = try Put(encoded: content)
        #expect(try ContentCoding.decode(put.content).map(\.property.rawValue) == [1, 2, 3, 4])
    }

    @Test func codeThatThrowsLeavesTheFileAsItWas() throws {
        struct Mistake: Error {}
        let replica = try replica()
        try replica.replica.settle()
        let before = try replica.tables()
        let plan = try MigrationPlan([
            .custom(Schema(json: second), Self.split), .custom(Schema(json: third)) { _ in throw Mistake() },
        ])
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(by: plan) }
        #expect(error?.code == .cannotMigrate)
        #expect(
            error?.message
                == "Cannot migrate from version 2 of the schema \"people\" to version 3: its own step failed (Mistake()). Nothing was changed."
        )
        replica.replica = try Replica(opening: replica.path)
        #expect(try replica.tables() == before)
        #expect(replica.replica.schema.version == 1)
    }

    @Test func whatCannotFollowIsRefused() throws {
        let replica = try replica()
        let other = try Schema(json: Self.schema(2, #"{"id": 1, "name": "name", "type": "date"}"#))
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(to: other) }
        #expect(error?.code == .cannotMigrate)
        #expect(
            error?.message
                == "Cannot migrate from version 1 of the schema \"people\" to version 2: Schema entity \"Person\", property \"name\": its id 1 was that of the string \"name\". Give it an id that was never used, and leave 1 to what it was. Nothing was changed."
        )
        #expect(throws: ReplicaError.self) {
            try MigrationPlan([.inferred(Schema(json: second)), .inferred(Schema(json: first))])
        }
        #expect(throws: ReplicaError.self) { try MigrationPlan([]) }
    }

    /// Several reasons are one line each.
    @Test func everyReasonOfARefusalIsALine() throws {
        let replica = try replica()
        let other = try Schema(
            json: Self.schema(
                2, #"{"id": 1, "name": "name", "type": "date"}, {"id": 2, "name": "age", "type": "integer"}"#))
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(to: other) }
        let lines = error?.message.split(separator: "\n") ?? []
        #expect(
            lines.first
                == "Cannot migrate from version 1 of the schema \"people\" to version 2, for 2 reasons. Nothing was changed."
        )
        #expect(lines.count == 3, "\(lines)")
        #expect(
            lines.dropFirst().contains { $0.hasPrefix("Schema entity \"Person\", property \"name\": ") }, "\(lines)")
        #expect(lines.dropFirst().contains { $0.hasPrefix("Schema entity \"Person\", property \"age\": ") }, "\(lines)")
    }

    @Test func aFileOfALaterVersionIsOpenedAsItIs() throws {
        let replica = try replica()
        try replica.migrate(by: plan())
        try replica.migrate(to: Schema(json: second))
        #expect(replica.replica.schema.version == 3)
    }

    @Test func aProgramThatHasTheFileOpenIsTold() throws {
        let replica = try replica()
        let other = try Replica(opening: replica.path)
        #expect(try other.select("SELECT count(*) FROM person") == [[.integer(2)]])
        try replica.migrate(to: Schema(json: second))
        #expect(other.isMigratedElsewhere)
        for attempt in [
            { _ = try other.select("SELECT 1") }, { try other.write("add") { _ in } }, { _ = try other.status() },
            { _ = try other.apply([], checkpoint: nil, serverTime: nil) },
        ] {
            let error = #expect(throws: ReplicaError.self) { try attempt() }
            #expect(error?.code == .schemaChanged)
        }
        #expect(!replica.replica.isMigratedElsewhere)
    }

    @Test func tablesOfOthersDoNotMatter() throws {
        let replica = try replica()
        let other = try Replica(opening: replica.path)
        try replica.sql("CREATE TABLE mine(x); CREATE INDEX mine_by_name ON person(name)")
        #expect(try other.select("SELECT count(*) FROM person") == [[.integer(2)]])
    }

    @Test func indexesAndTriggersOfTheUserStay() throws {
        let replica = try replica()
        try replica.sql(
            """
            CREATE INDEX by_name ON person(name); CREATE TABLE seen(name TEXT); CREATE VIEW names AS SELECT name FROM person;
            CREATE TRIGGER see AFTER INSERT ON person BEGIN INSERT INTO seen VALUES (NEW.name); END
            """)
        try replica.migrate(to: Schema(json: second))
        try replica.sql("INSERT INTO person(name) VALUES ('Eva')")
        #expect(try replica.texts("SELECT name FROM seen") == ["Eva"])
        #expect(try replica.texts("SELECT name FROM names ORDER BY 1") == ["Ana Lima", "Bob Stone", "Eva"])
        // The third version has no names: objects that need them are reported.
        try replica.migrate(to: Schema(json: third))
        #expect(try replica.texts("SELECT text FROM roost_event").filter { $0.hasPrefix("\"by_name\"") }.count == 1)
    }

    @Test func theScopesSchemaIsTakenOnceItWasFetched() throws {
        let replica = try replica()
        try replica.replica.keepSchema(second, version: 2)
        #expect(try replica.replica.status().nextSchemaVersion == 2)
        let next = try #require(try replica.replica.nextSchema())
        try replica.migrate(to: next)
        #expect(try replica.replica.status().nextSchemaVersion == nil)
        #expect(try replica.replica.nextSchema() == nil)
    }

    @Test func aScopeMayDemandAVersion() throws {
        let replica = try replica()
        try replica.replica.keepSchema(
            Self.schema(2, "\(Self.name), \(Self.parts)", ", \"minimumVersion\": 2"), version: 2)
        let error = #expect(throws: ReplicaError.self) { try replica.replica.checkVersion() }
        #expect(error?.code == .schemaTooOld)
        let next = try #require(try replica.replica.nextSchema())
        try replica.migrate(to: next)
        try replica.replica.checkVersion()
    }

    /// An explicit null stays: an edit by a device that does not know the attribute must not replace it by a later version's
    /// default.
    @Test func aNilThatIsSaidStaysSaid() throws {
        let nick = #"{"id": 2, "name": "nick", "type": "string", "optional": true}"#
        let replica = try TemporaryReplica(Self.schema(1, "\(Self.name), \(nick)"))
        let key = RecordKey(entity: EntityID(1), id: RecordID(high: 0, low: 1))
        func put(_ name: String, _ nick: Value) -> [UInt8] {
            let fields: [ContentCoding.Field] = [
                .init(property: PropertyID(1), value: .string(name)), .init(property: PropertyID(2), value: nick),
            ]
            return Put(references: [], content: ContentCoding.encode(fields)).encoded()
        }
        let stamp = HybridTimestamp(milliseconds: 1000, counter: 0, replica: ReplicaID(rawValue: 9))
        try replica.take([RecordState(key: key, put: .init(stamp: stamp, base: nil, encoded: put("Ana", .null)))])
        #expect(try replica.replica.content(of: key) == put("Ana", .null))
        try replica.sql("UPDATE person SET name = 'Eva'")
        #expect(try replica.replica.content(of: key) == put("Eva", .null))
        try replica.sql("UPDATE person SET nick = 'Ev'")
        #expect(try replica.replica.content(of: key) == put("Eva", .string("Ev")))
        try replica.sql("UPDATE person SET nick = NULL")
        #expect(try replica.replica.content(of: key) == put("Eva", .null))
        let defaulted = nick.replacing("true", with: #"true, "default": "none""#)
        try replica.migrate(to: Schema(json: Self.schema(2, "\(Self.name), \(defaulted)")))
        #expect(try replica.count("SELECT count(*) FROM person WHERE nick IS NULL") == 1)
    }

    /// A version that a program cannot read is the first one to stay away from.
    @Test func aVersionThatCannotBeReadDemandsToo() throws {
        let replica = try replica()
        try replica.replica.keepSchema(
            #"{"format": 9, "name": "people", "version": 2, "minimumVersion": 2}"#, version: 2)
        #expect(throws: ReplicaError.self) { try replica.replica.checkVersion() }
        try replica.replica.keepSchema(#"{"format": 9}"#, version: 3)
        #expect(throws: ReplicaError.self) { try replica.replica.checkVersion() }
    }

    @Test func manyProgramsMigrateOnce() async throws {
        let replica = try replica()
        try replica.replica.close()
        let (path, plan) = (replica.path, try plan())
        let migrated = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 { group.addTask { try Replica.migrate(at: path, by: plan) } }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(migrated == 1)
        replica.replica = try Replica(opening: path)
        #expect(replica.replica.schema.version == 3)
    }
}
