#ifndef ROOST_CSQLITE_SHIM_H
#define ROOST_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config and sqlite3_config are variadic, which Swift cannot call. */

/* Lets SQLite take memory without counting it under a lock that all connections share; only before its first use. */
static inline int csqlite_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/* Lets the triggers stored in the file run on this connection (1) or not (0). */
static inline int csqlite_enable_triggers(sqlite3 *connection, int enabled) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, enabled, (int *)0);
}

/* Whether triggers run on this connection. */
static inline int csqlite_has_triggers(sqlite3 *connection) {
    int enabled = 0;
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, -1, &enabled);
    return enabled;
}

/* Refuses statements that could corrupt the file on purpose. */
static inline int csqlite_defensive(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/* Leaves the write-ahead log as it is when the last connection closes. */
static inline int csqlite_keep_log_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* The destructor that makes SQLite copy what is bound. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
