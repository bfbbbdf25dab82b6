/* Fuzzes the merge of sweep shards. The input has one shard, or two shards with a line "----" between them, as CSV,
 * JSON lines or a database. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): for memmem() */

#include <stdint.h>
#include <string.h>

#include "as_file.h"
#include "store/store_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char between[] = "----\n";
    static char folder[FUZZ_PATH]; /* kept for the whole process */
    char first[FUZZ_PATH + 16], second[FUZZ_PATH + 16], out[FUZZ_PATH + 16];
    char *paths[] = { first, second };
    const size_t mark = sizeof between - 1;
    nnc_error err;
    if (folder[0] == '\0') { fuzz_folder(folder); }
    snprintf(first, sizeof first, "%s/1", folder);
    snprintf(second, sizeof second, "%s/2", folder);
    snprintf(out, sizeof out, "%s/out.csv", folder);
    const uint8_t *cut = size > 0 ? memmem(data, size, between, mark) : NULL;
    const size_t head = cut != NULL ? (size_t)(cut - data) : size;
    fuzz_write(first, data, head);
    if (cut != NULL) { fuzz_write(second, cut + mark, size - head - mark); }
    (void)nnc_merge(out, paths, cut != NULL ? 2 : 1, &err);
    unlink(out);
    return 0;
}
