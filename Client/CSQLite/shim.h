#ifndef ROOST_CSQLITE_SHIM_H
#define ROOST_CSQLITE_SHIM_H

#include <stdint.h>
/* The functions of sqlite.org/c3ref/preupdate_blobwrite.html: Debian's SQLite has them. */
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
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

/* Refuses statements that could corrupt the file on purpose (1), or not (0). */
static inline int csqlite_set_defensive(sqlite3 *connection, int enabled) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, enabled, (int *)0);
}

/* Lets a quoted name that no table has be an error, not a text. */
static inline int csqlite_refuse_quoted_text(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

/* Leaves the write-ahead log as it is when the last connection closes. */
static inline int csqlite_keep_log_on_close(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* The write-ahead log as the connection has it open, or NULL. Nothing is opened or closed, so no lock is lost. */
static inline sqlite3_file *csqlite_log_file(sqlite3 *connection) {
    sqlite3_file *file = 0;
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    return file && file->pMethods ? file : 0;
}

/* The database file as the connection has it open, or NULL. */
static inline sqlite3_file *csqlite_database_file(sqlite3 *connection) {
    sqlite3_file *file = 0;
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : 0;
}

/* How many frames of the log SQLite takes: "mxFrame" of the shared index (sqlite.org/walformat.html); -1 without an index. */
static inline int64_t csqlite_log_frames(sqlite3 *connection) {
    sqlite3_file *file = csqlite_database_file(connection);
    if (!file || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return -1;
    void volatile *index = 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK || !index) return -1;
    return ((uint32_t volatile *)index)[4];
}

/* -1 where the size cannot be had. */
static inline int64_t csqlite_file_size(sqlite3_file *file) {
    sqlite3_int64 size = 0;
    return file->pMethods->xFileSize(file, &size) == SQLITE_OK ? size : -1;
}

/* Whether all of the bytes could be read. */
static inline int csqlite_file_read(sqlite3_file *file, void *bytes, int count, int64_t offset) {
    return file->pMethods->xRead(file, bytes, count, offset) == SQLITE_OK;
}

/* Carries the checksum of the log on over `count` bytes, a multiple of 8, as words of either byte order. */
static inline void csqlite_log_checksum(const uint8_t *bytes, int64_t count, int is_big_endian, uint32_t *sums) {
    uint32_t first = sums[0], second = sums[1];
    for (int64_t place = 0; place < count; place += 8) {
        uint32_t words[2];
        __builtin_memcpy(words, bytes + place, 8);
        if (is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
            words[0] = __builtin_bswap32(words[0]);
            words[1] = __builtin_bswap32(words[1]);
        }
        first += words[0] + second;
        second += words[1] + first;
    }
    sums[0] = first;
    sums[1] = second;
}

/* The destructor that makes SQLite copy what is bound. */
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

#endif
