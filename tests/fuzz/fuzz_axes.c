/* Lists and ranges of an axis. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/axes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A million values are allowed; reading them again and again finds nothing. */
enum { SIZE_MAX_FUZZED = 200 };

static void check(const char **values, int32_t count)
{
    if (count < 1 || count > NNC_SWEEP_VALUES_MAX) {
        abort();
    }
    for (int32_t i = 0; i < count; i++) {
        if (values[i] == NULL || values[i][0] == '\0') {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nnc_arena *arena = nnc_arena_create();
    char *text = arena != NULL && size < SIZE_MAX_FUZZED ? nnc_arena_alloc(arena, size + 1) : NULL;
    const char **values = NULL;
    int32_t count = 0;
    nnc_error err;
    if (text != NULL) {
        memcpy(text, data, size);
        for (int numeric = 0; numeric < 2; numeric++) {
            if (nnc_sweep_list(arena, "--axis", text, numeric == 1, &values, &count, &err) ==
                NNC_OK) {
                check(values, count);
            }
        }
        if (nnc_sweep_sizes(arena, "--devices", text, &values, &count, &err) == NNC_OK) {
            check(values, count);
        }
    }
    nnc_arena_destroy(arena);
    return 0;
}
