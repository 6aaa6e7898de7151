#ifndef ROOST_CFILE_SHIM_H
#define ROOST_CFILE_SHIM_H

/* Open file description locks, which GNU hides. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <fcntl.h>
#include <stdint.h>

#ifdef __linux__
#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What names a file apart from any copy of it. statx() is no part of the module that Swift makes of the C library. */
static inline int cfile_identity(
    const char *path, uint64_t *inode, uint64_t *born, uint64_t *device) {
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &status) != 0) return -1;
    *inode = status.stx_ino;
    /* 0 on a file system that does not keep it. */
    *born = status.stx_mask & STATX_BTIME
                ? (uint64_t)status.stx_btime.tv_sec * 1000000000u + status.stx_btime.tv_nsec
                : 0;
    *device = ((uint64_t)status.stx_dev_major << 32) | status.stx_dev_minor;
    return 0;
}
#else
#include <sys/stat.h>

static inline int cfile_identity(
    const char *path, uint64_t *inode, uint64_t *born, uint64_t *device) {
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    *inode = status.st_ino;
    *born = (uint64_t)status.st_birthtimespec.tv_sec * 1000000000u + status.st_birthtimespec.tv_nsec;
    *device = (uint64_t)status.st_dev;
    return 0;
}
#endif

/* A lock on one byte of an open file, held until cfile_unlock(), or until every process that has the open file has closed it
   or ended. fcntl() is variadic. */
static inline struct flock cfile_byte(short type, int64_t byte) {
    struct flock lock = {0};
    lock.l_type = type;
    lock.l_whence = 0;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

/* 0 if the lock was taken, -1 if another open file has it. */
static inline int cfile_lock(int descriptor, int64_t byte) {
    struct flock lock = cfile_byte(F_WRLCK, byte);
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

/* Gives back all locks of an open file. Closing it would not: a child that has not begun its program yet has it too. */
static inline int cfile_unlock(int descriptor) {
    struct flock lock = cfile_byte(F_UNLCK, 0);
    lock.l_len = 0;
    return fcntl(descriptor, F_OFD_SETLK, &lock);
}

/* 1 if another open file has the lock, 0 if none has; takes nothing. */
static inline int cfile_is_locked(int descriptor, int64_t byte) {
    struct flock lock = cfile_byte(F_WRLCK, byte);
    return fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

#endif
