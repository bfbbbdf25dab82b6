/* Results that sweep, search, check and callers of nnc_estimate remember. The functions of estimate/ know no cache. */
#ifndef NNCOST_MEMO_MEMO_INTERNAL_H
#define NNCOST_MEMO_MEMO_INTERNAL_H

#include "estimate/estimate_internal.h"

/* ---- memo.c: the mechanism ---- */

/* A cache of results by the bytes of their keys. Padding of a key must be set: use memset, or members of 8 bytes. */
typedef struct nnc_memo {
    uint32_t slots, ways, count, turn;
    size_t key_size, value_at, stride;
    uint32_t *at;
    unsigned char *entries;
} nnc_memo;

/* Room for `slots` entries; a key may be in `ways` slots. false: out of memory. Memory is touched as entries come. */
bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size,
                     size_t value_size);
void nnc_memo_destroy(nnc_memo *memo);

/* The value of a key; NULL = none. It stays in place until it is replaced. */
void *nnc_memo_find(const nnc_memo *memo, const void *key);
/* The value of a key that nnc_memo_find did not find, for the caller to fill: bytes of an old value, or zeros. */
void *nnc_memo_add(nnc_memo *memo, const void *key);

/* Forgets all entries; takes no time. */
static inline void nnc_memo_clear(nnc_memo *memo)
{
    memo->count = 0;
}

/* The i-th entry in order of arrival, i < count. */
void *nnc_memo_value(const nnc_memo *memo, uint32_t index);

#endif
