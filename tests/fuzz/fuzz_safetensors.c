/* Fuzzes the reader of .safetensors headers, whose lengths may be wrong. If the reader accepts a header, the numbers of
 * parameters, bytes and tensors must be 0 or more. */
#include <stdio.h>
#include <stdlib.h>

#include "launch/launch_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    nnc_checkpoint header = { .path = "fuzz.safetensors" };
    nnc_error err;
    nnc_arena *arena = nnc_arena_create();
    FILE *file = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    if (arena != NULL && file != NULL && nnc_checkpoint_parse(&header, arena, file, (int64_t)size, &err) == NNC_OK) {
        if (header.params < 0 || header.bytes < 0 || header.tensors < 0) { abort(); }
    }
    if (file != NULL) { fclose(file); }
    nnc_buffer_free(&header.metadata);
    nnc_arena_destroy(arena);
    return 0;
}
