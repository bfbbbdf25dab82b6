/* The one mechanism of all caches: key bytes -> value. Hash, capacity and eviction are decided here.
 *
 *     hash(key) -> slot, and the ways - 1 slots after it
 *     slot         { tag: part of the hash, entry: number from 1, 0 = empty }
 *     entry        key value; entries are stored in order of arrival, so a few of them touch little memory
 *
 * A table with no more slots than ways is searched without a hash. If all ways of a key are in use, one of them is
 * replaced, in turn. */
#include "memo/memo_internal.h"

enum { ALIGN = 16 };

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size, size_t hashed,
                     size_t value_size)
{
    *memo = (nnc_memo){ .slots = slots,
                        .ways = ways < slots ? ways : slots,
                        .key_size = key_size,
                        .hashed = slots > ways ? hashed / sizeof(uint64_t) : 0,
                        .value_at = aligned(key_size),
                        .stride = aligned(key_size) + aligned(value_size) };
    memo->slot = calloc(slots, sizeof *memo->slot);
    memo->entries = malloc(slots * memo->stride);
    if (memo->slot == NULL || memo->entries == NULL) {
        nnc_memo_destroy(memo);
        return false;
    }
    return true;
}

void nnc_memo_destroy(nnc_memo *memo)
{
    free(memo->slot);
    free(memo->entries);
    *memo = (nnc_memo){ .slots = 0 };
}

void nnc_memo_clear(nnc_memo *memo)
{
    if (memo->count > 0) {
        memset(memo->slot, 0, memo->slots * sizeof *memo->slot);
        memo->count = 0;
    }
}

/* Mixes the first words of the key into all bits. */
static uint64_t hash_of(const nnc_memo *memo, const void *key)
{
    uint64_t hash = 0, word;
    for (size_t i = 0; i < memo->hashed; i++) {
        memcpy(&word, (const char *)key + i * sizeof word, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static nnc_memo_slot *slot_at(const nnc_memo *memo, uint32_t way)
{
    return &memo->slot[((uint32_t)memo->hash + way) & (memo->slots - 1)];
}

static unsigned char *key_at(const nnc_memo *memo, uint32_t entry)
{
    return memo->entries + (entry - 1) * memo->stride;
}

void *nnc_memo_find(nnc_memo *memo, const void *key)
{
    memo->hash = hash_of(memo, key);
    const uint32_t tag = (uint32_t)(memo->hash >> 32);
    for (uint32_t i = 0; i < memo->ways; i++) {
        const nnc_memo_slot *slot = slot_at(memo, i);
        if (slot->entry > 0 && slot->tag == tag &&
            memcmp(key_at(memo, slot->entry), key, memo->key_size) == 0) {
            return key_at(memo, slot->entry) + memo->value_at;
        }
    }
    return NULL;
}

void *nnc_memo_add(nnc_memo *memo, const void *key)
{
    nnc_memo_slot *slot = slot_at(memo, 0);
    for (uint32_t i = 1; i < memo->ways && slot->entry > 0; i++) {
        slot = slot_at(memo, i);
    }
    if (slot->entry > 0) {
        slot = slot_at(memo, memo->turn++ & (memo->ways - 1));
    } else {
        slot->entry = ++memo->count;
    }
    slot->tag = (uint32_t)(memo->hash >> 32);
    memcpy(key_at(memo, slot->entry), key, memo->key_size);
    return key_at(memo, slot->entry) + memo->value_at;
}

void *nnc_memo_value(const nnc_memo *memo, uint32_t index)
{
    return key_at(memo, index + 1) + memo->value_at;
}
