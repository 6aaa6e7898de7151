// Loaded before libc (LD_PRELOAD): counts a process's file calls, and ends the process or lets a call fail at a chosen one.
//
// strace can do so too, but it counts the calls of each thread apart: where a program writes from two threads, a point on
// the second is never reached. This counts one series over all threads and all processes that share the control page.
//
// ROOST_FAULTS        the control page, a file of 4096 bytes that the torture maps or writes
// ROOST_FAULTS_UNDER  only files whose path begins with this are counted
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, PWRITE, FSYNC, FDATASYNC, FTRUNCATE, RENAME, UNLINK, CREATE, OPEN, READ, PREAD, MKDIR, ALLOCATE, LINK, KINDS = 16 };
enum { KILL_BEFORE, KILL_AFTER, KILL_HALFWAY, FAIL };
// What is known of a file: nothing, nothing written since its last sync, something, or something and the sync has failed.
enum { FREE, SYNCED, WRITTEN, UNSYNCED, FILES = 14 };

// The layout is known to FaultControl.swift.
struct page {
  _Atomic int64_t calls;   // counted so far
  int64_t at;              // the call that the fault meets, from 1; 0 for none
  int64_t how;             // KILL_BEFORE …
  int64_t error;           // errno of FAIL
  int64_t length;          // how many calls in a row fail; -1 for all from then on
  _Atomic int64_t fired;   // faults met
  int64_t kinds;           // bits of the kinds that are counted
  _Atomic int64_t kind;    // the kind of the first call that met the fault
  _Atomic int64_t each[KINDS];
  char path[256];          // the file of the first call that met the fault
  struct file {
    _Atomic int64_t state;  // FREE …
    char path[248];
  } files[FILES];
};

static struct page *page;
static const char *under;
static size_t under_length;

__attribute__((constructor)) static void start(void) {
  const char *control = getenv("ROOST_FAULTS");
  under = getenv("ROOST_FAULTS_UNDER");
  if (!control || !under) return;
  under_length = strlen(under);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) return;
  void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (map != MAP_FAILED) page = map;
}

