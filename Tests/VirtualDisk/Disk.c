#include <stdlib.h>
#include <string.h>

#include "DiskFile.h"

static disk *disks;

disk *disk_named(const char *name, size_t count) {
    for (disk *disk = disks; disk; disk = disk->next) {
        if (strlen(disk->name) == count && memcmp(disk->name, name, count) == 0) return disk;
    }
    disk *disk = calloc(1, sizeof *disk);
    disk->name = strndup(name, count);
    disk->next = disks;
    disks = disk;
    return disk;
}

int disk_operation(disk *disk, int error) {
    disk->operations += 1;
    if (disk->dies_at && disk->operations >= disk->dies_at) {
        disk->is_dead = 1;
        return error;
    }
    if (disk->operations >= disk->fails_from && disk->operations < disk->fails_until) {
        disk->failures[disk->fails_with == SQLITE_FULL] += 1;
        return disk->fails_with;
    }
    return SQLITE_OK;
}

void disk_clear(disk *disk) {
    while (disk->files) disk_file_forget(disk, disk->files);
    while (disk->deleted) {
        disk_file *file = disk->deleted;
        disk->deleted = file->next;
        disk_file_release(file);
    }
    disk->epoch += 1;
    disk->operations = disk->dies_at = disk->fails_from = disk->fails_until = 0;
    disk->failures[0] = disk->failures[1] = 0;
    disk->is_dead = 0;
}

/* The bytes that a file has after the crash, made anew from what was synced. */
typedef struct image {
    unsigned char *bytes;
    size_t size;
    size_t capacity;
} image;

static void image_grow(image *image, size_t size) {
    if (size > image->capacity) {
        image->capacity = size + 65536;
        image->bytes = realloc(image->bytes, image->capacity);
    }
    if (size > image->size) {
        memset(image->bytes + image->size, 0, size - image->size);
        image->size = size;
    }
}

/* One write, sector by sector: kept, lost, or torn, which leaves its first bytes. What lies beside it in the sector stays. */
static void image_apply(
    image *image, const unsynced *write, uint64_t kept_percent, uint64_t *random, virtual_disk_losses *losses) {
    size_t place = write->offset;
    size_t end = write->offset + write->count;
    while (place < end) {
        size_t next = (place / 512 + 1) * 512;
        if (next > end) next = end;
        size_t count = next - place;
        uint64_t draw = virtual_disk_random(random) % 100;
        if (draw >= kept_percent) {
            size_t whole = count;
            /* Of those that are not kept, every fourth is torn. */
            count = draw % 4 == 0 ? virtual_disk_random(random) % (count + 1) : 0;
            if (count == 0) losses->lost += 1;
            else if (count < whole) losses->torn += 1;
        }
        if (count) {
            image_grow(image, place + count);
            memcpy(image->bytes + place, write->bytes + (place - write->offset), count);
        }
        place = next;
    }
}

static void crash_image(
    const disk_file *file, uint64_t kept_percent, uint64_t *random, image *image, virtual_disk_losses *losses) {
    image_grow(image, file->synced_size);
    if (file->synced_size) memcpy(image->bytes, file->synced, file->synced_size);
    for (const unsynced *change = file->first; change; change = change->next) {
        if (!change->is_truncation) {
            image_apply(image, change, kept_percent, random, losses);
        } else if (virtual_disk_random(random) % 100 < kept_percent) {
            if (change->offset < image->size) image->size = change->offset;
        } else {
            losses->lost += 1;
        }
    }
}

static void put_back(disk *disk, const char *path, const unsigned char *bytes, size_t size) {
    disk_file *file = disk_file_make(disk, path);
    if (size) disk_file_write(file, bytes, (int)size, 0);
    disk_file_sync(file);
}

static const uint64_t percents[] = {0, 10, 50, 90, 99, 100};

virtual_disk_losses disk_crash_into(disk *disk, struct disk *other, const char *prefix, uint64_t seed) {
    uint64_t random = seed;
    virtual_disk_losses losses = {0};
    uint64_t kept_percent = percents[virtual_disk_random(&random) % 6];
    disk_clear(other);
    for (int is_deleted = 0; is_deleted < 2; is_deleted++) {
        for (disk_file *file = is_deleted ? disk->deleted : disk->files; file; file = file->next) {
            const char *name = strrchr(file->path, '/');
            char *path = malloc(strlen(prefix) + strlen(name) + 1);
            strcat(strcpy(path, prefix), name);
            image image = {0};
            if (is_deleted) {
                if (virtual_disk_random(&random) % 100 >= kept_percent && !disk_file_named(other, path)) {
                    put_back(other, path, file->synced, file->synced_size);
                    losses.lost += 1;
                }
            } else {
                crash_image(file, kept_percent, &random, &image, &losses);
                put_back(other, path, image.bytes, image.size);
            }
            free(image.bytes);
            free(path);
        }
    }
    return losses;
}

virtual_disk_losses disk_crash(disk *disk, enum virtual_disk_crash_kind kind, uint64_t seed) {
    uint64_t random = seed;
    virtual_disk_losses losses = {0};
    uint64_t kept_percent = percents[virtual_disk_random(&random) % 6];
    disk_file *old = disk->files;
    disk_file *deleted = disk->deleted;
    disk->files = disk->deleted = NULL;
    for (disk_file *file = old; file; file = file->next) {
        if (kind == virtual_disk_crash_process) {
            put_back(disk, file->path, file->bytes, file->size);
        } else {
            image image = {0};
            crash_image(file, kept_percent, &random, &image, &losses);
            put_back(disk, file->path, image.bytes, image.size);
            free(image.bytes);
        }
    }
    for (disk_file *file = deleted; file; file = file->next) {
        /* The deletion itself may not have reached the disk. */
        int comes_back = kind == virtual_disk_crash_power && virtual_disk_random(&random) % 100 >= kept_percent;
        if (comes_back && !disk_file_named(disk, file->path)) {
            put_back(disk, file->path, file->synced, file->synced_size);
            losses.lost += 1;
        }
    }
    for (disk_file *file = old, *next; file; file = next) {
        next = file->next;
        disk_file_release(file);
    }
    for (disk_file *file = deleted, *next; file; file = next) {
        next = file->next;
        disk_file_release(file);
    }
    disk->epoch += 1;
    disk->dies_at = disk->fails_from = disk->fails_until = 0;
    disk->is_dead = 0;
    return losses;
}
