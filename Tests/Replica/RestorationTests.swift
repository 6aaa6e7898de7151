import CSQLite
import Foundation
import GRDB
import Replica
import RoostModel
import TestScope
import Testing

/// Tables and columns of Roost's that other programs have renamed or recreated, and the objects derived from them.
@Suite struct RestorationTests {
    /// Renames a column and adds it again, as a program does that converts values.
    private static let renamedAndAdded = """
        ALTER TABLE spending RENAME COLUMN content TO said; ALTER TABLE spending ADD COLUMN content TEXT NOT NULL DEFAULT '';
        """
    private static let index = TemporaryReplica.fullTextIndex + "INSERT INTO f(f) VALUES ('rebuild');"

    private func withSpendings() throws -> TemporaryReplica {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO spending(id, content) VALUES (\(id(8)), 'dinner'), (\(id(9)), 'tea')")
        _ = try file.replica.status()
        return file
    }

    private func log(_ file: TemporaryReplica) throws -> [String] {
        try file.texts("SELECT text FROM roost_event")
    }

    /// No program of Roost has read the row, so that only its identifier is known.
    @Test func newRowsThatWentWithTheirTableAreNamed() throws {
        let file = try withSpendings()
        try file.replica.settle()
        try file.sql("INSERT INTO spending(id, content) VALUES (\(id(10)), 'never sent'); DROP TABLE spending")
        _ = try file.replica.status()
        let notice = try #require(try log(file).first { $0.contains("1 new rows of \"spending\" were gone") })
        #expect(notice.contains(id(10)))
    }

