#ifndef ROOST_CSQLITESTORE_SHIM_H
#define ROOST_CSQLITESTORE_SHIM_H
#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift does not see.
static inline int csqlitestore_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

// Memory is taken without counting it under a lock that all connections share; only before SQLite's first use.
static inline int csqlitestore_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Closing the last connection would otherwise move the log into the file.
static inline int csqlitestore_leave_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

// The bytes are copied; SQLITE_TRANSIENT is a cast that Swift does not see. No bytes are an empty blob, not NULL.
static inline int csqlitestore_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return bytes ? sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT)
                 : sqlite3_bind_zeroblob(statement, index, 0);
}

static inline int csqlitestore_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
#endif
