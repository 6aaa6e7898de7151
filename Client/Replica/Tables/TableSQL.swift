internal import RoostModel

/// The statements that create the tables of a replica.
enum TableSQL {
    /// Returns the tables that Roost stores next to the user's own; all names start with `roost_`.
    ///
    /// - Parameter id: The form of the identifiers in the file.
    static func bookkeeping(_ id: IdentifierForm) -> String {
        """
        -- What triggers read. applying: 0 for the user's own writes; above, changes are derived, and only inserts tracked.
        -- hlc, which is clock since format 4: the last clock reading, milliseconds << 16 | counter. txn: the number that local changes get.
        CREATE TABLE roost_control(one INTEGER PRIMARY KEY CHECK(one = 1), applying INTEGER NOT NULL DEFAULT 0,
          hlc INTEGER NOT NULL DEFAULT 0, clock_offset INTEGER NOT NULL DEFAULT 0, txn INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO roost_control(one) VALUES (1);

        -- Everything else that there is one of, but for what format 5 adds to roost_control. A value is text, except the few that are bytes.
        CREATE TABLE roost_state(name TEXT PRIMARY KEY NOT NULL, value ANY) STRICT, WITHOUT ROWID;

        -- Confirmed slots: what the server has, as far as known.
        CREATE TABLE roost_fact(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put_stamp BLOB, hash BLOB, del_stamp BLOB,
          PRIMARY KEY(entity, id)) STRICT, WITHOUT ROWID;

        \(outbox(id))

        -- Pushes as they are sent, until their reply has been taken in.
        CREATE TABLE roost_push(number INTEGER PRIMARY KEY, body BLOB NOT NULL, staged INTEGER NOT NULL DEFAULT 0) STRICT;

        -- Stored references that read nil in their visible column.
        CREATE TABLE roost_raw(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, relationship INTEGER NOT NULL,
          target \(id.columnType) NOT NULL, PRIMARY KEY(entity, id, relationship)) STRICT, WITHOUT ROWID;
        CREATE INDEX roost_raw_target ON roost_raw(target);

        -- Deleted records that a deny reference keeps visible; members of tree cycles whose tree reference is cut.
        CREATE TABLE roost_kept(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, PRIMARY KEY(entity, id)) STRICT, WITHOUT ROWID;
        CREATE TABLE roost_dropped(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, PRIMARY KEY(entity, id))
          STRICT, WITHOUT ROWID;

        -- Properties that this schema does not know, as an encoded Put, to be passed on untouched.
        CREATE TABLE roost_extra(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put BLOB NOT NULL, PRIMARY KEY(entity, id))
          STRICT, WITHOUT ROWID;

        -- Records that do not fit this schema: kept, not shown.
        CREATE TABLE roost_unfit(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put BLOB NOT NULL, reason TEXT NOT NULL,
          PRIMARY KEY(entity, id)) STRICT, WITHOUT ROWID;

        -- What became of changes that are not current, with their content.
        CREATE TABLE roost_journal(ordinal INTEGER PRIMARY KEY, at INTEGER NOT NULL, entity INTEGER NOT NULL,
          id \(id.columnType) NOT NULL, outcome TEXT NOT NULL, stamp BLOB NOT NULL, put BLOB, by_stamp BLOB, reason TEXT) STRICT;
        CREATE INDEX roost_journal_stamp ON roost_journal(stamp);

        -- What happened to the replica as a whole.
        CREATE TABLE roost_event(ordinal INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL)
          STRICT;

        -- What records held before a local transaction, so that it can be undone.
        CREATE TABLE roost_history(ordinal INTEGER PRIMARY KEY, step INTEGER NOT NULL, at INTEGER NOT NULL,
          label TEXT NOT NULL, entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, before BLOB, after BLOB,
          undone INTEGER NOT NULL DEFAULT 0) STRICT;
        CREATE INDEX roost_history_step ON roost_history(step);

        -- The names of the scope's devices.
        CREATE TABLE roost_device(replica BLOB PRIMARY KEY NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL)
          STRICT, WITHOUT ROWID;
        """
    }

