/* For realpath() and O_TMPFILE. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, NAMES_MAX = 100 };

static void release(nnc_beside *file)
{
    free(file->temporary);
    free(file->target);
    *file = (nnc_beside){ .descriptor = -1 };
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* The folder of a path with a name in it, "./" where the path has none; allocated. */
static char *in_folder_of(const char *path, const char *name)
{
    const size_t length = folder_length(path), size = length + strlen(name) + 3;
    char *text = malloc(size);
    if (text != NULL) {
        snprintf(text, size, "%.*s%s", (int)(length > 0 ? length : 2), length > 0 ? path : "./",
                 name);
    }
    return text;
}

/* What a link names, though nothing is there yet; the path itself when it is no link. Allocated. */
static char *through_links(const char *path)
{
    char name[PATH_MAX];
    char *at = strdup(path);
    for (int i = 0; at != NULL && i < LINKS_MAX; i++) {
        const ssize_t length = readlink(at, name, sizeof name - 1);
        if (length <= 0) {
            break;
        }
        name[length] = '\0';
        char *next = name[0] == '/' ? strdup(name) : in_folder_of(at, name);
        free(at);
        at = next;
    }
    return at;
}

static bool set_target(nnc_beside *file, const char *path)
{
    file->target = realpath(path, NULL);
    if (file->target == NULL && errno == ENOMEM) {
        return false;
    }
    if (file->target == NULL) { /* not there yet */
        file->target = through_links(path);
    }
    return file->target != NULL;
}

static mode_t rights_of(const char *target)
{
    struct stat old;
    const mode_t mask = umask(0); /* there is no other way to read it */
    umask(mask);
    return stat(target, &old) == 0 ? old.st_mode & 0777U : 0666U & ~mask;
}

static bool begin(nnc_beside *file, const char *path)
{
    *file = (nnc_beside){ .descriptor = -1 };
    if (!set_target(file, path)) {
        release(file);
        errno = ENOMEM;
        return false;
    }
    return true;
}

static bool fail(nnc_beside *file)
{
    const int cause = errno;
    nnc_beside_drop(file);
    errno = cause;
    return false;
}

static bool make_named(nnc_beside *file)
{
    const mode_t mode = rights_of(file->target);
    char *name = in_folder_of(file->target, ".nncost-XXXXXX");
    if (name == NULL) {
        errno = ENOMEM;
        return fail(file);
    }
    file->descriptor = mkstemp(name);
    if (file->descriptor < 0) { /* there is no such file to remove */
        const int cause = errno;
        free(name);
        errno = cause;
        return fail(file);
    }
    file->temporary = name;
    return fchmod(file->descriptor, mode) == 0 || fail(file);
}

bool nnc_beside_open_named(nnc_beside *file, const char *path)
{
    return begin(file, path) && make_named(file);
}

/* A file without a name is gone with the process. Not every file system has such files, and without /proc one
 * cannot be named later. */
bool nnc_beside_open(nnc_beside *file, const char *path)
{
    if (!begin(file, path)) {
        return false;
    }
    const mode_t mode = rights_of(file->target);
    char *folder = in_folder_of(file->target, ".");
    if (folder == NULL) {
        errno = ENOMEM;
        return fail(file);
    }
    file->descriptor = access("/proc/self/fd", X_OK) == 0
                           ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)
                           : -1;
    free(folder);
    if (file->descriptor < 0) {
        return make_named(file);
    }
    return fchmod(file->descriptor, mode) == 0 || fail(file);
}

/* Gives a file without a name the next that is free. */
static bool set_name(nnc_beside *file)
{
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
            if (cause != EEXIST) {
                break;
            }
        }
    }
    return named;
}

/* A new name lasts once its folder is on the disk. That it is, is more than was asked for: a folder
 * that cannot be opened for it is no fault. */
static void sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        slash[slash == path ? 1 : 0] = '\0';
    }
    const int folder = open(slash != NULL ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

/* Some file systems cannot sync, and say EINVAL: then the rename has to do. Some report a full disk
 * only when the file is closed. */
static bool sync_file(int descriptor, bool durable)
{
    return !durable || fsync(descriptor) == 0 || errno == EINVAL;
}

bool nnc_beside_keep(nnc_beside *file, bool durable)
{
    const bool synced = sync_file(file->descriptor, durable) && set_name(file);
    if (!synced) {
        return fail(file);
    }
    const int descriptor = file->descriptor;
    file->descriptor = -1;
    if (close(descriptor) != 0 || rename(file->temporary, file->target) != 0) {
        return fail(file);
    }
    if (durable) {
        sync_folder(file->temporary);
    }
    release(file);
    return true;
}

void nnc_beside_drop(nnc_beside *file)
{
    if (file->target != NULL && file->descriptor >= 0) {
        close(file->descriptor);
    }
    if (file->temporary != NULL) {
        unlink(file->temporary);
    }
    release(file);
}
