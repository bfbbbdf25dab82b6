/* Where lines go: a file, or standard output. What is left behind ends with a whole line. */
#ifndef NNCOST_STORE_LINE_FILE_H
#define NNCOST_STORE_LINE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

#include "base/atomic_file.h"

typedef struct nnc_file {
    int descriptor;
    const char *name;  /* for messages */
    nnc_beside beside; /* of a regular file; not open otherwise */
    bool cuts;         /* standard output is a regular file, and can be cut back */
} nnc_file;

/* path NULL: standard output. A regular file is written beside path and takes its name when it is
 * complete. Fails with NNC_IO. */
nnc_status nnc_file_open(nnc_file *file, const char *path, nnc_error *err);

/* Writes whole lines. When that fails part way, a line that was cut off is taken back where the
 * output can be. Fails with NNC_IO. */
nnc_status nnc_file_write(nnc_file *file, const char *lines, size_t size, nnc_error *err);

/* Must be called once after a successful open. keep: let the file take its name; otherwise what path
 * held before stays. Fails with NNC_IO. */
nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err);

#endif
