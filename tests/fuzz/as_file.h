/* Writes the input of a fuzz target to a file, for readers that need a file name. */
#ifndef NNCOST_FUZZ_AS_FILE_H
#define NNCOST_FUZZ_AS_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUZZ_PATH 64

/* Creates a folder for this process, in memory (/dev/shm) if possible. The folder is not deleted. */
static inline void fuzz_folder(char path[FUZZ_PATH]) {
    snprintf(path, FUZZ_PATH, "%s/nncost-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (mkdtemp(path) == NULL) { abort(); }
}

static inline void fuzz_write(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) { abort(); }
}

#endif
