#include "DiskFile.h"

#include <stdlib.h>
#include <string.h>

disk_file *disk_file_named(disk *disk, const char *path) {
    for (disk_file *file = disk->files; file; file = file->next) {
        if (strcmp(file->path, path) == 0) return file;
    }
    return NULL;
}

disk_file *disk_file_make(disk *disk, const char *path) {
    disk_file *file = calloc(1, sizeof *file);
    file->path = strdup(path);
    file->references = 1;
    file->next = disk->files;
    disk->files = file;
    return file;
}

static void take_out(disk *disk, disk_file *file) {
    for (disk_file **place = &disk->files; *place; place = &(*place)->next) {
        if (*place == file) {
            *place = file->next;
            return;
        }
    }
}

void disk_forget_deleted(disk *disk, const char *path) {
    for (disk_file **place = &disk->deleted; *place;) {
        disk_file *file = *place;
        if (!path || strcmp(file->path, path) == 0) {
            *place = file->next;
            disk_file_release(file);
        } else {
            place = &file->next;
        }
    }
}

void disk_file_delete(disk *disk, disk_file *file) {
    take_out(disk, file);
    file->next = disk->deleted;
    disk->deleted = file;
}

void disk_file_forget(disk *disk, disk_file *file) {
    take_out(disk, file);
    disk_file_release(file);
}

static void forget_unsynced(disk_file *file) {
    for (unsynced *change = file->first, *next; change; change = next) {
        next = change->next;
        free(change);
    }
    file->first = file->last = NULL;
}

void disk_file_release(disk_file *file) {
    if (--file->references > 0) return;
    forget_unsynced(file);
    for (int region = 0; region < file->region_count; region++) free(file->regions[region]);
    free(file->regions);
    free(file->bytes);
    free(file->synced);
    free(file->path);
    free(file);
}

/* ---- Content ---- */

static void grow(unsigned char **bytes, size_t *capacity, size_t *size, size_t wanted) {
    if (wanted > *capacity) {
        *capacity = wanted < 65536 ? 65536 : wanted * 2;
        *bytes = realloc(*bytes, *capacity);
    }
    if (wanted > *size) {
        memset(*bytes + *size, 0, wanted - *size);
        *size = wanted;
    }
}

int disk_file_read(const disk_file *file, void *bytes, int count, sqlite3_int64 offset) {
    size_t start = (size_t)offset;
    size_t there = start < file->size ? file->size - start : 0;
    if (there > (size_t)count) there = (size_t)count;
    if (there) memcpy(bytes, file->bytes + start, there);
    if (there == (size_t)count) return SQLITE_OK;
    memset((char *)bytes + there, 0, (size_t)count - there);
    return SQLITE_IOERR_SHORT_READ;
}

static void append(disk_file *file, unsynced *change) {
    change->next = NULL;
    if (file->last) file->last->next = change;
    else file->first = change;
    file->last = change;
}

void disk_file_write(disk_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    size_t end = (size_t)offset + (size_t)count;
    grow(&file->bytes, &file->capacity, &file->size, end);
    memcpy(file->bytes + offset, bytes, (size_t)count);
    unsynced *change = malloc(sizeof *change + (size_t)count);
    change->offset = (size_t)offset;
    change->count = (size_t)count;
    change->is_truncation = 0;
    memcpy(change->bytes, bytes, (size_t)count);
    append(file, change);
}

void disk_file_truncate(disk_file *file, sqlite3_int64 size) {
    if ((size_t)size < file->size) file->size = (size_t)size;
    unsynced *change = calloc(1, sizeof *change);
    change->offset = (size_t)size;
    change->is_truncation = 1;
    append(file, change);
}

void disk_file_sync(disk_file *file) {
    for (const unsynced *change = file->first; change; change = change->next) {
        if (change->is_truncation) {
            if (change->offset < file->synced_size) file->synced_size = change->offset;
        } else {
            grow(&file->synced, &file->synced_capacity, &file->synced_size, change->offset + change->count);
            memcpy(file->synced + change->offset, change->bytes, change->count);
        }
    }
    forget_unsynced(file);
}

