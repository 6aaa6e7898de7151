/// The tables of a server's file. Each key begins with the scope, so that no row is found without it.
enum SQLiteLayout {
    /// `PRAGMA application_id`: "Roos".
    static let applicationID: Int32 = 0x526F_6F73
    /// `PRAGMA user_version`: grows with every change of the tables.
    static let version = 4

    /// The settings of each connection: every `PRAGMA` that a server needs, except ``synchronous(_:)``.
    static let connection = """
        PRAGMA trusted_schema = OFF;
        PRAGMA cell_size_check = ON;
        PRAGMA mmap_size = 0;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = -16000;
        PRAGMA journal_size_limit = 67108864;
        """

    /// Finds items that are neither a table or index of a server, of any format, nor internal to SQLite. Foreign triggers
    /// and views would act on the server's reads and writes.
    static let foreignItems = """
        SELECT type || ' "' || name || '"' FROM sqlite_schema
        WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'
          OR tbl_name NOT IN ('setting', 'scope', 'schema', 'replica', 'progress', 'staged', 'token', 'invite', 'answer', 'record',
            'chain', 'purged', 'log', 'outdated') AND tbl_name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          OR type = 'index' AND sql IS NOT NULL
            AND name NOT IN ('token_replica', 'invite_scope', 'purged_sequence', 'record_sequence')
        LIMIT 1
        """

    static func synchronous(_ synchronous: SQLiteStore.Synchronous) -> String {
        "PRAGMA synchronous = \(synchronous.rawValue.uppercased())"
    }

    /// The number of free pages that stay in the file for later writes: 4 MiB.
    static let freePagesMax = 1024
    /// The number of free pages that one transaction frees: some milliseconds, for which a concurrent push waits.
    static let pagesGivenBack = 512

    /// Allows the file to return free pages to the disk in steps. It has to run before the first table is created. A file
    /// that has tables needs a rebuild (``rebuild``).
    static let shrinking = "PRAGMA auto_vacuum = INCREMENTAL"
    /// Queries whether a file cannot return free pages, and at least a quarter of it is free.
    static let isWorthRebuilding = """
        SELECT auto_vacuum = 0 AND freelist_count > \(freePagesMax) AND 4 * freelist_count > page_count
        FROM pragma_auto_vacuum, pragma_freelist_count, pragma_page_count
        """
    static let rebuild = "VACUUM"

    /// Marks a file as a store of this format.
    static let numbers = ["PRAGMA application_id = \(applicationID)", "PRAGMA user_version = \(version)"]

    static let tables = """
        CREATE TABLE setting(name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        CREATE TABLE scope(
          key INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, name TEXT NOT NULL, epoch INTEGER NOT NULL,
          schema_version INTEGER NOT NULL, sequence INTEGER NOT NULL, chain BLOB NOT NULL, digest BLOB NOT NULL,
          records INTEGER NOT NULL, bytes INTEGER NOT NULL, floor INTEGER NOT NULL DEFAULT 0,
          purged INTEGER NOT NULL DEFAULT 0, recovering_until INTEGER NOT NULL DEFAULT 0,
          ended_epochs BLOB NOT NULL DEFAULT x'');
        CREATE TABLE schema(
          scope INTEGER NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(scope, version)) WITHOUT ROWID;
        CREATE TABLE replica(
          scope INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, created INTEGER NOT NULL,
          last_seen INTEGER NOT NULL, revoked INTEGER NOT NULL, cursor INTEGER, pulled INTEGER NOT NULL DEFAULT 0,
          device INTEGER NOT NULL DEFAULT 0, inviter INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(scope, id)) WITHOUT ROWID;
        CREATE TABLE progress(
          scope INTEGER NOT NULL, replica INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
          reply BLOB NOT NULL, stamp INTEGER NOT NULL, continuation INTEGER NOT NULL, PRIMARY KEY(scope, replica));
        CREATE TABLE staged(
          scope INTEGER NOT NULL, replica INTEGER NOT NULL, ordinal INTEGER NOT NULL, changes INTEGER NOT NULL,
          bytes INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY(scope, replica, ordinal));
        CREATE TABLE token(
          hash BLOB PRIMARY KEY NOT NULL, scope INTEGER NOT NULL, replica INTEGER NOT NULL, state INTEGER NOT NULL,
          until INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX token_replica ON token(scope, replica);
        CREATE TABLE invite(
          hash BLOB PRIMARY KEY NOT NULL, scope INTEGER NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL,
          expires INTEGER NOT NULL, uses_left INTEGER NOT NULL, revoked INTEGER NOT NULL, created INTEGER NOT NULL,
          creator INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE INDEX invite_scope ON invite(scope, created);
        \(answer)
        CREATE TABLE record(
          row INTEGER PRIMARY KEY, scope INTEGER NOT NULL, entity INTEGER NOT NULL, id BLOB NOT NULL,
          sequence INTEGER NOT NULL, author INTEGER NOT NULL, message BLOB NOT NULL, UNIQUE(scope, entity, id));
        CREATE TABLE chain(
          scope INTEGER NOT NULL, sequence INTEGER NOT NULL, hash INTEGER NOT NULL, PRIMARY KEY(scope, sequence))
          WITHOUT ROWID;
        \(purged)
        \(log)
        """