static void die(void) {
  syscall(SYS_kill, (pid_t)syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

// Whether a file counts: below the folder, and not where a program's own output goes.
static int counts(const char *path) {
  size_t length = strlen(path);
  return !strncmp(path, under, under_length) && (length < 4 || strcmp(path + length - 4, ".log"));
}

// The entry of a file; NULL where there is no room for one more.
static struct file *file(const char *path) {
  for (int i = 0; i < FILES; i++) {
    int64_t state = FREE;
    if (atomic_compare_exchange_strong(&page->files[i].state, &state, SYNCED)) {
      strncpy(page->files[i].path, path, sizeof page->files[i].path - 1);
      return &page->files[i];
    }
    if (!strcmp(page->files[i].path, path)) return &page->files[i];
  }
  return NULL;
}

// Follows whether what was written to a file is on the disk. A sync that fails with nothing to do loses nothing.
static void follow(int kind, const char *path, int fails) {
  int syncs = kind == FSYNC || kind == FDATASYNC;
  if (!syncs && kind != WRITE && kind != PWRITE) return;
  struct file *entry = file(path);
  if (!entry) return;
  if (syncs && !fails) entry->state = SYNCED;
  else if (syncs && entry->state == WRITTEN) entry->state = UNSYNCED;
  else if (!syncs && entry->state == SYNCED) entry->state = WRITTEN;
}

// What is to happen at this call: -1 for nothing, else KILL_BEFORE …
static int fault(int kind, const char *path) {
  if (!page || !path || !counts(path)) return -1;
  if (!(page->kinds >> kind & 1)) {
    follow(kind, path, 0);
    return -1;
  }
  atomic_fetch_add(&page->each[kind], 1);
  int64_t number = atomic_fetch_add(&page->calls, 1) + 1;
  int64_t at = page->at, length = page->length;
  int meets = at != 0 && number >= at && (length < 0 || number < at + (length ? length : 1));
  follow(kind, path, meets && page->how == FAIL);
  if (!meets) return -1;
  if (atomic_fetch_add(&page->fired, 1) == 0) {
    page->kind = kind;
    strncpy(page->path, path, sizeof page->path - 1);
  }
  return (int)page->how;
}

// The path of a file or folder, or NULL.
static const char *path_of(int fd, char *buffer, size_t size) {
  if (!page) return NULL;
  struct stat status;
  if (syscall(SYS_fstat, fd, &status) != 0 || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) return NULL;
  char link[32] = "/proc/self/fd/";
  char digits[12];
  int count = 0;
  size_t length = strlen(link);
  for (int rest = fd; count == 0 || rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count > 0) link[length++] = digits[--count];
  link[length] = 0;
  long got = syscall(SYS_readlink, link, buffer, size - 1);
  if (got <= 0) return NULL;
  buffer[got] = 0;
  return buffer;
}

#define HALF(call) do { (void)(call); die(); } while (0)
#define AROUND(kind, path, half, call)                     \
  int how = fault(kind, path);                             \
  if (how == KILL_BEFORE) die();                           \
  if (how == KILL_HALFWAY) HALF(half);                     \
  if (how == FAIL) { errno = (int)page->error; return -1; } \
  long result = (call);                                    \
  if (how == KILL_AFTER) die();                            \
  return result;

#define ON_FILE(kind, half, call) char buffer[512]; AROUND(kind, path_of(fd, buffer, sizeof buffer), half, call)

ssize_t write(int fd, const void *data, size_t count) {
  ON_FILE(WRITE, syscall(SYS_write, fd, data, count / 2), syscall(SYS_write, fd, data, count))
}
ssize_t pwrite64(int fd, const void *data, size_t count, off64_t offset) {
  ON_FILE(PWRITE, syscall(SYS_pwrite64, fd, data, count / 2, offset), syscall(SYS_pwrite64, fd, data, count, offset))
}
ssize_t pwrite(int fd, const void *data, size_t count, off_t offset) { return pwrite64(fd, data, count, offset); }
ssize_t read(int fd, void *data, size_t count) { ON_FILE(READ, 0, syscall(SYS_read, fd, data, count)) }
ssize_t pread64(int fd, void *data, size_t count, off64_t offset) {
  ON_FILE(PREAD, 0, syscall(SYS_pread64, fd, data, count, offset))
}
ssize_t pread(int fd, void *data, size_t count, off_t offset) { return pread64(fd, data, count, offset); }
int fsync(int fd) { ON_FILE(FSYNC, 0, syscall(SYS_fsync, fd)) }
int fdatasync(int fd) { ON_FILE(FDATASYNC, 0, syscall(SYS_fdatasync, fd)) }
int ftruncate64(int fd, off64_t length) { ON_FILE(FTRUNCATE, 0, syscall(SYS_ftruncate, fd, length)) }
int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }
int fallocate64(int fd, int mode, off64_t offset, off64_t length) {
  ON_FILE(ALLOCATE, 0, syscall(SYS_fallocate, fd, mode, offset, length))
}
int fallocate(int fd, int mode, off_t offset, off_t length) { return fallocate64(fd, mode, offset, length); }

int rename(const char *from, const char *to) { AROUND(RENAME, from, 0, syscall(SYS_rename, from, to)) }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  AROUND(RENAME, from, 0, syscall(SYS_renameat2, a, from, b, to, flags))
}
int link(const char *from, const char *to) { AROUND(LINK, to, 0, syscall(SYS_link, from, to)) }
int unlink(const char *path) { AROUND(UNLINK, path, 0, syscall(SYS_unlink, path)) }
int remove(const char *path) {
  struct stat status;
  if (syscall(SYS_lstat, path, &status) == 0 && S_ISDIR(status.st_mode)) return (int)syscall(SYS_rmdir, path);
  return unlink(path);
}
int mkdir(const char *path, mode_t mode) { AROUND(MKDIR, path, 0, syscall(SYS_mkdir, path, mode)) }

int openat64(int folder, const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list list;
    va_start(list, flags);
    mode = va_arg(list, mode_t);
    va_end(list);
  }
  AROUND(flags & O_CREAT ? CREATE : OPEN, path, 0, syscall(SYS_openat, folder, path, flags, mode))
}
#define OPENING(name, ...)                                        \
  mode_t mode = 0;                                                \
  if (flags & (O_CREAT | O_TMPFILE)) {                            \
    va_list list;                                                 \
    va_start(list, flags);                                        \
    mode = va_arg(list, mode_t);                                  \
    va_end(list);                                                 \
  }                                                               \
  return openat64(__VA_ARGS__, path, flags, mode);
int open64(const char *path, int flags, ...) { OPENING(open64, AT_FDCWD) }
int open(const char *path, int flags, ...) { OPENING(open, AT_FDCWD) }
int openat(int folder, const char *path, int flags, ...) { OPENING(openat, folder) }
