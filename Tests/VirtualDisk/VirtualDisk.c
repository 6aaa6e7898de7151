#include "VirtualDisk.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "DiskFile.h"

static sqlite3_vfs *real;
static sqlite3_vfs virtual_vfs;
static char *top;
static size_t top_length;
static _Thread_local int64_t thread_time;
static uint64_t random_seed;
static pthread_mutex_t mutex;

static void lock(void) { pthread_mutex_lock(&mutex); }
static void unlock(void) { pthread_mutex_unlock(&mutex); }

uint64_t virtual_disk_random(uint64_t *state) {
    /* SplitMix64. */
    uint64_t mixed = *state += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static int is_virtual(const char *path) {
    return path && top && strncmp(path, top, top_length) == 0 && path[top_length] == '/';
}

/* ---- Open files: each call takes the lock and asks the disk whether it still works. ---- */

static int begin(handle *handle) {
    lock();
    return handle->epoch == handle->disk->epoch && !handle->disk->is_dead;
}

static int file_close(sqlite3_file *base) {
    handle *handle = (struct handle *)base;
    lock();
    if (handle->epoch == handle->disk->epoch) {
        disk_file_unlock(handle, SQLITE_LOCK_NONE);
        disk_file_unmap(handle);
        if (handle->deletes_on_close) disk_file_delete(handle->disk, handle->file);
    }
    disk_file_release(handle->file);
    unlock();
    return SQLITE_OK;
}

static int file_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_READ;
    if (begin(handle)) result = disk_file_read(handle->file, bytes, count, offset);
    unlock();
    return result;
}

static int file_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_WRITE;
    if (begin(handle)) {
        result = disk_operation(handle->disk, SQLITE_IOERR_WRITE);
        if (result == SQLITE_OK) {
            disk_file_write(handle->file, bytes, count, offset);
        } else if (handle->disk->is_dead && count > 512) {
            /* The one that the process or the power died in may have begun. */
            uint64_t state = handle->disk->operations;
            int begun = (int)(virtual_disk_random(&state) % (uint64_t)(count / 512 + 1)) * 512;
            if (begun) disk_file_write(handle->file, bytes, begun, offset);
        }
    }
    unlock();
    return result;
}

static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_TRUNCATE;
    if (begin(handle)) {
        result = disk_operation(handle->disk, SQLITE_IOERR_TRUNCATE);
        if (result == SQLITE_OK) disk_file_truncate(handle->file, size);
    }
    unlock();
    return result;
}

static int file_sync(sqlite3_file *base, int flags) {
    (void)flags;
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_FSYNC;
    if (begin(handle)) {
        result = disk_operation(handle->disk, SQLITE_IOERR_FSYNC);
        if (result == SQLITE_OK) {
            disk_file_sync(handle->file);
            if (handle->syncs_folder) disk_forget_deleted(handle->disk, NULL);
            handle->syncs_folder = 0;
        }
    }
    unlock();
    return result;
}

static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    handle *handle = (struct handle *)base;
    int works = begin(handle);
    if (works) *size = (sqlite3_int64)handle->file->size;
    unlock();
    return works ? SQLITE_OK : SQLITE_IOERR_FSTAT;
}

static int file_lock(sqlite3_file *base, int level) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_LOCK;
    if (begin(handle)) result = disk_file_lock(handle, level);
    unlock();
    return result;
}

static int file_unlock(sqlite3_file *base, int level) {
    handle *handle = (struct handle *)base;
    if (begin(handle)) disk_file_unlock(handle, level);
    unlock();
    return SQLITE_OK;
}

static int file_check_reserved(sqlite3_file *base, int *is_reserved) {
    handle *handle = (struct handle *)base;
    int works = begin(handle);
    if (works) *is_reserved = handle->file->reserved != NULL;
    unlock();
    return works ? SQLITE_OK : SQLITE_IOERR_CHECKRESERVEDLOCK;
}

static int file_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

/* As the default VFS says of an ordinary disk. */
static int file_sector_size(sqlite3_file *base) {
    (void)base;
    return 4096;
}

static int file_characteristics(sqlite3_file *base) {
    (void)base;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int file_map(sqlite3_file *base, int region, int size, int extend, void volatile **memory) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_SHMMAP;
    *memory = NULL;
    if (begin(handle)) result = disk_file_map(handle, region, size, extend, memory);
    unlock();
    return result;
}