    /// The table of answers. From format 4 on it has no salt, from which, together with the server's secret, the token of
    /// an answer could be derived.
    private static let answer = """
        CREATE TABLE answer(
          key BLOB PRIMARY KEY NOT NULL, scope INTEGER NOT NULL, replica INTEGER NOT NULL, created INTEGER NOT NULL)
          WITHOUT ROWID;
        """

    private static let purged = """
        CREATE TABLE purged(
          scope INTEGER NOT NULL, entity INTEGER NOT NULL, id BLOB NOT NULL, sequence INTEGER NOT NULL,
          PRIMARY KEY(scope, entity, id)) WITHOUT ROWID;
        CREATE INDEX purged_sequence ON purged(scope, sequence);
        """

    /// The log: the record that each sequence wrote. An entry is valid while its record still has that sequence. Later
    /// writes record the invalid entry in `outdated`, and thousands of them are removed from the log at once
    /// (decision 129).
    private static let log = """
        CREATE TABLE log(
          scope INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY(scope, sequence, row))
          WITHOUT ROWID;
        CREATE TABLE outdated(
          ordinal INTEGER PRIMARY KEY, scope INTEGER NOT NULL, sequence INTEGER NOT NULL, row INTEGER NOT NULL);
        """

    /// The number of outdated entries at which all of them are removed from the log. Readers skip fewer.
    static let outdatedMax = 4096

    /// Counts the records that no reader would receive; 0 for an intact file.
    static let recordsNotInLog = """
        SELECT count(*) FROM record WHERE NOT EXISTS (
          SELECT 1 FROM log WHERE log.scope = record.scope AND log.sequence = record.sequence AND log.row = record.row)
        """

    /// The steps that upgrade a file of format n, at index n − 1, to format n + 1.
    ///
    /// Format 1 recorded no pulls. The positions of its replicas are unknown, so each counts as having pulled nothing as of
    /// its last use. They hold purges back until they pull or have been away for longer than the horizon.
    ///
    /// Format 3 recorded neither which replicas are renewals, nor whose invite a device joined with. Each of its replicas
    /// counts as a device of its own. A request from the ten minutes before the upgrade that is repeated gets no stored
    /// answer.
    static let upgrades = [
        """
        ALTER TABLE scope ADD COLUMN floor INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE scope ADD COLUMN purged INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE scope ADD COLUMN recovering_until INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE scope ADD COLUMN ended_epochs BLOB NOT NULL DEFAULT x'';
        ALTER TABLE replica ADD COLUMN cursor INTEGER;
        ALTER TABLE replica ADD COLUMN pulled INTEGER NOT NULL DEFAULT 0;
        UPDATE replica SET cursor = 0, pulled = last_seen;
        \(purged)
        """,
        """
        \(log)
        INSERT INTO log SELECT scope, sequence, row FROM record ORDER BY scope, sequence, row;
        DROP INDEX record_sequence;
        """,
        """
        ALTER TABLE replica ADD COLUMN device INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE replica ADD COLUMN inviter INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE invite ADD COLUMN creator INTEGER NOT NULL DEFAULT 0;
        DELETE FROM schema WHERE version < (SELECT schema_version FROM scope WHERE key = schema.scope);
        PRAGMA secure_delete = ON;
        DROP TABLE answer;
        PRAGMA secure_delete = OFF;
        \(answer)
        """,
    ]
}