    static func outbox(_ id: IdentifierForm) -> String {
        """
        -- Local changes not yet acknowledged, beside those of roost_mark. first…txn: the local transactions that touched the record.
        -- base: the put it was edited from, written only once roost_fact has moved on from it.
        CREATE TABLE roost_outbox(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put_stamp INTEGER, del_stamp INTEGER,
          first INTEGER NOT NULL, txn INTEGER NOT NULL, unsettled INTEGER NOT NULL, base BLOB,
          PRIMARY KEY(entity, id)) STRICT, WITHOUT ROWID;
        """
    }

    /// The additions of format 2 to format 1.
    static func secondFormat(_ id: IdentifierForm) -> String {
        """
        -- Whether the last transaction of a push goes on in the next one.
        ALTER TABLE roost_push ADD COLUMN continues INTEGER NOT NULL DEFAULT 0;

        -- What the server has: all of it while everything is pulled anew, then its state of what it has lost.
        CREATE TABLE roost_pulled(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put_stamp BLOB, put BLOB, base BLOB,
          del_stamp BLOB, PRIMARY KEY(entity, id)) STRICT;

        -- Slots that the server has lost and that are to be brought back.
        CREATE TABLE roost_lost(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, put_stamp BLOB, put BLOB, del_stamp BLOB,
          PRIMARY KEY(entity, id)) STRICT;
        """
    }

    /// The differences of format 3 from format 2.
    static func thirdFormat(_ id: IdentifierForm) -> String {
        """
        -- People restore by an entry's number: none is used twice, also where old entries were removed.
        ALTER TABLE roost_journal RENAME TO roost_journal_2;
        CREATE TABLE roost_journal(ordinal INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, entity INTEGER NOT NULL,
          id \(id.columnType) NOT NULL, outcome TEXT NOT NULL, stamp BLOB NOT NULL, put BLOB, by_stamp BLOB, reason TEXT) STRICT;
        INSERT INTO roost_journal SELECT * FROM roost_journal_2;
        DROP TABLE roost_journal_2;
        CREATE INDEX roost_journal_stamp ON roost_journal(stamp);

        -- The last entry of the journal that was there on a day by the server's clock: how old entries are.
        CREATE TABLE roost_journal_day(day INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT;
        """
    }

    /// The differences of format 4 from format 3. The triggers differ, too, and are made after these statements.
    static let fourthFormat = """
        -- Under another name, so that a program that knows no marks, and has the file open, fails and does not go on without them.
        CREATE TABLE roost_control_3 AS SELECT * FROM roost_control;
        DROP TABLE roost_control;
        CREATE TABLE roost_control(one INTEGER PRIMARY KEY CHECK(one = 1), applying INTEGER NOT NULL DEFAULT 0,
          clock INTEGER NOT NULL DEFAULT 0, clock_offset INTEGER NOT NULL DEFAULT 0, txn INTEGER NOT NULL DEFAULT 1) STRICT;
        INSERT INTO roost_control(one, applying, clock, clock_offset, txn)
          SELECT one, applying, hlc, clock_offset, txn FROM roost_control_3;
        DROP TABLE roost_control_3;

        \(marks)
        """

    /// The differences of format 5 from format 4. Values that sessions read and write with each exchange are stored in the row
    /// that triggers read, and steps that can be undone are found by their order.
    static let fifthFormat = """
        DROP INDEX roost_history_step;
        \(addedColumns)
        \(takeInState)
        """

