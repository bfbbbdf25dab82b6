/* For realpath(). */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static nnc_status write_failed(const nnc_file *file, int cause, nnc_error *err)
{
    return nnc_fail(err, NNC_IO, file->name, "cannot write: %s", strerror(cause));
}

static void release(nnc_file *file)
{
    free(file->temporary);
    free(file->target);
    file->temporary = file->target = NULL;
}

/* A new file beside the target, with the rights that the target has or would get. */
static bool open_beside(nnc_file *file, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    struct stat old;
    const mode_t mask = umask(0);
    umask(mask);
    file->target = realpath(path, NULL); /* a link stays, what it names is replaced */
    if (file->target == NULL) {
        file->target = strdup(path);
    }
    const size_t size = (file->target != NULL ? strlen(file->target) : 0) + sizeof suffix;
    file->temporary = malloc(size);
    if (file->target == NULL || file->temporary == NULL) {
        errno = ENOMEM;
        return false;
    }
    const mode_t mode = stat(file->target, &old) == 0 ? old.st_mode & 0777U : 0666U & ~mask;
    snprintf(file->temporary, size, "%s%s", file->target, suffix);
    file->descriptor = mkstemp(file->temporary);
    return file->descriptor >= 0 && fchmod(file->descriptor, mode) == 0;
}

static void drop(nnc_file *file)
{
    if (file->descriptor >= 0) {
        close(file->descriptor);
        if (file->temporary != NULL) {
            unlink(file->temporary);
        }
    }
    release(file);
}

nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err)
{
    struct stat status;
    *file = (nnc_file){ .descriptor = -1, .name = path != NULL ? path : "standard output" };
    if (path == NULL) {
        file->descriptor = STDOUT_FILENO;
        file->cuts = fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode);
        return NNC_OK;
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return write_failed(file, EISDIR, err);
    }
    bool opened = false;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* a device or a pipe */
        file->descriptor = open(path, O_WRONLY | O_CLOEXEC);
        opened = file->descriptor >= 0;
    } else {
        opened = open_beside(file, path);
    }
    if (!opened) {
        const int cause = errno;
        drop(file);
        return write_failed(file, cause, err);
    }
    return NNC_OK;
}

/* Takes back what was written after the last line's end. */
static void cut_back(const nnc_file *file, const char *lines, size_t written)
{
    size_t whole = written;
    while (whole > 0 && lines[whole - 1] != '\n') {
        whole--;
    }
    const off_t end = lseek(file->descriptor, 0, SEEK_CUR);
    if (file->cuts && end >= 0 &&
        ftruncate(file->descriptor, end - (off_t)(written - whole)) == 0) {
        lseek(file->descriptor, 0, SEEK_END);
    }
}

nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err)
{
    size_t written = 0;
    while (written < size) {
        const ssize_t step = write(file->descriptor, lines + written, size - written);
        if (step < 0 && errno != EINTR) {
            const int cause = errno;
            cut_back(file, lines, written);
            return write_failed(file, cause, err);
        }
        written += step > 0 ? (size_t)step : 0;
    }
    return NNC_OK;
}

nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err)
{
    nnc_status status = NNC_OK;
    if (file->descriptor == STDOUT_FILENO && file->target == NULL) {
        return NNC_OK;
    }
    if (!keep) {
        drop(file);
        return NNC_OK;
    }
    /* Some file systems report a full disk only here. */
    const bool closed = close(file->descriptor) == 0;
    const bool named =
        closed && (file->target == NULL || rename(file->temporary, file->target) == 0);
    if (!named) {
        status = write_failed(file, errno, err);
        if (file->temporary != NULL) {
            unlink(file->temporary);
        }
    }
    release(file);
    return status;
}
