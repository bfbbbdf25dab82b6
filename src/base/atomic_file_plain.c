/* For systems whose files live in memory: there is nothing to write beside, so a file is written in its place. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomic_file.h"

bool nnc_beside_open(nnc_beside *file, const char *path)
{
    *file = (nnc_beside){ .target = strdup(path), .descriptor = -1 };
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

bool nnc_beside_open_named(nnc_beside *file, const char *path)
{
    return nnc_beside_open(file, path);
}

bool nnc_beside_keep(nnc_beside *file, bool durable)
{
    (void)durable;
    const bool closed = close(file->descriptor) == 0;
    const int cause = errno;
    free(file->target);
    *file = (nnc_beside){ .descriptor = -1 };
    errno = cause;
    return closed;
}

void nnc_beside_drop(nnc_beside *file)
{
    if (file->target != NULL) {
        close(file->descriptor);
        unlink(file->target);
        free(file->target);
    }
    *file = (nnc_beside){ .descriptor = -1 };
}
