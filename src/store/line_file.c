/* Output of whole lines. A regular file is written under a temporary name and renamed when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base_internal.h"
#include "store/store_internal.h"

static nnc_status write_failed(const nnc_file *file, int cause, nnc_error *err)
{
    return nnc_fail(err, NNC_IO, file->name, "cannot write: %s", strerror(cause));
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
        opened = nnc_atomic_file_open(&file->beside, path);
        file->descriptor = file->beside.descriptor;
    }
    return opened ? NNC_OK : write_failed(file, errno, err);
}

/* Removes what was written after the last line end. */
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
    const size_t written = nnc_write_bytes(file->descriptor, lines, size);
    if (written < size) {
        const int cause = errno;
        cut_back(file, lines, written);
        return write_failed(file, cause, err);
    }
    return NNC_OK;
}

nnc_status nnc_file_close(nnc_file *file, bool keep, nnc_error *err)
{
    bool closed = true;
    if (file->beside.target != NULL && keep) {
        closed = nnc_atomic_file_keep(&file->beside, false);
    } else if (file->beside.target != NULL) {
        nnc_atomic_file_drop(&file->beside);
    } else if (file->descriptor != STDOUT_FILENO) {
        closed = close(file->descriptor) == 0 || !keep;
    }
    return closed ? NNC_OK : write_failed(file, errno, err);
}
