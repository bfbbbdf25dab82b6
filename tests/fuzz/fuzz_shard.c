/* Fuzzes the shards of a search: reads them, merges them, and writes the merged shards. */
#include <stdint.h>
#include <string.h>

#include "as_file.h"
#include "search/search_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char folder[FUZZ_PATH]; /* kept for the whole process */
    char path[FUZZ_PATH + 16];
    char *paths[] = { path };
    nnc_arena *arena = nnc_arena_create();
    nnc_search_report report;
    nnc_error err;
    if (folder[0] == '\0') { fuzz_folder(folder); }
    snprintf(path, sizeof path, "%s/shard.json", folder);
    if (arena != NULL) {
        fuzz_write(path, data, size);
        (void)nnc_search_merge(arena, paths, 1, NULL, &report, &err);
    }
    nnc_arena_destroy(arena);
    return 0;
}
