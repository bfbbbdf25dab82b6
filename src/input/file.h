/* Files as text. */
#ifndef NNCOST_INPUT_FILE_H
#define NNCOST_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <nncost/status.h>

#include "base/arena.h"

enum {
    NNC_FILE_BYTES_MAX = 16 * 1000 * 1000,
    NNC_RECORDED_BYTES_MAX = 1000 * 1000 * 1000 /* of a file that holds many recorded estimates */
};

/* Reads a whole file into *text, which the caller frees; a NUL follows its *size bytes.
 * NNC_IO: cannot be read, a folder; NNC_BAD_SPEC: over NNC_FILE_BYTES_MAX. */
nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err);
/* The same of a file that may have up to `most` bytes. */
nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size,
                               nnc_error *err);
/* NNC_BAD_SPEC, "too large". */
nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err);

/* Is it a path rather than an id? Anything with a '/' or ending in ".json". */
bool nnc_is_path(const char *text);
/* A path that stands in a file starts from the folder of that file. In the arena; NULL when out of memory. */
const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path);

#endif
