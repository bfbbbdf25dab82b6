#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/number.h"
#include "cli/terminal.h"

enum { WIDTH_DEFAULT = 100, WIDTH_MIN = 60, WIDTH_MAX = 1000 };

static int terminal_width(bool terminal)
{
    int64_t columns = 0;
    const char *text = getenv("COLUMNS");
    if (text == NULL || !nnc_read_i64(text, &columns) || columns < 1) {
        columns = terminal ? nnc_terminal_columns() : 0;
        columns = columns > 0 ? columns : WIDTH_DEFAULT;
    }
    return (int)(columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : columns);
}

nnc_style nnc_output_style(const nnc_options *options)
{
    const bool terminal = options->output == NULL && isatty(STDOUT_FILENO) == 1;
    const char *term = getenv("TERM");
    return (nnc_style){
        .format = options->format != NULL ? options->format : &nnc_format_table,
        .width = terminal_width(terminal),
        .colour =
            terminal && getenv("NO_COLOR") == NULL && term != NULL && strcmp(term, "dumb") != 0,
    };
}

static nnc_status write_failed(const char *where, nnc_error *err)
{
    return nnc_fail(err, NNC_IO, where, "cannot write: %s", strerror(errno));
}

static nnc_status write_stdout(const char *text, size_t size, nnc_error *err)
{
    return nnc_write_bytes(STDOUT_FILENO, text, size) == size
               ? NNC_OK
               : write_failed("standard output", err);
}

nnc_status nnc_output_write(const char *path, const char *text, size_t size, nnc_error *err)
{
    struct stat status;
    if (text == NULL) { /* that of an empty buffer */
        text = "";
    }
    if (path == NULL) {
        return write_stdout(text, size, err);
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return write_failed(path, err);
    }
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* a device or a pipe */
        const int file = open(path, O_WRONLY | O_CLOEXEC);
        const bool written = file >= 0 && nnc_write_bytes(file, text, size) == size;
        const int cause = errno;
        const bool closed = file >= 0 && close(file) == 0;
        errno = written ? errno : cause;
        return written && closed ? NNC_OK : write_failed(path, err);
    }
    return nnc_beside_write(path, text, size) ? NNC_OK : write_failed(path, err);
}
