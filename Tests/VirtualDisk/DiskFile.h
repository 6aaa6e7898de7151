#ifndef ROOST_DISK_FILE_H
#define ROOST_DISK_FILE_H

#include <sqlite3.h>

#include "VirtualDisk.h"

#define DISK_MAP_LOCKS 8

/* A write or a truncation that was not synced yet. */
typedef struct unsynced {
    struct unsynced *next;
    size_t offset;
    size_t count;
    int is_truncation;
    unsigned char bytes[];
} unsynced;

/* A file: as programs see it, and as it was when it was last synced. */
typedef struct disk_file {
    struct disk_file *next;
    char *path;
    /* Open connections, and one for the disk itself. */
    int references;

    unsigned char *bytes;
    size_t size;
    size_t capacity;

    unsigned char *synced;
    size_t synced_size;
    size_t synced_capacity;
    unsynced *first;
    unsynced *last;

    /* Locks of the main file. */
    int shared_count;
    const void *reserved;
    const void *exclusive;
    int is_pending;

    /* The shared memory of the write-ahead log, and its locks: who holds one exclusively, how many share it. */
    unsigned char **regions;
    int region_count;
    int mapped_count;
    const void *map_exclusive[DISK_MAP_LOCKS];
    int map_shared[DISK_MAP_LOCKS];
} disk_file;

typedef struct disk {
    struct disk *next;
    char *name;
    disk_file *files;
    /* Files that were deleted and may come back after a power failure. */
    disk_file *deleted;
    /* Grows with each crash; what was opened before it gets errors. */
    uint64_t epoch;
    uint64_t operations;
    uint64_t dies_at;
    /* For want of room at 1, otherwise at 0. */
    uint64_t failures[2];
    uint64_t fails_from;
    uint64_t fails_until;
    int fails_with;
    int is_dead;
} disk;

/* One connection's view of a file. */
typedef struct handle {
    sqlite3_file base;
    disk *disk;
    disk_file *file;
    uint64_t epoch;
    int level;
    int deletes_on_close;
    /* A new journal or log: its first sync is one of the folder too. */
    int syncs_folder;
    int is_mapped;
    unsigned map_shared;
    unsigned map_exclusive;
} handle;

uint64_t virtual_disk_random(uint64_t *state);

/* The disk of that name; it is made where there is none. */
disk *disk_named(const char *name, size_t count);
/* Counts an operation; an error code if it fails, or the disk dies in it. */
int disk_operation(disk *disk, int error);
void disk_clear(disk *disk);
virtual_disk_losses disk_crash(disk *disk, enum virtual_disk_crash_kind kind, uint64_t seed);

/* What a loss of power leaves of `disk`, on `other`; the paths begin with `prefix` there. */
virtual_disk_losses disk_crash_into(disk *disk, struct disk *other, const char *prefix, uint64_t seed);

disk_file *disk_file_named(disk *disk, const char *path);
disk_file *disk_file_make(disk *disk, const char *path);
/* Forgets deleted files of that name, for a new one takes their place; all of them for NULL. */
void disk_forget_deleted(disk *disk, const char *path);
/* Deletes a file; until its folder is synced a power failure may bring it back as it was last synced. */
void disk_file_delete(disk *disk, disk_file *file);
/* Takes a file off its disk without a trace. */
void disk_file_forget(disk *disk, disk_file *file);
void disk_file_release(disk_file *file);

int disk_file_read(const disk_file *file, void *bytes, int count, sqlite3_int64 offset);
void disk_file_write(disk_file *file, const void *bytes, int count, sqlite3_int64 offset);
void disk_file_truncate(disk_file *file, sqlite3_int64 size);
void disk_file_sync(disk_file *file);

int disk_file_lock(handle *handle, int level);
void disk_file_unlock(handle *handle, int level);
int disk_file_map(handle *handle, int region, int size, int extend, void volatile **memory);
int disk_file_map_lock(handle *handle, int first, int count, int flags);
void disk_file_unmap(handle *handle);

#endif