    /// The differences of format 6 from format 5. The triggers differ, too, and are made when the layout is verified.
    static func sixthFormat(_ id: IdentifierForm) -> String {
        """
        -- A mark is a hint, and holds whatever a statement names: also what the table then refuses.
        ALTER TABLE roost_mark RENAME TO roost_mark_5;
        \(marks)
        INSERT INTO roost_mark(n, entity, id, at, deletes) SELECT n, entity, id, at, deletes FROM roost_mark_5;
        DROP TABLE roost_mark_5;

        \(rule)

        \(missing(id))

        -- clock is called reading, so that a program of format 5 fails and does not go on, whatever user_version says. What other programs
        -- write has an even number from now on, and what the library writes an odd one.
        CREATE TABLE roost_control_5 AS SELECT * FROM roost_control;
        DROP TABLE roost_control;
        CREATE TABLE roost_control(one INTEGER PRIMARY KEY CHECK(one = 1), applying INTEGER NOT NULL DEFAULT 0,
          reading INTEGER NOT NULL DEFAULT 0, clock_offset INTEGER NOT NULL DEFAULT 0, txn INTEGER NOT NULL DEFAULT 2,
          \(stateColumnNames.map { "\($0) ANY" }.joined(separator: ", "))) STRICT;
        INSERT INTO roost_control(one, reading, clock_offset, txn, \(stateColumnNames.joined(separator: ", ")))
          SELECT one, clock, clock_offset, txn + 2 - (txn & 1), \(stateColumnNames.joined(separator: ", ")) FROM roost_control_5;
        DROP TABLE roost_control_5;
        """
    }

    private static let addedColumns = stateColumns.map { _, column in
        "ALTER TABLE roost_control ADD COLUMN \(column.name) ANY;"
    }.joined(separator: "\n")

    /// The statements that move values from rows of `roost_state`, where earlier files store them, to columns of `roost_control`
    /// that are null. They cast each value, because a flipped bit may have changed its storage class.
    static let takeInState = stateColumns.map { name, column in
        """
        UPDATE roost_control SET \(column.name) = (SELECT CAST(value AS \(column.type)) FROM roost_state WHERE name = \(SQLName.literal(name)))
          WHERE \(column.name) IS NULL AND EXISTS (SELECT 1 FROM roost_state WHERE name = \(SQLName.literal(name)));
        DELETE FROM roost_state WHERE name = \(SQLName.literal(name));
        """
    }.joined(separator: "\n")

    private static let stateColumnNames = stateColumns.map(\.column.name)

    private static let stateColumns = StateStore.Name.allCases.compactMap { name in
        name.column.map { (name: name.rawValue, column: $0) }
    }

    static let rule = """
        -- The delete rules at work: a trigger adds a row with a random number, and SQLite hands that to the triggers inside.
        CREATE TABLE IF NOT EXISTS roost_rule(n INTEGER PRIMARY KEY, entity INTEGER NOT NULL, id ANY) STRICT;
        """

    static func missing(_ id: IdentifierForm) -> String {
        """
        -- Records whose row is missing, with nothing that says that somebody deleted them.
        CREATE TABLE IF NOT EXISTS roost_missing(entity INTEGER NOT NULL, id \(id.columnType) NOT NULL, PRIMARY KEY(entity, id))
          STRICT, WITHOUT ROWID;
        """
    }

    static let marks = """
        -- Hints of triggers since a program of Roost last looked: a row came, or went (deletes: 1), in this order; or, without an
        -- identifier, any row of the entity may have. at: SQLite's julianday(). A mark gets its stamp in roost_outbox.
        CREATE TABLE roost_mark(n INTEGER PRIMARY KEY, entity INTEGER NOT NULL, id ANY, at REAL NOT NULL,
          deletes INTEGER NOT NULL DEFAULT 0) STRICT;
        """

    /// Returns the statements that create the visible table of an entity, its hidden table, and their indexes.
    static func create(_ table: EntityTable) -> [String] {
        [createVisible(table), createHidden(table)] + indexes(table).map(\.sql)
    }

    static func createVisible(_ table: EntityTable) -> String {
        let form = table.identifiers
        let id = "id \(form.columnType) PRIMARY KEY NOT NULL DEFAULT \(form.newIdentifier) CHECK(\(form.check("id")))"
        let columns = [id] + table.columns.map { "\($0.quoted) \(declaration($0, form))" }
        return "CREATE TABLE \(table.visible)(\(columns.joined(separator: ", "))) STRICT"
    }

    /// The column of a hidden table that flags a row as deleted.
    static let deletedColumn = "roost_deleted"

