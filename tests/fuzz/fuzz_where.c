/* Fuzzes the parser of constraints, such as those of --where. Evaluates each constraint again after each variable
 * becomes known. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KNOWN = 16 };

typedef struct known {
    nnc_cell cells[KNOWN];
    int32_t count; /* number of known variables */
} known;

static nnc_status name(void *context, const char *text, int32_t *variable, nnc_error *err) {
    (void)context, (void)err;
    *variable = (int32_t)(strlen(text) % KNOWN);
    return NNC_OK;
}

static const nnc_cell *read_known(void *context, int32_t variable) {
    const known *k = context;
    return variable < k->count ? &k->cells[variable] : NULL;
}

/* Aborts if a decided constraint changes when more variables become known. */
static void check(const nnc_where *where) {
    static const nnc_cell some[] = { { .kind = NNC_CELL_WHOLE, .whole = 3 },
                                     { .kind = NNC_CELL_NUMBER, .number = -0.5 },
                                     { .kind = NNC_CELL_NULL },
                                     { .kind = NNC_CELL_TEXT, .text = "bf16" },
                                     { .kind = NNC_CELL_BOOL, .flag = true } };
    known k = { .count = 0 };
    nnc_truth last = NNC_NOT_KNOWN_YET;
    for (int i = 0; i < KNOWN; i++) { k.cells[i] = some[(size_t)i % (sizeof some / sizeof *some)]; }
    for (; k.count <= KNOWN; k.count++) {
        const nnc_truth now = nnc_where_test(where, read_known, &k);
        if (last != NNC_NOT_KNOWN_YET && now != last) { abort(); }
        last = now;
    }
    if (last == NNC_NOT_KNOWN_YET) { abort(); }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_where where;
    nnc_error err;
    char *text = malloc(size + 1);
    if (text != NULL) {
        memcpy(text, data, size);
        text[size] = '\0';
        if (nnc_where_parse("--where", text, name, NULL, &where, &err) == NNC_OK) { check(&where); }
    }
    free(text);
    return 0;
}
