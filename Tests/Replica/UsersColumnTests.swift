import GRDB
import Replica
import RoostModel
import Testing

/// Columns and triggers of the user's on visible tables, and their counterparts for hidden rows.
@Suite struct UsersColumnTests {
    /// The values of hidden rows in a user's column follow its new name.
    @Test func aColumnOfTheUsersIsRenamedForHiddenRowsToo() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            ALTER TABLE spending ADD COLUMN first TEXT; ALTER TABLE spending ADD COLUMN nick TEXT;
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person, first, nick) VALUES (\(id(2)), 'dinner', \(id(1)), 'f', 'n')
            """)
        try file.replica.settle()
        _ = try file.replica.status()
        try file.sql("DELETE FROM person WHERE id = \(id(1))")
        try file.sql("ALTER TABLE spending RENAME COLUMN nick TO nick2")
        #expect(try file.replica.status().waiting == 2)
        #expect(try file.texts("SELECT first || nick2 FROM roost_hidden_spending") == ["fn"])
    }

    /// A dropped column comes back with another type: old values of hidden rows do not keep the rows hidden.
    @Test(arguments: ["phone INTEGER", "phone INTEGER NOT NULL DEFAULT 7", "phone BLOB"])
    func aColumnOfAnotherTypeKeepsNothingOutOfSight(column: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        let made = try #require(try file.texts("SELECT sql FROM sqlite_schema WHERE name = 'person'").first)
        try file.sql(
            """
            ALTER TABLE person ADD COLUMN phone TEXT;
            INSERT INTO person(id, name, phone) VALUES (\(id(1)), 'Ana', 'by the door'), (\(id(2)), 'Bob', '12')
            """)
        try file.replica.settle()
        _ = try file.replica.status()
        try file.sql("DELETE FROM person")
        _ = try file.replica.status()
        try file.sql(
            """
            PRAGMA legacy_alter_table = ON; DROP TABLE person; \(made); PRAGMA legacy_alter_table = OFF
            """)
        _ = try file.replica.status()
        try file.sql("ALTER TABLE person ADD COLUMN \(column)")
        _ = try file.replica.status()
        try file.replica.write("back") {
            try $0.undelete("Person", id: RecordID(high: 0, low: 1))
            try $0.undelete("Person", id: RecordID(high: 0, low: 2))
        }
        #expect(try file.texts("SELECT name FROM person ORDER BY name") == ["Ana", "Bob"])
        #expect(try file.texts("SELECT phone FROM person_phone_before ORDER BY id").first == "by the door")
    }

    /// A record from elsewhere has no value for the column.
    @Test func aColumnOfTheUsersThatAsksForAValueKeepsNothingOut() throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana')")
        try file.replica.settle()
        let made = try #require(try file.texts("SELECT sql FROM sqlite_schema WHERE name = 'person'").first)
        let new = made.replacing("\"person\"", with: "person_new")
            .replacing(") STRICT", with: ", mine INTEGER NOT NULL) STRICT")
        try file.sql(
            """
            PRAGMA legacy_alter_table = ON; \(new); INSERT INTO person_new SELECT *, 5 FROM person; DROP TABLE person;
            ALTER TABLE person_new RENAME TO person; PRAGMA legacy_alter_table = OFF
            """)
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT mine FROM person") == ["5"])
        try file.sql("INSERT INTO person(id, name) VALUES (\(id(2)), 'Bob')")
        #expect(try file.texts("SELECT name FROM person WHERE mine IS NULL") == ["Bob"])
    }

    /// SQLite runs the user trigger after the trigger that has copied the row.
    @Test(arguments: ["DELETE FROM person", "DELETE FROM spending"])
    func editByATriggerBeforeADeleteIsKept(delete: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            INSERT INTO person(id, name) VALUES (\(id(1)), 'Ana');
            INSERT INTO spending(id, content, person) VALUES (\(id(2)), 'taxi', \(id(1)));
            CREATE TRIGGER mine BEFORE DELETE ON spending BEGIN
              UPDATE spending SET content = OLD.content || ' (closed)' WHERE id = OLD.id; END
            """)
        try file.replica.settle()
        _ = try file.replica.status()
        try file.sql(delete)
        #expect(try file.texts("SELECT content FROM roost_hidden_spending") == ["taxi (closed)"])
    }

    /// Roost's trigger follows a column that SQLite renames, whatever the order of the columns.
    @Test(arguments: [
        ["ALTER TABLE spending RENAME COLUMN mood TO mood2"],
        [
            "ALTER TABLE spending RENAME COLUMN mood TO other", "ALTER TABLE spending RENAME COLUMN nick TO mood",
            "ALTER TABLE spending RENAME COLUMN other TO nick",
        ],
    ])
    func columnsOfAnotherOrderAreRenamedForHiddenRows(renaming: [String]) throws {
        let file = try hidingARow(rebuiltWith: "mood TEXT, nick TEXT")
        for statement in renaming { try file.sql(statement) }
        _ = try file.replica.status()
        try file.replica.write("back") { try $0.undelete("Spending", id: RecordID(high: 0, low: 2)) }
        let moved =
            renaming.count == 1 ? "mood2 = 'the mood' AND nick = 'the nick'" : "mood = 'the nick' AND nick = 'the mood'"
        #expect(try file.count("SELECT count(*) FROM spending WHERE \(moved)") == 1)
    }

    /// A program that rebuilds a table without a column, or with another one in its place, does not handle hidden rows.
    @Test func valuesOfAColumnThatIsGoneAreSetAside() throws {
        let file = try hidingARow(rebuiltWith: "mood2 TEXT")
        #expect(try file.texts("SELECT mood FROM spending_mood_before") == ["the mood"])
        #expect(try file.texts("SELECT nick FROM spending_nick_before") == ["the nick"])
        _ = try file.replica.status()
        #expect(try file.count("SELECT count(*) FROM sqlite_schema WHERE name LIKE '%before%'") == 2)
    }

    /// Makes a file with one hidden row that has values in two user's columns, and a table rebuilt with other columns.
    private func hidingARow(rebuiltWith columns: String) throws -> TemporaryReplica {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            """
            ALTER TABLE spending ADD COLUMN nick TEXT; ALTER TABLE spending ADD COLUMN mood TEXT;
            INSERT INTO spending(id, content, nick, mood) VALUES (\(id(2)), 'dinner', 'the nick', 'the mood')
            """)
        _ = try file.replica.status()
        try file.sql("DELETE FROM spending")
        try file.sql(
            """
            CREATE TABLE made(id BLOB PRIMARY KEY NOT NULL, content TEXT NOT NULL, amount INTEGER, day TEXT, split TEXT, rate REAL,
              paid INTEGER, token BLOB, person BLOB, approver BLOB, guarantor BLOB, \(columns)) STRICT;
            PRAGMA legacy_alter_table = ON; DROP TABLE spending; ALTER TABLE made RENAME TO spending; PRAGMA legacy_alter_table = OFF
            """)
        _ = try file.replica.status()
        return file
    }

    /// A program that renames a column of Roost's, and adds one under its old name, empties no property.
    @Test(arguments: ["content TEXT NOT NULL DEFAULT ''", "content TEXT NOT NULL DEFAULT 'none'"])
    func aColumnThatIsRenamedAndAddedAgainKeepsItsValues(column: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql(
            "INSERT INTO spending(id, content) VALUES (\(id(1)), 'taxi'), (\(id(2)), 'bus'), (\(id(3)), 'tram')")
        _ = try file.replica.status()
        try file.sql(
            """
            CREATE TABLE seen(text); CREATE TRIGGER mine AFTER UPDATE ON spending BEGIN INSERT INTO seen VALUES (NEW.content); END;
            ALTER TABLE spending RENAME COLUMN content TO label; ALTER TABLE spending ADD COLUMN \(column);
            UPDATE spending SET content = 'ferry' WHERE id = \(id(2)); UPDATE spending SET label = 'cab' WHERE id = \(id(1))
            """)
        #expect(try file.replica.status().waiting == 3)
        #expect(try file.texts("SELECT content FROM spending ORDER BY id") == ["cab", "ferry", "tram"])
        #expect(try file.texts("SELECT label FROM spending ORDER BY id") == ["cab", "bus", "tram"])
        // Triggers run for the two filled rows, as for any row that Roost writes.
        #expect(try file.texts("SELECT text FROM seen") == ["bus", "cab", "cab", "tram"])
        try file.sql("UPDATE spending SET amount = 4 WHERE id = \(id(3))")
        #expect(try file.texts("SELECT text FROM seen").last == "tram")
    }

    /// A column of another type cannot take the values: the renamed one gets its name back.
    @Test(arguments: ["content INTEGER", "content INTEGER NOT NULL DEFAULT 0", "content BLOB"])
    func aColumnThatIsAddedAgainWithAnotherTypeStopsNothing(column: String) throws {
        let file = try TemporaryReplica(TemporaryReplica.people)
        try file.sql("INSERT INTO spending(id, content) VALUES (\(id(1)), 'taxi')")
        _ = try file.replica.status()
        try file.sql("ALTER TABLE spending RENAME COLUMN content TO label; ALTER TABLE spending ADD COLUMN \(column)")
        #expect(try file.replica.status().waiting == 1)
        #expect(try file.texts("SELECT content FROM spending") == ["taxi"])
        try file.sql("INSERT INTO spending(id, content) VALUES (\(id(2)), 'bus')")
        #expect(try file.texts("SELECT content FROM spending WHERE id = \(id(2))") == ["bus"])
    }
}