static int file_map_lock(sqlite3_file *base, int first, int count, int flags) {
    handle *handle = (struct handle *)base;
    int result = SQLITE_IOERR_SHMLOCK;
    if (begin(handle)) result = disk_file_map_lock(handle, first, count, flags);
    unlock();
    return result;
}

static void file_barrier(sqlite3_file *base) {
    (void)base;
    lock();
    unlock();
}

static int file_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    handle *handle = (struct handle *)base;
    if (begin(handle)) disk_file_unmap(handle);
    unlock();
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    2, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
    file_check_reserved, file_control, file_sector_size, file_characteristics, file_map, file_map_lock, file_barrier,
    file_unmap, NULL, NULL,
};

/* ---- The file system ---- */

static disk *disk_of(const char *path) {
    const char *name = path + top_length + 1;
    const char *end = strchr(name, '/');
    return disk_named(name, end ? (size_t)(end - name) : strlen(name));
}

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out_flags) {
    (void)vfs;
    if (!is_virtual(path)) return real->xOpen(real, path, base, flags, out_flags);
    handle *handle = (struct handle *)base;
    memset(handle, 0, sizeof *handle);
    lock();
    int result = SQLITE_CANTOPEN;
    disk *disk = disk_of(path);
    disk_file *file = disk->is_dead ? NULL : disk_file_named(disk, path);
    if (!file && !disk->is_dead && (flags & SQLITE_OPEN_CREATE)) {
        disk_forget_deleted(disk, path);
        file = disk_file_make(disk, path);
    }
    if (file) {
        handle->base.pMethods = &methods;
        handle->disk = disk;
        handle->file = file;
        handle->epoch = disk->epoch;
        handle->syncs_folder =
            (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL));
        handle->deletes_on_close = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
        file->references += 1;
        if (out_flags) *out_flags = flags;
        result = SQLITE_OK;
    }
    unlock();
    return result;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_folder) {
    (void)vfs;
    if (!is_virtual(path)) return real->xDelete(real, path, sync_folder);
    lock();
    disk *disk = disk_of(path);
    int result = disk->is_dead ? SQLITE_IOERR_DELETE : disk_operation(disk, SQLITE_IOERR_DELETE);
    if (result == SQLITE_OK) {
        disk_file *file = disk_file_named(disk, path);
        if (file) disk_file_delete(disk, file);
        else result = SQLITE_IOERR_DELETE_NOENT;
    }
    unlock();
    return result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (!is_virtual(path)) return real->xAccess(real, path, flags, result);
    lock();
    disk_file *file = disk_file_named(disk_of(path), path);
    *result = file && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
    unlock();
    return SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
    (void)vfs;
    if (!is_virtual(path)) return real->xFullPathname(real, path, count, out);
    if (strlen(path) >= (size_t)count) return SQLITE_CANTOPEN;
    strcpy(out, path);
    return SQLITE_OK;
}

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *path) { (void)vfs; return real->xDlOpen(real, path); }
static void vfs_dl_error(sqlite3_vfs *vfs, int count, char *text) { (void)vfs; real->xDlError(real, count, text); }
static void vfs_dl_close(sqlite3_vfs *vfs, void *library) { (void)vfs; real->xDlClose(real, library); }
static void (*vfs_dl_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    (void)vfs;
    return real->xDlSym(real, library, name);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    lock();
    uint64_t state = random_seed;
    unlock();
    if (!state) return real->xRandomness(real, count, bytes);
    for (int place = 0; place < count; place++) bytes[place] = (char)virtual_disk_random(&state);
    return count;
}

/* Whoever waits here waits for another connection of the same thread: it would wait for ever. */
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return thread_time ? microseconds : real->xSleep(real, microseconds);
}

/* Milliseconds between noon on 24 November 4714 BC and 1970, as SQLite counts days. */
static const int64_t julian_1970 = 210866760000000;

static int vfs_time_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *time) {
    (void)vfs;
    if (!thread_time) return real->xCurrentTimeInt64(real, time);
    *time = julian_1970 + thread_time;
    return SQLITE_OK;
}

static int vfs_time(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 time = 0;
    int result = vfs_time_milliseconds(vfs, &time);
    *days = (double)time / 86400000.0;
    return result;
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *text) {
    (void)vfs;
    return real->xGetLastError(real, count, text);
}

/* ---- For the simulator ---- */

