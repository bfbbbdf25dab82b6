/* Fuzzes the parser of sweep axes: lists of values, and ranges. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A list may have a million values. Inputs with lists of a million values take time, but find no further faults. */
enum { SIZE_MAX_FUZZED = 200, LONG_RANGE = 2000, ONE_OF = 64 };

/* Returns true for long ranges, such as "1..999999", "0..1+1e-9" or "1..4M". */
static bool is_long(const char *text) {
    for (const char *dots = strstr(text, ".."); dots != NULL; dots = strstr(dots + 2, "..")) {
        char *end = NULL;
        const double last = fabs(strtod(dots + 2, &end));
        const double by = *end == '+' ? fabs(strtod(end + 1, &end)) : 1.0;
        const bool plain = *end == '\0' || *end == ',' || *end == '*';
        if (!plain || !(last <= LONG_RANGE * by)) { return true; }
    }
    return false;
}

static bool is_one_of(const uint8_t *data, size_t size) {
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++) { sum = sum * 31 + data[i]; }
    return sum % ONE_OF == 0;
}

static void check(const char **values, int32_t count) {
    if (count < 1 || count > NNC_SWEEP_VALUES_MAX) { abort(); }
    for (int32_t i = 0; i < count; i++) {
        if (values[i] == NULL || values[i][0] == '\0') { abort(); }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_arena *arena = nnc_arena_create();
    char *text = arena != NULL && size < SIZE_MAX_FUZZED ? nnc_arena_alloc(arena, size + 1) : NULL;
    const char **values = NULL;
    int32_t count = 0;
    nnc_error err;
    if (text != NULL && size > 0) { memcpy(text, data, size); }
    if (text != NULL && (!is_long(text) || is_one_of(data, size))) {
        for (int numeric = 0; numeric < 2; numeric++) {
            if (nnc_sweep_list(arena, "--axis", text, numeric == 1, &values, &count, &err) == NNC_OK) {
                check(values, count);
            }
        }
        if (nnc_sweep_sizes(arena, "--devices", text, &values, &count, &err) == NNC_OK) { check(values, count); }
    }
    nnc_arena_destroy(arena);
    return 0;
}
