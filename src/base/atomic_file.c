/* For realpath(). */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(nnc_beside *file)
{
    free(file->temporary);
    free(file->target);
    *file = (nnc_beside){ .descriptor = -1 };
}

static bool set_names(nnc_beside *file, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    file->target = realpath(path, NULL);
    if (file->target == NULL) { /* not there yet */
        file->target = strdup(path);
    }
    if (file->target == NULL) {
        return false;
    }
    const size_t size = strlen(file->target) + sizeof suffix;
    file->temporary = malloc(size);
    if (file->temporary == NULL) {
        return false;
    }
    snprintf(file->temporary, size, "%s%s", file->target, suffix);
    return true;
}

static mode_t rights_of(const char *target)
{
    struct stat old;
    const mode_t mask = umask(0); /* there is no other way to read it */
    umask(mask);
    return stat(target, &old) == 0 ? old.st_mode & 0777U : 0666U & ~mask;
}

bool nnc_beside_open(nnc_beside *file, const char *path)
{
    *file = (nnc_beside){ .descriptor = -1 };
    if (!set_names(file, path)) {
        release(file);
        errno = ENOMEM;
        return false;
    }
    const mode_t mode = rights_of(file->target);
    file->descriptor = mkstemp(file->temporary);
    if (file->descriptor >= 0 && fchmod(file->descriptor, mode) == 0) {
        return true;
    }
    const int cause = errno;
    if (file->descriptor >= 0) {
        nnc_beside_drop(file);
    } else {
        release(file); /* there is no such file to remove */
    }
    errno = cause;
    return false;
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
static bool sync_and_close(int descriptor, bool durable)
{
    const bool synced = !durable || fsync(descriptor) == 0 || errno == EINVAL;
    const int cause = errno;
    if (close(descriptor) != 0) {
        return false;
    }
    errno = cause;
    return synced;
}

bool nnc_beside_keep(nnc_beside *file, bool durable)
{
    const bool named =
        sync_and_close(file->descriptor, durable) && rename(file->temporary, file->target) == 0;
    const int cause = errno;
    if (!named) {
        unlink(file->temporary);
    } else if (durable) {
        sync_folder(file->temporary);
    }
    release(file);
    errno = cause;
    return named;
}

void nnc_beside_drop(nnc_beside *file)
{
    if (file->temporary != NULL) {
        close(file->descriptor);
        unlink(file->temporary);
    }
    release(file);
}

size_t nnc_write_bytes(int descriptor, const char *bytes, size_t size)
{
    size_t written = 0;
    while (written < size) {
        const ssize_t step = write(descriptor, bytes + written, size - written);
        if (step < 0 && errno != EINTR) {
            return written;
        }
        written += step > 0 ? (size_t)step : 0;
    }
    return written;
}

bool nnc_beside_write(const char *path, const char *text, size_t size)
{
    nnc_beside file;
    if (!nnc_beside_open(&file, path)) {
        return false;
    }
    if (nnc_write_bytes(file.descriptor, text, size) < size) {
        const int why = errno;
        nnc_beside_drop(&file);
        errno = why;
        return false;
    }
    return nnc_beside_keep(&file, true);
}
