/* Atomic files and threads: the code of src/base that differs between operating systems. WebAssembly has no threads,
 * and its files exist in memory only, until the page is closed; on WebAssembly a file is therefore overwritten in
 * place. Windows has neither POSIX symbolic links nor POSIX permissions, so on Windows readlink() and fchmod() are
 * macros that do nothing. */

/* With _GNU_SOURCE, <stdlib.h> declares realpath() and <fcntl.h> declares O_TMPFILE. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/base_internal.h"

#if !defined(__wasi__)
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#endif

#if defined(__APPLE__)
#include <mach-o/dyld.h>
#endif

#if defined(_WIN32)
#include <io.h>
#include <windows.h>

#define O_DIRECTORY 0
#define O_NONBLOCK 0
#define O_NOCTTY 0
#define fsync _commit
#define realpath(path, space) _fullpath(space, path, 0)
#define readlink(path, name, size) ((void)(path), (void)(name), (ssize_t)-1)
#define fchmod(descriptor, mode) ((void)(mode), 0)

/* AT_FDCWD and AT_SYMLINK_FOLLOW have no effect on Windows. AT_FDCWD and AT_SYMLINK_FOLLOW are arguments of linkat(),
 * which gives a name to an unnamed file; Windows has no unnamed files. */
#define AT_FDCWD 0
#define AT_SYMLINK_FOLLOW 0
#define linkat(from, own, to, path, flags) ((void)(own), -1)

/* Renames a file and replaces the file at `to`; rename() of Windows would not replace it. Returns 0, or -1 with the
 * cause in errno. */
static int replace(const char *from, const char *to) {
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) { return 0; }
    errno = EACCES;
    return -1;
}
#define rename replace
#endif

/* O_TMPFILE opens a file without a name. Only Linux has files without a name, and /proc to name them later. On systems
 * other than Linux, O_TMPFILE is 0, and nncost uses temporary files with names. */
#ifndef O_TMPFILE
#define O_TMPFILE 0
#endif

/* ---- writing bytes to a descriptor, and opening files to read ---- */

size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size) {
    size_t written = 0;
    while (written < size) {
        const ssize_t step = write(descriptor, bytes + written, size - written);
        if (step < 0 && errno != EINTR) { return written; }
        written += step > 0 ? (size_t)step : 0;
    }
    return written;
}

#if defined(__wasi__)

int nnc_open_to_read(const char *path) { return open(path, O_RDONLY | O_CLOEXEC); }

#else

/* Tests whether an open file is inside one of the folders that the list `roots` names. */
static bool is_inside(int descriptor, const char *roots) {
    char entry[64], path[PATH_MAX];
    snprintf(entry, sizeof entry, "/proc/self/fd/%d", descriptor);
    const ssize_t size = readlink(entry, path, sizeof path - 1); /* NOLINT(readability-suspicious-call-argument) */
    if (size <= 0) { return false; }
    path[size] = '\0';
    for (bool more = true; more;) {
        const size_t length = strcspn(roots, (char[]){ NNC_PATH_SEPARATOR, '\0' });
        if ((length == 1 && roots[0] == '/') ||
            (length > 0 && strncmp(path, roots, length) == 0 && (path[length] == '/' || path[length] == '\0'))) {
            return true;
        }
        more = roots[length] == NNC_PATH_SEPARATOR;
        roots += length + 1;
    }
    return false;
}

int nnc_open_to_read(const char *path) {
    const char *roots = getenv(NNC_ROOTS_VARIABLE);
    struct stat about;
#if defined(_WIN32)
    if (strcmp(path, "/dev/stdin") == 0) { return dup(STDIN_FILENO); }
#endif
    if (roots == NULL) { return open(path, O_RDONLY | O_CLOEXEC); }
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor >= 0 && (fstat(descriptor, &about) != 0 || !(S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) ||
                            !is_inside(descriptor, roots))) {
        close(descriptor);
        errno = EACCES;
        return -1;
    }
    return descriptor;
}

#endif

/* ---- path of the program, and settings at the start of the process ---- */

bool nnc_program_path(char *path, size_t size) {
#if defined(_WIN32)
    const DWORD length = GetModuleFileNameA(NULL, path, (DWORD)size);
    for (DWORD i = 0; i < length; i++) { path[i] = path[i] == '\\' ? '/' : path[i]; }
    return length > 0 && length < size;
#elif defined(__APPLE__)
    uint32_t space = (uint32_t)size;
    return _NSGetExecutablePath(path, &space) == 0;
#else
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0) { path[length] = '\0'; }
    return length > 0;
#endif
}

