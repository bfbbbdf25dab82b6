/* For realpath(). */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 60, WIDTH_MAX = 1000 };

static int terminal_width(bool terminal)
{
    struct winsize size = { 0 };
    int64_t columns = 0;
    const char *text = getenv("COLUMNS");
    if (text == NULL || !nnc_read_i64(text, &columns) || columns < 1) {
        const bool known = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
        columns = known && size.ws_col > 0 ? size.ws_col : WIDTH_DEFAULT;
    }
    return (int)(columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns);
}

nnc_style nnc_output_style(const nnc_options *options)
{
    const bool terminal = options->output == NULL && isatty(STDOUT_FILENO) == 1;
    const char *term = getenv("TERM");
    return (nnc_style){
        .format = options->format,
        .width = terminal_width(terminal),
        .colour =
            terminal && getenv("NO_COLOR") == NULL && term != NULL && strcmp(term, "dumb") != 0,
    };
}

static nnc_status write_failed(const char *where, nnc_error *err)
{
    return nnc_fail(err, NNC_IO, where, "cannot write: %s", strerror(errno));
}

/* All of text into an open file and onto the disk; the file is closed either way. */
static bool write_and_close(int file, const char *text, size_t size)
{
    bool ok = true;
    while (ok && size > 0) {
        const ssize_t written = write(file, text, size);
        if (written >= 0) {
            text += written;
            size -= (size_t)written;
        } else {
            ok = errno == EINTR;
        }
    }
    /* Some file systems cannot, and say EINVAL: then the rename has to do. */
    ok = ok && (fsync(file) == 0 || errno == EINVAL);
    const int cause = errno;
    if (close(file) != 0) {
        return false;
    }
    errno = cause;
    return ok;
}

static nnc_status write_stdout(const char *text, size_t size, nnc_error *err)
{
    if (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0 || ferror(stdout)) {
        return write_failed("standard output", err);
    }
    return NNC_OK;
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

/* Into a new file beside the target, which takes its name once it is complete. */
static nnc_status replace_file(const char *path, const char *target, const char *text, size_t size,
                               nnc_error *err)
{
    static const char suffix[] = ".XXXXXX";
    const mode_t mask = umask(0);
    struct stat old;
    const mode_t mode = stat(target, &old) == 0 ? old.st_mode & 0777u : 0666u & ~mask;
    const size_t length = strlen(target) + sizeof suffix;
    char *temporary = malloc(length);
    nnc_status status = NNC_OK;
    umask(mask);
    if (temporary == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    snprintf(temporary, length, "%s%s", target, suffix);

    const int file = mkstemp(temporary);
    if (file < 0) {
        status = write_failed(path, err);
    } else {
        const bool allowed = fchmod(file, mode) == 0;
        const bool written = write_and_close(file, text, size);
        if (!allowed || !written || rename(temporary, target) != 0) {
            status = write_failed(path, err);
            unlink(temporary);
        } else {
            sync_folder(temporary);
        }
    }
    free(temporary);
    return status;
}

nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err)
{
    struct stat status;
    if (path == NULL) {
        return write_stdout(text, size, err);
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return write_failed(path, err);
    }
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* a device or a pipe */
        FILE *file = fopen(path, "w");
        const bool written = file != NULL && fwrite(text, 1, size, file) == size;
        const bool closed = file != NULL && fclose(file) == 0;
        return written && closed ? NNC_OK : write_failed(path, err);
    }
    char *target = realpath(path, NULL); /* a link stays, what it names is replaced */
    const nnc_status result = replace_file(path, target != NULL ? target : path, text, size, err);
    free(target);
    return result;
}
