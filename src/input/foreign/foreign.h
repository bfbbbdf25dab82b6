/* Configurations of published models. Every key is either read, allowed at the one value this
 * version understands, or known not to shape the network; any other key is refused, so that a new
 * architecture is never read as an old one. */
#ifndef NNCOST_INPUT_FOREIGN_FOREIGN_H
#define NNCOST_INPUT_FOREIGN_FOREIGN_H

#include "input/json.h"

typedef enum nnc_key_use {
    NNC_KEY_IGNORED, /* does not shape the network */
    NNC_KEY_READ,
    NNC_KEY_ONLY /* one value, or several joined by '|'; null always passes */
} nnc_key_use;

typedef struct nnc_foreign_key {
    const char *key;
    nnc_key_use use;
    const char *only; /* "false", "3", "silu|swish"; "empty" = a list or object of nothing */
} nnc_foreign_key;

typedef struct nnc_architecture {
    const char *name; /* as the file says it */
    const nnc_foreign_key *keys, *more_keys;
    size_t key_count, more_key_count;
    void (*read)(nnc_json root, nnc_model *model);
} nnc_architecture;

extern const nnc_architecture nnc_decoder_architectures[4], nnc_unet_architectures[2];

/* Values by key. Absent and null give `fallback`; a missing one that is required is a fault and
 * gives 1, so that what follows can divide by it. */
enum { NNC_REQUIRED = -1 };
int64_t nnc_foreign_whole(nnc_json root, const char *key, int64_t max, int64_t fallback);
bool nnc_foreign_flag(nnc_json root, const char *key, bool fallback);
double nnc_foreign_probability(nnc_json root, const char *key, double fallback);
/* "" when absent or null. */
const char *nnc_foreign_word(nnc_json root, const char *key);
bool nnc_foreign_given(nnc_json root, const char *key);

#endif
