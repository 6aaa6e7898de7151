#ifndef ROOST_VIRTUAL_DISK_H
#define ROOST_VIRTUAL_DISK_H

#include <stddef.h>
#include <stdint.h>

/*
 * An SQLite VFS that keeps files in memory and remembers what was written since it was last synced, so that a crash can be
 * played: of the process (all that was written stays) or of the power (what was not synced is kept, lost or torn, sector by
 * sector). It is made the default VFS, and passes every file outside its folder on to the one that was the default before.
 *
 * A disk is the folder below the top folder that a file lies in: "TOP/3/replica.roost" lies on disk "3". Connections of one
 * disk share it as processes of one machine do, with locks and the shared memory of the write-ahead log.
 *
 * All calls are safe from any thread; a disk is meant to be used from one at a time.
 */

/* Registers the VFS for files under `top`, an absolute path without a "/" at its end. Once in a process; later calls change
 * nothing. Returns an SQLite result code. */
int virtual_disk_register(const char *top);

/* Sets what SQLite reads as the time in this thread: milliseconds since 1970; 0 for the real time. Returns
 * what it was. */
int64_t virtual_disk_set_time(int64_t milliseconds);

/* Starts SQLite's own random numbers anew from `seed`, in every thread; 0 for real randomness. */
void virtual_disk_set_random(uint64_t seed);

/* Forgets a disk with all its files; connections that are still open get errors. */
void virtual_disk_remove(const char *disk);

/* Lets the disk die at the write, truncation, sync or deletion number `operations` from now, from 1; 0 for never. From then on
 * every call of its open files fails, until virtual_disk_crash(). */
void virtual_disk_die_after(const char *disk, uint64_t operations);
int virtual_disk_is_dead(const char *disk);

/* Lets operation number `operations` from now fail with the SQLite code `code`, and the `count - 1` after it; 0 for none. */
void virtual_disk_fail_after(const char *disk, uint64_t operations, int code, uint64_t count);

/* How many operations have failed so, ever: for want of room (`is_full`), or otherwise. */
uint64_t virtual_disk_failures(const char *disk, int is_full);

/* Writes, truncations, syncs and deletions since the disk was made, or since counting was started anew. */
uint64_t virtual_disk_operations(const char *disk);
void virtual_disk_start_counting(const char *disk);

/* Writes all that was not synced, as a system does after a while by itself. */
void virtual_disk_sync(const char *disk);

/* What a crash leaves. */
enum virtual_disk_crash_kind {
    /* The process died: all that was written is there. */
    virtual_disk_crash_process = 0,
    /* The power failed: what was not synced is kept, lost or torn. */
    virtual_disk_crash_power = 1
};

/* What a crash took: sectors of writes, truncations and deletions that are lost whole, and sectors of which a part is there. */
typedef struct virtual_disk_losses {
    uint64_t lost;
    uint64_t torn;
} virtual_disk_losses;

/* Ends every open file of the disk and leaves what a crash leaves; `seed` decides about each sector that was not synced. */
virtual_disk_losses virtual_disk_crash(const char *disk, enum virtual_disk_crash_kind kind, uint64_t seed);

/* Makes another disk what a crash of the power would leave of this one, which goes on as it is. */
virtual_disk_losses virtual_disk_crash_into(const char *disk, const char *other, uint64_t seed);

/* The size of a file; 0 where there is none. */
size_t virtual_disk_size(const char *path);

/* Copies `count` bytes of a file from its start. */
void virtual_disk_read(const char *path, void *bytes, size_t count);

/* Replaces a file that nobody has open, synced; an empty one is deleted. */
void virtual_disk_write(const char *path, const void *bytes, size_t count);

#endif