    /// Returns the statement that creates the hidden table of an entity. The table also has the columns of other programs, which
    /// hold whatever the visible ones held.
    static func createHidden(_ table: EntityTable) -> String {
        let columns =
            ["id \(table.identifiers.columnType) PRIMARY KEY NOT NULL"]
            + table.columns.map { "\($0.quoted) \(type($0, table.identifiers))" }
            + ["roost_deleted INTEGER NOT NULL"] + table.additions.columns.map { "\(SQLName.quoted($0)) ANY" }
        return "CREATE TABLE \(table.hidden)(\(columns.joined(separator: ", "))) STRICT"
    }

    /// Returns the indexes of references, by which the delete rules find records.
    static func indexes(_ table: EntityTable) -> [(name: String, table: String, sql: String)] {
        table.references.flatMap { column in
            // The names contain numbers, because names joined by "_" could collide.
            let suffix = "\(table.entity)_\(column.property)"
            return [("roost_by_\(suffix)", table.visible), ("roost_hidden_by_\(suffix)", table.hidden)].map {
                name, place in
                (name, place, "CREATE INDEX \(SQLName.quoted(name)) ON \(place)(\(column.quoted))")
            }
        }
    }

    /// Returns the storage class of a column, as a strict table declares it.
    static func type(_ column: EntityTable.Column, _ identifiers: IdentifierForm) -> String {
        guard case .attribute(let attribute) = column.kind else { return identifiers.columnType }
        switch attribute.kind {
        case .string, .date, .json: return "TEXT"
        case .integer, .boolean, .timestamp: return "INTEGER"
        case .double: return "REAL"
        case .uuid: return identifiers.columnType
        case .data: return "BLOB"
        }
    }

    private static func declaration(_ column: EntityTable.Column, _ identifiers: IdentifierForm) -> String {
        var parts = [type(column, identifiers)]
        switch column.kind {
        case .attribute(let attribute):
            if !attribute.isOptional { parts.append("NOT NULL") }
            if let value = attribute.defaultValue {
                let stored = attribute.kind == .uuid ? identifiers.stored(value) : value
                parts.append("DEFAULT \(literal(stored))")
            }
            if let check = check(column.quoted, attribute.kind, identifiers) { parts.append("CHECK(\(check))") }
        case .reference(let rule, let isOptional):
            // The column of a reference that may be masked cannot be NOT NULL.
            if !isOptional, !rule.isMaskable { parts.append("NOT NULL") }
            parts.append("CHECK(\(identifiers.check(column.quoted)))")
        }
        return parts.joined(separator: " ")
    }

    /// Returns the condition that a type requires beyond its SQL storage class. A null passes every check.
    private static func check(
        _ column: String, _ kind: Attribute.Kind, _ identifiers: IdentifierForm
    ) -> String? {
        switch kind {
        case .boolean: "\(column) IN (0, 1)"
        // Without a modifier, date() lets 30 February pass.
        case .date:
            "\(column) IS date(\(column), '+0 days') AND coalesce(length(\(column)) = 10 AND \(column) > '0001', 1)"
        case .uuid: identifiers.check(column)
        // Not json_valid(): in SQLite 3.40, a connection with trusted_schema=off cannot read a table that is checked with it.
        // JSON is checked when the row is sent (``ValueFault``).
        case .json, .string, .integer, .double, .timestamp, .data: nil
        }
    }

    /// Returns a value as an SQL expression for a column's default.
    static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .string(let text): literal(text)
        case .integer(let number): String(number)
        case .double(let number) where number.isNaN: "NULL"
        case .double(let number) where number.isInfinite: number < 0 ? "-9e999" : "9e999"
        case .double(let number): "\(number)"
        case .boolean(let flag): flag ? "1" : "0"
        case .data(let bytes): "x'\(Hex.encode(bytes))'"
        }
    }

    /// Returns a text as an SQL literal. Works on bytes, because a quote followed by a combining mark is one `Character` that
    /// does not equal the quote.
    private static func literal(_ text: String) -> String {
        // A NUL would end the statement.
        guard !text.utf8.contains(0) else { return "(CAST(x'\(Hex.encode(text.utf8))' AS TEXT))" }
        let quote = UInt8(ascii: "'")
        let bytes = [quote] + text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
        return String(decoding: bytes, as: UTF8.self)
    }
}