int virtual_disk_register(const char *folder) {
    if (real) return SQLITE_OK;
    /* A world opens dozens of connections, and most of its time goes into reading their schema: no counting of memory under a
       lock, and more of it at hand. Where SQLite has started already, both are refused, which does no harm. */
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 512, 400);
    int result = sqlite3_initialize();
    if (result != SQLITE_OK) return result;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    real = sqlite3_vfs_find(NULL);
    top = strdup(folder);
    top_length = strlen(folder);
    virtual_vfs = (sqlite3_vfs){
        .iVersion = 2,
        .szOsFile = (int)sizeof(handle) > real->szOsFile ? (int)sizeof(handle) : real->szOsFile,
        .mxPathname = real->mxPathname,
        .zName = "roost-virtual-disk",
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_path,
        .xDlOpen = vfs_dl_open,
        .xDlError = vfs_dl_error,
        .xDlSym = vfs_dl_symbol,
        .xDlClose = vfs_dl_close,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
        .xCurrentTimeInt64 = vfs_time_milliseconds,
    };
    return sqlite3_vfs_register(&virtual_vfs, 1);
}

int64_t virtual_disk_set_time(int64_t milliseconds) {
    int64_t before = thread_time;
    thread_time = milliseconds;
    return before;
}

void virtual_disk_set_random(uint64_t seed) {
    lock();
    random_seed = seed;
    unlock();
    sqlite3_randomness(0, NULL);
}

static disk *disk_by_name(const char *name) { return disk_named(name, strlen(name)); }

void virtual_disk_remove(const char *name) {
    lock();
    disk_clear(disk_by_name(name));
    unlock();
}

void virtual_disk_die_after(const char *name, uint64_t operations) {
    lock();
    disk *disk = disk_by_name(name);
    disk->dies_at = operations ? disk->operations + operations : 0;
    unlock();
}

int virtual_disk_is_dead(const char *name) {
    lock();
    int is_dead = disk_by_name(name)->is_dead;
    unlock();
    return is_dead;
}

void virtual_disk_fail_after(const char *name, uint64_t operations, int code, uint64_t count) {
    lock();
    disk *disk = disk_by_name(name);
    disk->fails_from = operations ? disk->operations + operations : 0;
    disk->fails_until = operations ? disk->fails_from + count : 0;
    disk->fails_with = code;
    unlock();
}

uint64_t virtual_disk_failures(const char *name, int is_full) {
    lock();
    uint64_t failures = disk_by_name(name)->failures[is_full ? 1 : 0];
    unlock();
    return failures;
}

void virtual_disk_start_counting(const char *name) {
    lock();
    disk_by_name(name)->operations = 0;
    unlock();
}

uint64_t virtual_disk_operations(const char *name) {
    lock();
    uint64_t operations = disk_by_name(name)->operations;
    unlock();
    return operations;
}

void virtual_disk_sync(const char *name) {
    lock();
    disk *disk = disk_by_name(name);
    for (disk_file *file = disk->files; file; file = file->next) disk_file_sync(file);
    disk_forget_deleted(disk, NULL);
    unlock();
}

virtual_disk_losses virtual_disk_crash(const char *name, enum virtual_disk_crash_kind kind, uint64_t seed) {
    lock();
    virtual_disk_losses losses = disk_crash(disk_by_name(name), kind, seed);
    unlock();
    return losses;
}

virtual_disk_losses virtual_disk_crash_into(const char *name, const char *other, uint64_t seed) {
    lock();
    char *prefix = malloc(top_length + strlen(other) + 2);
    strcpy(prefix, top);
    strcat(strcat(prefix, "/"), other);
    virtual_disk_losses losses = disk_crash_into(disk_by_name(name), disk_by_name(other), prefix, seed);
    free(prefix);
    unlock();
    return losses;
}

size_t virtual_disk_size(const char *path) {
    lock();
    disk_file *file = is_virtual(path) ? disk_file_named(disk_of(path), path) : NULL;
    size_t size = file ? file->size : 0;
    unlock();
    return size;
}

void virtual_disk_read(const char *path, void *bytes, size_t count) {
    lock();
    disk_file *file = is_virtual(path) ? disk_file_named(disk_of(path), path) : NULL;
    if (file && file->size >= count) memcpy(bytes, file->bytes, count);
    unlock();
}

void virtual_disk_write(const char *path, const void *bytes, size_t count) {
    lock();
    if (is_virtual(path)) {
        disk *disk = disk_of(path);
        disk_file *file = disk_file_named(disk, path);
        if (file) disk_file_forget(disk, file);
        if (count > 0) {
            file = disk_file_make(disk, path);
            disk_file_write(file, bytes, (int)count, 0);
            disk_file_sync(file);
        }
    }
    unlock();
}