    /// Roost has read one of the rows and not the other. Neither was sent.
    @Test func newRowsThatWentWithATableThatIsMadeAgainAreNamed() throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try scope.synchronise(file.replica)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        try file.replica.settle()
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(3)), 'Cid');
            DROP TABLE person; CREATE TABLE person(id BLOB PRIMARY KEY, name TEXT)
            """)
        let status = try file.replica.status()
        #expect(status.waiting == 0 && status.missing == 1)
        let notice = try #require(try log(file).first { $0.contains("2 new rows that had not been sent are gone") })
        #expect(notice.contains(id(2)) && notice.contains(id(3)) && !notice.contains(id(1)))
        let entries = try file.replica.journal()
        #expect(entries.map(\.key) == [RecordKey(entity: 1, number: 2), RecordKey(entity: 1, number: 3)])
        for entry in entries {
            #expect(entry.outcome == .damaged && entry.put == nil)
            #expect(entry.reason.contains("had not been sent"))
        }
        try scope.synchronise(file.replica)
        #expect(try file.replica.status().missing == 1)
    }

    /// The log names some of the rows, and the journal all of them.
    @Test func manyNewRowsThatWentWithATableAreInTheJournal() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let rows = (1...9).map { "(\(id($0)), 'p')" }.joined(separator: ", ")
        try file.sql("INSERT INTO person(id, name) VALUES \(rows)")
        try file.sql("DROP TABLE person; CREATE TABLE person(id BLOB PRIMARY KEY, name TEXT)")
        #expect(try file.replica.status().waiting == 0)
        let notice = try #require(try log(file).first { $0.contains("9 new rows that had not been sent are gone") })
        #expect(notice.contains(id(5)) && !notice.contains(id(6)) && notice.contains("…"))
        #expect(try file.replica.journal().count == 9)
    }

    /// The reason why a child is hidden: its parent has no row, or does not fit an index.
    @Test(arguments: [
        (
            "DROP TABLE person; CREATE TABLE person(id BLOB PRIMARY KEY, name TEXT)",
            "has no row here. Nothing says that it was deleted"
        ),
        ("DROP TABLE person", "has no row here, and comes back from the server"),
        ("DELETE FROM person", "is deleted"),
    ])
    func theReasonOfAHiddenRecordIsWhatItsParentLacks(statements: String, reason: String) throws {
        let scope = MemoryScope()
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'), (\(id(2)), 'Bob');
            INSERT INTO spending(id, content, person) VALUES (\(id(8)), 'dinner', \(id(1))), (\(id(9)), 'tea', \(id(2)))
            """)
        try scope.synchronise(file.replica)
        try file.sql(statements)
        _ = try file.replica.status()
        try file.sql("UPDATE spending SET content = 'feast'")
        try file.replica.settle()
        let hidden = try file.replica.journal().filter { $0.outcome == .hidden }
        #expect(hidden.count == 2)
        for entry in hidden { #expect(entry.reason.contains(reason), "\(entry.reason)") }
    }

    @Test func aParentThatDoesNotFitIsTheReason() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana'); CREATE UNIQUE INDEX once ON person(name)")
        try other.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(2)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(8)), 'dinner', \(id(2)))
            """)
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        let hidden = try file.replica.journal().filter { $0.outcome == .hidden }
        #expect(hidden.map(\.key) == [RecordKey(entity: 2, number: 8)])
        #expect(hidden.first?.reason.contains("does not fit this replica's schema") == true)
    }

    // MARK: Columns that are filled again

    /// The index has the empty column. Roost fills the column, and the index has to follow: it refuses a delete of a text
    /// that it does not have.
    @Test func aFullTextIndexFollowsAColumnThatIsFilledAgain() throws {
        let file = try withSpendings()
        try file.sql(Self.renamedAndAdded + Self.index)
        #expect(try file.replica.status().waiting == 2)
        #expect(try file.texts("SELECT content FROM spending ORDER BY id") == ["dinner", "tea"])
        #expect(try file.count("SELECT count(*) FROM f WHERE f MATCH 'dinner'") == 1)
        try file.sql("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
        try file.sql("DELETE FROM spending WHERE id = \(id(8))")
        #expect(try file.count("SELECT count(*) FROM f WHERE f MATCH 'dinner'") == 0)
    }

    /// Filling the column leaves no pending change, whatever the triggers write.
    @Test func whatIsFilledAgainIsNoChange() throws {
        let scope = MemoryScope()
        let file = try withSpendings()
        try scope.synchronise(file.replica)
        try file.sql(
            Self.renamedAndAdded + """
                CREATE TRIGGER touch AFTER UPDATE OF content ON spending BEGIN
                  UPDATE spending SET amount = 7 WHERE id = NEW.id; END
                """)
        #expect(try file.replica.status().waiting == 0)
        #expect(try file.texts("SELECT content || amount FROM spending ORDER BY id") == ["dinner0", "tea0"])
    }

    /// The hidden table keeps the column, whose values are not those of the user's own one.
    @Test func aDeletedRowKeepsWhatItHeld() throws {
        let file = try withSpendings()
        try file.sql("DELETE FROM spending WHERE id = \(id(9))")
        _ = try file.replica.status()
        try file.sql(Self.renamedAndAdded)
        _ = try file.replica.status()
        #expect(try file.texts("SELECT content FROM roost_hidden_spending") == ["tea"])
        try file.sql("DELETE FROM spending")
        _ = try file.replica.status()
        #expect(try file.texts("SELECT content FROM roost_hidden_spending ORDER BY content") == ["dinner", "tea"])
    }

    /// The other triggers run, for all rows.
    @Test func aTriggerThatRefusesARowIsLeftOutForIt() throws {
        let file = try withSpendings()
        try file.sql(
            Self.renamedAndAdded + Self.index + """
                CREATE TRIGGER never BEFORE UPDATE ON spending WHEN NEW.content = 'tea' BEGIN
                  SELECT RAISE(ABORT, 'no tea'); END;
                CREATE TRIGGER passing BEFORE UPDATE ON spending WHEN NEW.content = 'dinner' BEGIN
                  SELECT RAISE(IGNORE); END
                """)
        _ = try file.replica.status()
        #expect(try file.texts("SELECT content FROM spending ORDER BY id") == ["dinner", "tea"])
        try file.sql("INSERT INTO f(f, rank) VALUES ('integrity-check', 1)")
        for name in ["never", "passing"] { #expect(try log(file).contains { $0.contains("\"\(name)\"") }) }
    }

    /// A conflict clause of the filling statement would override that of the trigger.
    @Test func aTriggerThatReplacesFollows() throws {
        let file = try withSpendings()
        try file.sql(
            Self.renamedAndAdded + """
                CREATE TABLE mirror(id BLOB PRIMARY KEY, content TEXT); INSERT INTO mirror SELECT id, content FROM spending;
                CREATE TRIGGER mu AFTER UPDATE ON spending BEGIN
                  INSERT OR REPLACE INTO mirror VALUES (NEW.id, NEW.content); END
                """)
        _ = try file.replica.status()
        #expect(try file.texts("SELECT content FROM mirror ORDER BY id") == ["dinner", "tea"])
    }

    /// An index that the values violate is reported, and so are the objects that SQLite has made to read the renamed column.
    @Test func whatDoesNotFitTheValuesIsNamed() throws {
        let file = try withSpendings()
        try file.sql(
            """
            CREATE VIEW said_view AS SELECT content FROM spending;
            \(Self.renamedAndAdded)
            UPDATE spending SET content = 'dinner' WHERE id = \(id(9)); CREATE UNIQUE INDEX once ON spending(content)
            """)
        _ = try file.replica.status()
        #expect(try file.texts("SELECT content FROM spending ORDER BY id") == ["dinner", "dinner"])
        let sentence = try log(file).first { $0.contains("added again, empty") }
        #expect(sentence?.contains("CREATE UNIQUE INDEX once") == true)
        #expect(sentence?.contains("These name \"said\": \"said_view\".") == true)
        #expect(try file.count("SELECT count(*) FROM sqlite_schema WHERE name GLOB 'roost_evict_*'") == 0)
    }

    // MARK: Names

    /// SQLite adapts triggers and views to a renamed column, but no virtual table.
    @Test(arguments: [
        (
            "ALTER TABLE spending RENAME COLUMN content TO said; CREATE VIRTUAL TABLE f USING fts5(said, content='spending')",
            true
        ),
        ("ALTER TABLE spending RENAME TO spent; CREATE VIRTUAL TABLE f USING fts5(content, content='spent')", true),
        (
            "ALTER TABLE spending RENAME COLUMN content TO said; ALTER TABLE spending ADD COLUMN content ANY; "
                + "CREATE VIRTUAL TABLE f USING fts5(content, content='spending')", true
        ),
        ("CREATE VIRTUAL TABLE f USING fts5(content, content='spending'); ALTER TABLE spending RENAME TO spent", false),
    ])
    func aFullTextIndexOfAnotherNameIsNamed(statements: String, isNamed: Bool) throws {
        let file = try withSpendings()
        try file.sql(statements)
        #expect(try file.replica.status().waiting == 2)
        #expect(try file.texts("SELECT content FROM spending ORDER BY id") == ["dinner", "tea"])
        #expect(try log(file).contains { $0.contains("The virtual table \"f\" does not follow") } == isNamed)
    }

    // MARK: Rows that do not fit

    /// A recreated table accepts any number; Roost's does not. No delete is recorded for the row, and the journal has it.
    @Test(arguments: [false, true])
    func aRowThatDoesNotFitIsInTheJournal(isSent: Bool) throws {
        let scope = MemoryScope()
        let file = try withSpendings()
        if isSent { try scope.synchronise(file.replica) }
        let columns = try file.texts("SELECT name FROM pragma_table_info('spending')").map { "\"\($0)\"" }
        let types = columns.map { $0 == "\"id\"" ? "\"id\" BLOB PRIMARY KEY NOT NULL" : $0 }
        try file.sql(
            """
            CREATE TABLE made(\(types.joined(separator: ", ")));
            INSERT INTO made(\(columns.joined(separator: ", "))) SELECT \(columns.joined(separator: ", ")) FROM spending;
            PRAGMA legacy_alter_table = ON; DROP TABLE spending; ALTER TABLE made RENAME TO spending;
            UPDATE spending SET content = 'feast', amount = 1.5 WHERE id = \(id(8));
            INSERT INTO spending(id, content, amount) VALUES (x'0102', 'no record', 2)
            """)
        #expect(try file.replica.status().waiting == (isSent ? 0 : 1))
        #expect(try file.texts("SELECT content FROM spending_replaced ORDER BY content") == ["feast", "no record"])
        let entries = try file.replica.journal().filter { $0.outcome == .refused }
        #expect(entries.map(\.key) == [RecordKey(entity: EntityID(2), id: RecordID(high: 0, low: 8))])
        let put = try #require(entries.first?.put)
        let values = try ContentCoding.decode(Put(encoded: put).content).map(\.value)
        #expect(values.contains(.string("feast")) && values.contains(.double(1.5)))
        #expect(entries.first?.reason.contains("\"amount\" is not a whole number") == true)
        #expect(entries.first?.reason.contains("\"spending_replaced\"") == true)
        #expect(try !log(file).contains { $0.contains("are gone") })
        #expect(try file.replica.status().missing == (isSent ? 1 : 0))
    }

    /// One row of an intact table may have been deleted past its triggers. Of more the user is asked.
    @Test(arguments: [1, 2, 3]) func onlyOneMissingRowCountsAsDeleted(count: Int) throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql(
            "INSERT INTO person(id, name) VALUES (\(id(1)), 'a'), (\(id(2)), 'b'), (\(id(3)), 'c'), (\(id(4)), 'd')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.plain.writeWithoutTransaction { database in
            _ = csqlite_enable_triggers(try #require(database.sqliteConnection), 0)
            try database.execute(sql: "DELETE FROM person WHERE id <= \(id(count))")
        }
        try file.sql("CREATE INDEX one ON person(name)")
        for replica in [file, file, other] { try scope.synchronise(replica.replica) }
        #expect(try file.replica.status().missing == (count == 1 ? 0 : count))
        #expect(try other.count("SELECT count(*) FROM person") == (count == 1 ? 3 : 4))
    }

    /// The user is asked only about records that exist: not about one that another device has deleted, or that was
    /// purged.
    @Test func nobodyIsAskedAboutARecordThatIsGoneEverywhere() throws {
        let scope = MemoryScope()
        let (file, other) = (
            try TemporaryReplica(TemporaryReplica.people), try TemporaryReplica(TemporaryReplica.people, id: 2)
        )
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'a'), (\(id(2)), 'b'), (\(id(3)), 'c')")
        for replica in [file, other] { try scope.synchronise(replica.replica) }
        try file.sql("DROP TRIGGER roost_delete_1; DELETE FROM person")
        #expect(try file.replica.status().missing == 3)
        try other.sql("DELETE FROM person WHERE id = \(id(1))")
        for replica in [other, file] { try scope.synchronise(replica.replica) }
        #expect(try file.replica.status().missing == 2)
        let (purged, last) = (RecordKey(entity: 1, number: 2), RecordKey(entity: 1, number: 3))
        _ = try file.replica.apply([], purged: [purged], checkpoint: [3], serverTime: nil)
        #expect(try file.replica.status().missing == 1)
        #expect(try file.replica.acceptMissingAsDeleted() == 1)
        #expect(try file.replica.sealChanges(scope.limits).map(\.key) == [last])
    }

    /// The schema version is unchanged, so that Roost's connection still has the trigger in memory.
    @Test func aTriggerThatOnlyTheFileLacksIsMadeAgain() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let before = try file.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'roost%' ORDER BY name")
        try file.plain.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'roost_insert_1';
                    PRAGMA writable_schema = RESET; INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')
                    """)
        }
        _ = try file.replica.check()
        #expect(try file.texts("SELECT name FROM sqlite_schema WHERE name LIKE 'roost%' ORDER BY name") == before)
        #expect(try file.replica.status().waiting == 1)
    }
}
