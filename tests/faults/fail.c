/* A library that makes system calls of the program fail; the loader preloads it (LD_PRELOAD). The variable FAIL names
 * the call that fails, such as "write:3" for the third write. Kinds of calls are alloc, write, sync and read. If
 * FAIL_ON is set, all later calls of the same kind as the named call fail, too. FAIL_COUNT is the path of a file; at
 * exit, the number of calls of each kind is written into it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ALLOC, WRITE, SYNC, READ, KINDS };

static const char *const kinds[KINDS] = { "alloc", "write", "sync", "read" };
static long count[KINDS], nth;
static int failing = KINDS;
static bool on;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static bool fails(int kind) {
    const long number = __atomic_add_fetch(&count[kind], 1, __ATOMIC_RELAXED);
    return kind == failing && (number == nth || (on && number > nth));
}

__attribute__((constructor)) static void start(void) {
    const char *text = getenv("FAIL");
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    on = getenv("FAIL_ON") != NULL;
    memset(count, 0, sizeof count);
    for (int i = 0; colon != NULL && i < KINDS; i++) {
        if (strncmp(text, kinds[i], (size_t)(colon - text)) == 0) {
            nth = atol(colon + 1);
            failing = i;
        }
    }
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    char text[160];
    failing = KINDS;
    if (path != NULL) {
        const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        const int size =
            snprintf(text, sizeof text, "%ld %ld %ld %ld\n", count[ALLOC], count[WRITE], count[SYNC], count[READ]);
        syscall(SYS_write, file, text, (size_t)size);
    }
}

void *malloc(size_t size) { return fails(ALLOC) ? (errno = ENOMEM, NULL) : __libc_malloc(size); }

void *calloc(size_t number, size_t size) { return fails(ALLOC) ? (errno = ENOMEM, NULL) : __libc_calloc(number, size); }

void *realloc(void *old, size_t size) { return fails(ALLOC) ? (errno = ENOMEM, NULL) : __libc_realloc(old, size); }

static bool refused(int kind, int descriptor, int cause) {
    if (descriptor == STDERR_FILENO || !fails(kind)) { return false; }
    errno = cause;
    return true;
}

ssize_t write(int file, const void *bytes, size_t size) {
    return refused(WRITE, file, ENOSPC) ? -1 : syscall(SYS_write, file, bytes, size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    return refused(WRITE, file, ENOSPC) ? -1 : syscall(SYS_pwrite64, file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return pwrite64(file, bytes, size, at); }

ssize_t read(int file, void *bytes, size_t size) {
    return refused(READ, file, EIO) ? -1 : syscall(SYS_read, file, bytes, size);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t at) {
    return refused(READ, file, EIO) ? -1 : syscall(SYS_pread64, file, bytes, size, at);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at) { return pread64(file, bytes, size, at); }

int fsync(int file) { return refused(SYNC, file, EIO) ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return refused(SYNC, file, EIO) ? -1 : (int)syscall(SYS_fdatasync, file); }
