internal import RoostModel

extension RawDatabase {
    /// Makes a table with the columns and types of a replica's table, without tracking.
    package func createPlainTable(withIndex: Bool) throws {
        try execute(
            """
            CREATE TABLE spending(id BLOB PRIMARY KEY NOT NULL, content TEXT NOT NULL, amount INTEGER NOT NULL,
              currency TEXT NOT NULL, date TEXT NOT NULL, paid INTEGER NOT NULL, person BLOB NOT NULL) STRICT
            """)
        if withIndex { try execute("CREATE INDEX spending_by_person ON spending(person)") }
    }

    /// Makes a second table like the plain one, as a replica has for hidden rows.
    package func createHiddenTable() throws {
        try execute(
            """
            CREATE TABLE hidden(id BLOB PRIMARY KEY NOT NULL, content TEXT, amount INTEGER, currency TEXT, date TEXT, paid INTEGER,
              person BLOB) STRICT;
            CREATE INDEX hidden_by_person ON hidden(person)
            """)
    }

    /// Copies a person's spendings from one table to another.
    package func prepareCopy(from: String, to: String) throws -> RawStatement {
        let columns = "id, content, amount, currency, date, paid, person"
        return try prepare("INSERT INTO \(to)(\(columns)) SELECT \(columns) FROM \(from) WHERE person = ?1")
    }

    /// Adds a trigger that records which records of the plain table were inserted: the simplest tracking.
    package func recordChanges() throws {
        try execute(
            """
            CREATE TABLE changed(entity INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY(entity, id)) WITHOUT ROWID, STRICT;
            CREATE TRIGGER spending_inserted AFTER INSERT ON spending BEGIN
              INSERT OR IGNORE INTO changed(entity, id) VALUES (1, new.id);
            END;
            """)
    }

    /// Drops a replica's triggers. Its tables still check values, and nothing tracks them.
    package func dropTriggers() throws {
        let triggers = try prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        var names: [String] = []
        while try triggers.step() { names.append(String(decoding: triggers.bytes(0), as: UTF8.self)) }
        for name in names { try execute("DROP TRIGGER \"\(name)\"") }
    }

    /// Makes a table for the stamp and hash of each record of the plain table: the least that a replica has to store besides
    /// its rows.
    package func createStampTable() throws {
        try execute(
            """
            CREATE TABLE stamp(entity INTEGER NOT NULL, id BLOB NOT NULL, stamp BLOB NOT NULL, hash BLOB NOT NULL,
              PRIMARY KEY(entity, id)) WITHOUT ROWID, STRICT
            """)
    }

    /// Prepares a statement that stores a stamp and a hash of 16 bytes each, unless the record has a later stamp.
    package func prepareStampUpsert() throws -> RawStatement {
        try prepare(
            """
            INSERT INTO stamp(entity, id, stamp, hash) VALUES (1, ?1, ?2, ?3)
            ON CONFLICT(entity, id) DO UPDATE SET stamp = excluded.stamp, hash = excluded.hash WHERE excluded.stamp > stamp
            """)
    }

    package func prepareInsert() throws -> RawStatement {
        try prepare(
            """
            INSERT INTO spending(id, content, amount, currency, date, paid, person) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
    }

    package func prepareUpsert() throws -> RawStatement {
        try prepare(
            """
            INSERT INTO spending(id, content, amount, currency, date, paid, person) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT(id) DO UPDATE SET content = excluded.content, amount = excluded.amount,
              currency = excluded.currency, date = excluded.date, paid = excluded.paid, person = excluded.person
            """)
    }

    package func prepareEdit() throws -> RawStatement {
        try prepare("UPDATE spending SET amount = amount + 1 WHERE id = ?1")
    }

    /// Edits records in one transaction.
    package func edit(_ spendings: [Spending], with update: RawStatement) throws {
        try transaction {
            for spending in spendings {
                update.bind(1, spending.id)
                try update.run()
            }
        }
    }

    package func insert(_ people: [Person]) throws {
        let insert = try prepare("INSERT INTO person(id, name) VALUES (?1, ?2)")
        try transaction {
            for person in people {
                insert.bind(1, person.id)
                insert.bind(2, person.name)
                try insert.run()
            }
        }
    }
}

extension RawStatement {
    /// Runs an insert or upsert of a spending.
    package func run(_ spending: Spending) throws {
        bind(1, spending.id)
        bind(2, spending.content)
        bind(3, spending.amount)
        bind(4, spending.currency)
        bind(5, spending.date)
        bind(6, spending.isPaid ? 1 : 0)
        bind(7, spending.person)
        try run()
    }
}
