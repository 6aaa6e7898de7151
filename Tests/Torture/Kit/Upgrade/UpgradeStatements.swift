internal import TestProcesses

/// The SQL of the upgrade tests, as any program would write it.
enum UpgradeStatements {
    /// The records that every device has.
    static let base = """
        BEGIN IMMEDIATE;
        \(people)
        \((101...140).map(spending).joined(separator: "\n"))
        INSERT INTO tag(id, label) VALUES (\(id(201)), 'tag 1'), (\(id(202)), 'tag 2'), (\(id(203)), 'tag 3'), (\(id(204)), 'tag 4');
        INSERT INTO spending_tags(source, target) SELECT s.id, t.id FROM spending s, tag t WHERE s.amount % 400 = 0;
        INSERT INTO folder(id, name, parent) VALUES (\(id(301)), 'a', NULL), (\(id(302)), 'ab', \(id(301))),
          (\(id(303)), 'abc', \(id(302))), (\(id(304)), 'd', NULL), (\(id(305)), 'de', \(id(304)));
        COMMIT;
        """

    private static let people = (1...9).map { "INSERT INTO person(id, name) VALUES (\(id($0)), 'person \($0)');" }
        .joined()

    /// Returns a spending with a value of every type. People 1, 2, 3 and 5 have spendings, people 6 and 7 are thanked.
    private static func spending(_ number: Int) -> String {
        let person = [1, 2, 3, 5][number % 4]
        let thanks = [0: id(6), 1: id(7)][number % 5] ?? "NULL"
        return """
            INSERT INTO spending(id, content, amount, price, paid, day, moment, code, picture, details, person, thanks) VALUES
              (\(id(number)), 'spending \(number)', \(number * 100), \(number).25, \(number % 2), '2026-11-\(10 + number % 20)',
              \(1_700_000_000_000 + number), \(id(number)), x'00ff0\(number)', '{"n": \(number)}', \(id(person)), \(thanks));
            """
    }

    /// The user's own objects in the file: a table, an index, a view, a trigger and a column.
    static let usersOwn = """
        CREATE TABLE mine(id INTEGER PRIMARY KEY, text TEXT);
        INSERT INTO mine(text) VALUES ('kept');
        CREATE INDEX mine_by_content ON spending(content);
        CREATE VIEW mine_large AS SELECT content FROM spending WHERE amount > 13000;
        CREATE TRIGGER mine_counts AFTER UPDATE OF name ON person BEGIN INSERT INTO mine(text) VALUES (NEW.name); END;
        ALTER TABLE tag ADD COLUMN mine TEXT;
        UPDATE tag SET mine = 'of ' || label;
        """

    /// Writes of another device: an edit that wins, and a delete of each rule.
    static let others = """
        UPDATE spending SET content = 'edited elsewhere' WHERE id IN (\(id(103)), \(id(104)));
        DELETE FROM person WHERE id = \(id(2));
        DELETE FROM person WHERE id = \(id(4));
        DELETE FROM person WHERE id = \(id(6));
        DELETE FROM tag WHERE id = \(id(202));
        DELETE FROM folder WHERE id = \(id(301));
        """

    /// Writes of a device of the later schema version: an attribute, a value and an entity that the earlier version
    /// does not have.
    static let ofLaterVersion = """
        UPDATE spending SET remark = 'later' WHERE id IN (\(id(131)), \(id(132)));
        UPDATE spending SET amount = 2.5 WHERE id = \(id(135));
        INSERT INTO note(id, text) VALUES (\(id(501)), 'a record that version 1 does not show');
        """

    /// Local changes that Roost has settled before the upgrade.
    static let settled = """
        INSERT INTO spending(id, content, person) VALUES (\(id(161)), 'settled put', \(id(1)));
        UPDATE spending SET amount = 1 WHERE id = \(id(105));
        DELETE FROM spending WHERE id = \(id(107));
        DELETE FROM person WHERE id = \(id(3));
        DELETE FROM folder WHERE id = \(id(304));
        """

    /// Local changes that are not settled before the upgrade; the shell ends without closing the file.
    static let unseen = """
        BEGIN IMMEDIATE;
        INSERT INTO person(id, name) VALUES (\(id(21)), 'unseen put');
        INSERT INTO spending(id, content, person) VALUES (\(id(162)), 'unseen put', \(id(21)));
        -- Under the identifier that follows from its ends; later programs move links of other identifiers there.
        INSERT INTO spending_tags(id, source, target) VALUES (x'605471DFB01029398CAAC8E57E6077B3', \(id(162)), \(id(201)));
        COMMIT;
        UPDATE spending SET details = '[1, 2]', picture = x'0102' WHERE id IN (\(id(109)), \(id(131)));
        UPDATE spending SET content = 'settled, then unseen' WHERE id = \(id(161));
        DELETE FROM spending WHERE id = \(id(111));
        DELETE FROM person WHERE id = \(id(7));
        DELETE FROM tag WHERE id = \(id(203));
        DELETE FROM spending WHERE id = \(id(112));
        INSERT INTO spending(id, content) VALUES (\(id(112)), 'deleted and written again');
        INSERT OR REPLACE INTO spending(id, content, amount) VALUES (\(id(113)), 'replaced', 7);
        UPDATE spending SET id = \(id(163)) WHERE id = \(id(115));
        INSERT INTO folder(id, name, parent) VALUES (\(id(306)), 'unseen', \(id(302)));
        UPDATE person SET name = 'person 5, edited' WHERE id = \(id(5));
        .shell kill -9 $PPID
        """

    /// Changes on top of a push whose reply never arrived, to records that the push carries and to others.
    static let onTopOfPush = """
        UPDATE spending SET content = 'after the push' WHERE id IN (\(id(161)), \(id(109)), \(id(117)));
        DELETE FROM spending WHERE id IN (\(id(162)), \(id(121)));
        INSERT INTO spending(id, content) VALUES (\(id(111)), 'written again after the push');
        .shell kill -9 $PPID
        """
}
