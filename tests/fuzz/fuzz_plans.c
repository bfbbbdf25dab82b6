/* Fuzzes the reader of plan files, and the writer that adds recorded estimates to them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Replaces the recorded part of an accepted plan file, keeps all bytes outside this part, and reads the file again.
 * Aborts if the result has faults or another number of scenarios. */
static void record_again(nnc_arena *arena, const nnc_plans *plans) {
    const nnc_recorded recorded = { .tool = "0.0.1", .conventions = "none" };
    size_t size = 0;
    nnc_buffer part = { 0 };
    nnc_recorded_write(&part, &recorded, true);
    nnc_buffer_byte(&part, '\0');
    if (!part.failed) {
        nnc_faults faults = { .name = "again" };
        nnc_plans again;
        const char *text = nnc_plans_with_recorded(arena, plans, part.bytes, &size);
        if (text != NULL) {
            nnc_plans_parse(arena, text, size, &faults, &again);
            if (faults.count > 0 || again.scenario_count != plans->scenario_count) { abort(); }
        }
    }
    nnc_buffer_free(&part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_arena *arena = nnc_arena_create();
    nnc_faults faults = { .name = "fuzz" };
    nnc_plans plans;
    char *text = arena != NULL ? nnc_arena_alloc(arena, size + 1) : NULL;
    if (text != NULL) {
        if (size > 0) { memcpy(text, data, size); }
        nnc_plans_parse(arena, text, size, &faults, &plans);
        if (faults.count == 0) { record_again(arena, &plans); }
    }
    nnc_arena_destroy(arena);
    return 0;
}