void nnc_system_prepare(int argc, char **argv) {
#if defined(_WIN32)
    for (int i = 0; i < 3; i++) { (void)_setmode(i, O_BINARY); }
    for (int i = 1; i < argc; i++) {
        for (char *c = argv[i]; (c = strchr(c, '\\')) != NULL; c++) { *c = '/'; }
    }
#else
    (void)argc, (void)argv;
#if !defined(__wasi__)
    (void)signal(SIGXFSZ, SIG_IGN);
#endif
#endif
}

bool nnc_atomic_file_write(const char *path, const char *text, size_t size) {
    nnc_atomic_file file;
    if (!nnc_atomic_file_open(&file, path)) { return false; }
    if (nnc_write_bytes(file.descriptor, text, size) < size) {
        const int why = errno;
        nnc_atomic_file_drop(&file);
        errno = why;
        return false;
    }
    return nnc_atomic_file_keep(&file, true);
}

/* ---- atomic files: writing a file completely or not at all ---- */

#if defined(__wasi__)

bool nnc_atomic_file_open(nnc_atomic_file *file, const char *path) {
    *file = (nnc_atomic_file){ .target = strdup(path), .descriptor = -1 };
    if (file->target == NULL) {
        errno = ENOMEM;
        return false;
    }
    file->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file->descriptor < 0) {
        const int cause = errno;
        free(file->target);
        file->target = NULL;
        errno = cause;
    }
    return file->target != NULL;
}

bool nnc_atomic_file_open_named(nnc_atomic_file *file, const char *path) { return nnc_atomic_file_open(file, path); }

bool nnc_atomic_file_keep(nnc_atomic_file *file, bool durable) {
    (void)durable;
    const bool closed = close(file->descriptor) == 0;
    const int cause = errno;
    free(file->target);
    *file = (nnc_atomic_file){ .descriptor = -1 };
    errno = cause;
    return closed;
}

void nnc_atomic_file_drop(nnc_atomic_file *file) {
    if (file->target != NULL) {
        close(file->descriptor);
        unlink(file->target);
        free(file->target);
    }
    *file = (nnc_atomic_file){ .descriptor = -1 };
}

#else

enum { LINKS_MAX = 40, NAMES_MAX = 100 };

static void release(nnc_atomic_file *file) {
    free(file->temporary);
    free(file->target);
    *file = (nnc_atomic_file){ .descriptor = -1 };
}

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* Returns the path of the file `name` in the folder that contains the file `path` ("./" if `path` names no folder). The
 * caller frees the returned path. NULL = out of memory. */
static char *in_folder_of(const char *path, const char *name) {
    const size_t length = folder_length(path), size = length + strlen(name) + 3;
    char *text = malloc(size);
    if (text != NULL) {
        snprintf(text, size, "%.*s%s", (int)(length > 0 ? length : 2), length > 0 ? path : "./", name);
    }
    return text;
}

/* Follows the symbolic link `path`, and further links, to a path that is no link; this file need not exist. Returns the
 * path at the end of all links, or a copy of `path` if `path` is no link. The caller frees the returned path. NULL =
 * out of memory. */
static char *through_links(const char *path) {
    char name[PATH_MAX];
    char *at = strdup(path);
    for (int i = 0; at != NULL && i < LINKS_MAX; i++) {
        const ssize_t length = readlink(at, name, sizeof name - 1);
        if (length <= 0) { break; }
        name[length] = '\0';
        char *next = name[0] == '/' ? strdup(name) : in_folder_of(at, name);
        free(at);
        at = next;
    }
    return at;
}

static bool set_target(nnc_atomic_file *file, const char *path) {
    file->target = realpath(path, NULL);
    if (file->target == NULL && errno == ENOMEM) { return false; }
    if (file->target == NULL) { /* no file exists at `path` yet */
        file->target = through_links(path);
    }
    return file->target != NULL;
}

static mode_t permissions_of(const char *target) {
    struct stat old;
    const mode_t mask = umask(0); /* umask() cannot return the mask without setting a new one */
    umask(mask);
    return stat(target, &old) == 0 ? old.st_mode & 0777U : 0666U & ~mask;
}

/* Begins to replace the file at `path`: follows all symbolic links, and sets file->target to the path at the end of the
 * links. Fails if the owner made this file read-only, although the permissions of the folder would allow a replacement.
 * Returns false on failure, with the cause in errno. */
static bool begin(nnc_atomic_file *file, const char *path) {
    struct stat old;
    *file = (nnc_atomic_file){ .descriptor = -1 };
    if (!set_target(file, path)) {
        release(file);
        errno = ENOMEM;
        return false;
    }
    if (stat(file->target, &old) == 0 && (old.st_mode & 0222U) == 0) {
        release(file);
        errno = EACCES;
        return false;
    }
    return true;
}

static bool fail(nnc_atomic_file *file) {
    const int cause = errno;
    nnc_atomic_file_drop(file);
    errno = cause;
    return false;
}