/* ---- Locks of the main file ---- */

int disk_file_lock(handle *handle, int level) {
    disk_file *file = handle->file;
    if (handle->level >= level) return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        if (file->exclusive || file->is_pending) return SQLITE_BUSY;
        file->shared_count += 1;
    } else if (level == SQLITE_LOCK_RESERVED) {
        if (file->reserved) return SQLITE_BUSY;
        file->reserved = handle;
    } else {
        if (file->reserved && file->reserved != handle) return SQLITE_BUSY;
        if (file->shared_count > 1) {
            if (file->reserved == handle) {
                file->is_pending = 1;
                handle->level = SQLITE_LOCK_PENDING;
            }
            return SQLITE_BUSY;
        }
        file->reserved = file->exclusive = handle;
    }
    handle->level = level;
    return SQLITE_OK;
}

void disk_file_unlock(handle *handle, int level) {
    disk_file *file = handle->file;
    if (handle->level <= level) return;
    if (handle->level > SQLITE_LOCK_SHARED) {
        if (file->exclusive == handle) file->exclusive = NULL;
        if (file->reserved == handle) {
            file->reserved = NULL;
            file->is_pending = 0;
        }
    }
    if (level == SQLITE_LOCK_NONE && handle->level >= SQLITE_LOCK_SHARED) file->shared_count -= 1;
    handle->level = level;
}

/* ---- The shared memory of the write-ahead log ---- */

int disk_file_map(handle *handle, int region, int size, int extend, void volatile **memory) {
    disk_file *file = handle->file;
    if (!handle->is_mapped) {
        handle->is_mapped = 1;
        file->mapped_count += 1;
    }
    if (region >= file->region_count) {
        if (!extend) return SQLITE_OK;
        file->regions = realloc(file->regions, sizeof *file->regions * (size_t)(region + 1));
        while (file->region_count <= region) file->regions[file->region_count++] = calloc(1, (size_t)size);
    }
    *memory = file->regions[region];
    return SQLITE_OK;
}

int disk_file_map_lock(handle *handle, int first, int count, int flags) {
    disk_file *file = handle->file;
    unsigned mask = ((1u << count) - 1) << first;
    if (flags & SQLITE_SHM_UNLOCK) {
        for (int slot = first; slot < first + count; slot++) {
            if (handle->map_exclusive & (1u << slot)) file->map_exclusive[slot] = NULL;
            if (handle->map_shared & (1u << slot)) file->map_shared[slot] -= 1;
        }
        handle->map_exclusive &= ~mask;
        handle->map_shared &= ~mask;
        return SQLITE_OK;
    }
    int wants_exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    for (int slot = first; slot < first + count; slot++) {
        int mine = (handle->map_shared >> slot) & 1;
        if (file->map_exclusive[slot] && file->map_exclusive[slot] != handle) return SQLITE_BUSY;
        if (wants_exclusive && file->map_shared[slot] > mine) return SQLITE_BUSY;
    }
    for (int slot = first; slot < first + count; slot++) {
        unsigned bit = 1u << slot;
        if (wants_exclusive) {
            file->map_exclusive[slot] = handle;
            handle->map_exclusive |= bit;
        } else if (!(handle->map_shared & bit)) {
            file->map_shared[slot] += 1;
            handle->map_shared |= bit;
        }
    }
    return SQLITE_OK;
}

void disk_file_unmap(handle *handle) {
    disk_file *file = handle->file;
    if (!handle->is_mapped) return;
    disk_file_map_lock(handle, 0, DISK_MAP_LOCKS, SQLITE_SHM_UNLOCK);
    handle->is_mapped = 0;
    if (--file->mapped_count > 0) return;
    for (int region = 0; region < file->region_count; region++) free(file->regions[region]);
    free(file->regions);
    file->regions = NULL;
    file->region_count = 0;
}
