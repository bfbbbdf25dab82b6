/* Fuzzes 'nncost diff', which reads estimates and plan files. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_arena *arena = nnc_arena_create();
    char *text = arena != NULL ? nnc_arena_alloc(arena, size + 1) : NULL;
    nnc_recorded recorded;
    nnc_error err;
    if (text != NULL) {
        memcpy(text, data, size);
        if (nnc_recorded_parse(arena, "fuzz", text, size, &recorded, &err) == NNC_OK) {
            for (int32_t i = 0; i < recorded.estimate_count; i++) {
                const nnc_packed *figures = &recorded.estimates[i].figures;
                for (int32_t k = 0; k < nnc_packed_count(figures); k++) {
                    if (nnc_packed_figure(figures, k).name == NULL) { abort(); }
                }
            }
        }
    }
    nnc_arena_destroy(arena);
    return 0;
}