static bool make_named(nnc_atomic_file *file) {
    const mode_t mode = permissions_of(file->target);
    char *name = in_folder_of(file->target, ".nncost-XXXXXX");
    if (name == NULL) {
        errno = ENOMEM;
        return fail(file);
    }
    file->descriptor = mkstemp(name);
    if (file->descriptor < 0) { /* mkstemp() has failed, so there is no file to remove */
        const int cause = errno;
        free(name);
        errno = cause;
        return fail(file);
    }
    file->temporary = name;
    return fchmod(file->descriptor, mode) == 0 || fail(file);
}

bool nnc_atomic_file_open_named(nnc_atomic_file *file, const char *path) {
    return begin(file, path) && make_named(file);
}

/* Opens a temporary file without a name, which the system deletes when the process ends. Opens a file with a name
 * instead if the file system does not support files without a name, or if /proc is missing (a file without a name can
 * get a name only through /proc). */
bool nnc_atomic_file_open(nnc_atomic_file *file, const char *path) {
    if (!begin(file, path)) { return false; }
    const mode_t mode = permissions_of(file->target);
    char *folder = in_folder_of(file->target, ".");
    if (folder == NULL) {
        errno = ENOMEM;
        return fail(file);
    }
    file->descriptor = access("/proc/self/fd", X_OK) == 0 ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600) : -1;
    free(folder);
    if (file->descriptor < 0) { return make_named(file); }
    return fchmod(file->descriptor, mode) == 0 || fail(file);
}

/* Gives a name to a temporary file that was opened without a name; no other file has this name. Does nothing if the
 * temporary file already has a name. Returns false on failure, with the cause in errno. */
static bool set_name(nnc_atomic_file *file) {
    char own[64], name[64];
    bool named = file->temporary != NULL;
    snprintf(own, sizeof own, "/proc/self/fd/%d", file->descriptor);
    for (int i = 0; !named && i < NAMES_MAX; i++) {
        snprintf(name, sizeof name, ".nncost-%ld-%d", (long)getpid(), i);
        char *path = in_folder_of(file->target, name);
        if (path == NULL) {
            errno = ENOMEM;
            return false;
        }
        named = linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
        if (named) {
            file->temporary = path;
        } else {
            const int cause = errno;
            free(path);
            errno = cause;
            if (cause != EEXIST) { break; }
        }
    }
    return named;
}

/* Writes the folder that contains the file `path` to disk, so that the new name of a file in this folder survives a
 * power failure. Cuts the string `path` at its last slash. Errors are ignored. */
static void sync_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL) { slash[slash == path ? 1 : 0] = '\0'; }
    const int folder = open(slash != NULL ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

/* Waits, if `durable` is true, until the bytes of the file are on disk. Some file systems cannot wait for the disk:
 * fsync() then sets errno to EINVAL, and the function returns true. If fsync() fails with another error, returns false,
 * and errno has the cause. */
static bool sync_file(int descriptor, bool durable) { return !durable || fsync(descriptor) == 0 || errno == EINVAL; }

bool nnc_atomic_file_keep(nnc_atomic_file *file, bool durable) {
    const bool synced = sync_file(file->descriptor, durable) && set_name(file);
    if (!synced) { return fail(file); }
    const int descriptor = file->descriptor;
    file->descriptor = -1;
    if (close(descriptor) != 0 || rename(file->temporary, file->target) != 0) { return fail(file); }
    if (durable) { sync_folder(file->temporary); }
    release(file);
    return true;
}

void nnc_atomic_file_drop(nnc_atomic_file *file) {
    if (file->target != NULL && file->descriptor >= 0) { close(file->descriptor); }
    if (file->temporary != NULL) { unlink(file->temporary); }
    release(file);
}

#endif

/* ---- threads: number of processors, and running a function in threads ---- */

int32_t nnc_threads_available(void) {
#if defined(_WIN32)
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return (int32_t)system.dwNumberOfProcessors;
#elif defined(__wasi__)
    return 1;
#else
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (int32_t)count;
#endif
}

#if defined(__wasi__)

void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count) {
    (void)size, (void)count;
    work(contexts);
}

#else

typedef struct runner {
    void (*work)(void *context);
    void *context;
    pthread_t thread;
} runner;

static void *run(void *argument) {
    const runner *self = argument;
    self->work(self->context);
    return NULL;
}

void nnc_threads_run(void (*work)(void *context), void *contexts, size_t size, int32_t count) {
    runner runners[NNC_THREADS_MAX];
    int32_t started = 1;
    for (; started < count && started < NNC_THREADS_MAX; started++) {
        runner *one = &runners[started];
        one->work = work;
        one->context = (char *)contexts + (size_t)started * size;
        if (pthread_create(&one->thread, NULL, run, one) != 0) { break; }
    }
    work(contexts);
    for (int32_t i = 1; i < started; i++) { (void)pthread_join(runners[i].thread, NULL); }
}

#endif
