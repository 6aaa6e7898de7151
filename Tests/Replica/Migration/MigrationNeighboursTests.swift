import GRDB
import RoostModel
import Testing

@testable import Replica

/// Objects of other programs in a file that is migrated.
@Suite struct MigrationNeighboursTests {
    /// Returns the schema `Person` → `Spending` → `Note`, with the version's delete rule for the first.
    private static func schema(_ version: Int, rule: String, _ rest: String = "") throws -> Schema {
        try Schema(
            json: #"""
                {"format": 1, "name": "trip", "version": \#(version), "entities": [
                  {"id": 1, "name": "Person", "relationships": [
                    {"id": 1, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "\#(rule)"}]},
                  {"id": 2, "name": "Spending", "relationships": [
                    {"id": 1, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
                    {"id": 2, "name": "notes", "kind": "toMany", "destination": "Note", "inverse": "spending", "deleteRule": "cascade"}]},
                  {"id": 3, "name": "Note", "attributes": [{"id": 2, "name": "text", "type": "string", "default": ""}], "relationships": [
                    {"id": 1, "name": "spending", "kind": "toOne", "destination": "Spending", "inverse": "notes"}]}\#(rest)]}
                """#)
    }

    private let first = Result { try schema(1, rule: "nullify") }
    private let second = Result { try schema(2, rule: "cascade") }
    private let third = Result { try schema(3, rule: "cascade", #", {"id": 4, "name": "Trip"}"#) }

    private func replica() throws -> TemporaryReplica {
        let replica = try TemporaryReplica(try first.get().source)
        try replica.sql(
            """
            INSERT INTO person(id) VALUES (\(id(1)));
            INSERT INTO spending(id, person) VALUES (\(id(2)), \(id(1)));
            INSERT INTO note(id, spending) VALUES (\(id(3)), \(id(2))), (\(id(4)), NULL);
            """)
        return replica
    }

    /// The triggers would make untracked writes.
    @Test func triggersOfOthersDoNotRunForWhatIsMoved() throws {
        let replica = try replica()
        try replica.sql("DELETE FROM person")
        try replica.sql(
            "CREATE TRIGGER mine AFTER DELETE ON note BEGIN UPDATE note SET text = 'the last' WHERE id = \(id(4)); END")
        try replica.migrate(to: try second.get())
        #expect(try replica.texts("SELECT text FROM note") == [""])
        try replica.sql("INSERT INTO note(id) VALUES (\(id(5))); DELETE FROM note WHERE id = \(id(5))")
        #expect(try replica.texts("SELECT text FROM note") == ["the last"])
    }

    /// If a masked reference was overwritten by an untracked write, the written value counts.
    @Test func aReferenceWrittenPastTheTriggersStands() throws {
        let replica = try replica()
        try replica.sql("INSERT INTO person(id) VALUES (\(id(6))); DELETE FROM person WHERE id = \(id(1))")
        try replica.replica.settle()
        #expect(try replica.texts("SELECT coalesce(person, 'nil') FROM spending") == ["nil"])
        #expect(try replica.texts("SELECT count(*) FROM roost_raw") == ["1"])
        let triggers = try replica.texts(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'spending'")
        try replica.sql(triggers.map { "DROP TRIGGER \($0)" }.joined(separator: "; "))
        try replica.sql("UPDATE spending SET person = \(id(6))")
        let more = #""name": "Spending", "attributes": [{"id": 3, "name": "text", "type": "string", "default": ""}],"#
        let source = try Self.schema(2, rule: "nullify").source
            .replacing(#""name": "Spending", "relationships""#, with: more + #" "relationships""#)
        try replica.migrate(to: try Schema(json: source))
        #expect(try replica.texts("SELECT hex(person) FROM spending") == ["00000000000000000000000000000006"])
    }

    /// The new table cannot have the index. Roost's triggers for it are removed with it, and all programs can write.
    @Test func tableWithoutTheIndexOfARenamedAttributeIsWritten() throws {
        let replica = try replica()
        try replica.sql(
            "UPDATE note SET text = CAST(id AS INTEGER) || rowid; CREATE UNIQUE INDEX mine ON note(text); DELETE FROM note WHERE id = \(id(4))"
        )
        try replica.replica.verifyLayout()
        let renamed = try second.get().source.replacing(#""name": "text""#, with: #""name": "words""#)
        try replica.migrate(to: try Schema(json: renamed))
        try replica.sql("UPDATE note SET words = 'x'; INSERT INTO note(id, words) VALUES (\(id(5)), 'x')")
        #expect(try replica.texts("SELECT words FROM note") == ["x", "x"])
    }

    /// SQLite creates such triggers and views, and then refuses each statement that needs them, with a message that names no
    /// trigger.
    @Test func triggersAndViewsThatNameAnAttributeThatIsGoneAreNamed() throws {
        let replica = try replica()
        try replica.sql(
            """
            CREATE VIEW texts AS SELECT text FROM note;
            CREATE TRIGGER mine AFTER UPDATE ON note WHEN NEW.text = 'x' BEGIN SELECT 1; END;
            CREATE TRIGGER other AFTER UPDATE ON spending BEGIN SELECT 1; END
            """)
        let renamed = try second.get().source.replacing(#""name": "text""#, with: #""name": "words""#)
        try replica.migrate(to: try Schema(json: renamed))
        let events = try replica.texts("SELECT text FROM roost_event WHERE kind = 'schema' ORDER BY ordinal DESC")
        #expect(events.contains { $0.contains("\"mine\"") && $0.contains("\"note\"") && $0.contains("no such column") })
        #expect(events.contains { $0.contains("The view \"texts\"") })
        #expect(!events.contains { $0.contains("\"other\"") })
    }

    /// The index is recreated before the record that it had refused is shown.
    @Test func aUniqueIndexStaysThatOnlyASetAsideRecordContradicts() throws {
        let replica = try replica()
        try replica.sql("UPDATE note SET text = CAST(id AS INTEGER) || rowid; CREATE UNIQUE INDEX mine ON note(text)")
        let text = try #require(try replica.texts("SELECT text FROM note WHERE id = \(id(4))").first)
        let content = ContentCoding.encode([.init(property: PropertyID(2), value: .string(text))])
        let stamp = HybridTimestamp(milliseconds: 1, counter: 0, replica: ReplicaID(rawValue: 9))
        let other = RecordState(
            key: RecordKey(entity: EntityID(3), id: RecordID(high: 0, low: 9)),
            put: .init(stamp: stamp, base: nil, encoded: Put(content: content).encoded()), delete: nil)
        _ = try replica.replica.apply([other], checkpoint: nil, serverTime: nil)
        #expect(try replica.count("SELECT count(*) FROM roost_unfit") == 1)

        let kind = #"{"id": 3, "name": "kind", "type": "string", "default": ""}"#
        let wider = try second.get().source.replacing(
            #""attributes": [{"id": 2"#, with: #""attributes": [\#(kind), {"id": 2"#)
        try replica.migrate(to: try Schema(json: wider))
        #expect(try replica.count("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'") == 1)
        #expect(try replica.count("SELECT count(*) FROM roost_unfit") == 1)
        #expect(try replica.count("SELECT count(*) FROM note") == 2)
    }

    @Test(arguments: ["TABLE Trip(x)", "VIEW trip AS SELECT 1", "INDEX trip ON person(id)"])
    func aNameThatIsTakenIsSaid(_ item: String) throws {
        let replica = try replica()
        try replica.migrate(to: try second.get())
        try replica.sql("CREATE \(item)")
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(to: try third.get()) }
        #expect(error?.code == .cannotMigrate)
        #expect(error?.message.contains("\"Trip\" needs a table, and the file has the ") == true)
        replica.replica = try Replica(opening: replica.path)
        #expect(replica.replica.schema.version == 2)
    }

    /// It is unknown whether the values of the user's column are meant for the new attribute.
    @Test func aColumnOfTheUsersWithTheNameOfANewAttributeIsSaid() throws {
        let replica = try replica()
        try replica.sql("ALTER TABLE note ADD COLUMN Kind TEXT; UPDATE note SET kind = 'mine'")
        let kind = #"{"id": 3, "name": "kind", "type": "string", "default": ""}"#
        let wider = try second.get().source.replacing(
            #""attributes": [{"id": 2"#, with: #""attributes": [\#(kind), {"id": 2"#)
        let error = #expect(throws: ReplicaError.self) { try replica.migrate(to: try Schema(json: wider)) }
        #expect(error?.code == .cannotMigrate)
        #expect(error?.message.contains("gets a property \"Kind\", and the file has a column of that name") == true)
        replica.replica = try Replica(opening: replica.path)
        #expect(try replica.count("SELECT count(*) FROM note WHERE kind = 'mine'") > 0)
        try replica.sql("UPDATE note SET kind = NULL")
        try replica.migrate(to: try Schema(json: wider))
        #expect(try replica.count("SELECT count(*) FROM note WHERE kind = ''") > 0)
    }

    @Test func anIndexThatTheDiskDoesNotTakeIsNotPassedOver() throws {
        let queue = try DatabaseQueue()
        try queue.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE person(id, name); CREATE INDEX by_name ON person(name);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                    INSERT INTO person SELECT i, printf('%0200d', i) FROM n
                    """)
            let own = try UserSchemaObjects(takenFrom: ["person"], database)
            // Fills the space that the index has left free.
            try database.execute(
                sql: """
                    CREATE TABLE rest(x);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                    INSERT INTO rest SELECT printf('%0300d', i) FROM n
                    """)
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            try database.execute(sql: "PRAGMA max_page_count = \(pages)")
            #expect(throws: DatabaseError.self) { try own.makeAgain(.index) }
        }
    }
}
