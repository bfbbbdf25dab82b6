#include "input/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

static nnc_status fail_io(nnc_error *err, const char *path, const char *what, int number)
{
    char reason[128];
    if (strerror_r(number, reason, sizeof(reason)) != 0) {
        snprintf(reason, sizeof(reason), "error %d", number);
    }
    return nnc_fail(err, NNC_IO, path, "%s, expected a readable file, found: %s", what, reason);
}

/* Reads until the end rather than trusting the size, so that a pipe works too. */
static nnc_status read_all(int fd, const char *path, size_t guess, size_t most, char **text,
                           size_t *size, nnc_error *err)
{
    size_t room = guess + 1, used = 0;
    char *buffer = NULL;
    for (;;) {
        char *larger = realloc(buffer, room + 1);
        if (larger == NULL) {
            free(buffer);
            return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
        }
        buffer = larger;
        const ssize_t got = read(fd, buffer + used, room - used);
        if (got < 0 && errno != EINTR) {
            const int number = errno;
            free(buffer);
            return fail_io(err, path, "cannot be read", number);
        }
        used += got > 0 ? (size_t)got : 0;
        if (used > most) {
            free(buffer);
            return nnc_file_too_large(path, most, err);
        }
        if (got == 0) {
            break;
        }
        room = used == room ? 2 * room : room;
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return NNC_OK;
}

nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err)
{
    return nnc_fail(err, NNC_BAD_SPEC, path, "too large, expected at most %zu MB, found more",
                    most / 1000000);
}

nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err)
{
    return nnc_file_read_large(path, NNC_FILE_BYTES_MAX, text, size, err);
}

nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size,
                               nnc_error *err)
{
    struct stat about;
    const bool is_standard = strcmp(path, "-") == 0;
    const int fd = open(is_standard ? "/dev/stdin" : path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOMEM) {
        return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
    }
    if (fd < 0) {
        return fail_io(err, path, "cannot be opened", errno);
    }
    nnc_status status;
    if (fstat(fd, &about) != 0) {
        status = fail_io(err, path, "cannot be read", errno);
    } else if (S_ISDIR(about.st_mode)) {
        status = fail_io(err, path, "cannot be read", EISDIR);
    } else {
        const bool plain = S_ISREG(about.st_mode) && about.st_size <= (off_t)most;
        status = read_all(fd, path, plain ? (size_t)about.st_size : 4096, most, text, size, err);
    }
    close(fd);
    return status;
}

bool nnc_is_path(const char *text)
{
    const size_t length = strlen(text);
    return strchr(text, '/') != NULL || strcmp(text, "-") == 0 ||
           (length > 5 && strcmp(text + length - 5, ".json") == 0);
}

const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path)
{
    const char *slash = path[0] != '/' ? strrchr(file, '/') : NULL;
    const size_t folder = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    const size_t size = folder + strlen(path) + 1;
    char *text = nnc_arena_alloc(arena, size);
    if (text != NULL) {
        snprintf(text, size, "%.*s%s", (int)folder, file, path);
    }
    return text;
}
