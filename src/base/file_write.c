#include <errno.h>
#include <unistd.h>

#include "base/atomic_file.h"

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
