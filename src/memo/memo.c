/* The one mechanism of all caches: key bytes -> entry. Hash, capacity and eviction are decided here.
 *
 *     hash(key) -> slot, and the ways - 1 slots after it
 *     at[slot]  -> entry; entries are stored in order of arrival, so a few of them touch little memory
 *     entry        { hash, slot } key value
 *
 * A slot is in use if its entry number is below count and that entry names the slot; so clearing sets count to 0 and
 * touches nothing else. A table with no more slots than ways is searched without a hash. If all ways of a key are in
 * use, one of them is replaced, in turn. */
#include <stdlib.h>
#include <string.h>

#include "memo/memo_internal.h"

typedef struct entry_head {
    uint64_t hash;
    uint32_t slot;
} entry_head;

enum { ALIGN = 16 };

static size_t aligned(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

bool nnc_memo_create(nnc_memo *memo, uint32_t slots, uint32_t ways, size_t key_size,
                     size_t value_size)
{
    const size_t value_at = aligned(aligned(sizeof(entry_head)) + key_size);
    *memo = (nnc_memo){ .slots = slots,
                        .ways = ways < slots ? ways : slots,
                        .key_size = key_size,
                        .value_at = value_at,
                        .stride = value_at + aligned(value_size) };
    memo->at = calloc(slots, sizeof *memo->at);
    memo->entries = calloc(slots, memo->stride);
    if (memo->at == NULL || memo->entries == NULL) {
        nnc_memo_destroy(memo);
        return false;
    }
    return true;
}

void nnc_memo_destroy(nnc_memo *memo)
{
    free(memo->at);
    free(memo->entries);
    *memo = (nnc_memo){ .slots = 0 };
}

static unsigned char *entry_at(const nnc_memo *memo, uint32_t slot)
{
    return memo->entries + memo->at[slot] * memo->stride;
}

static bool in_use(const nnc_memo *memo, uint32_t slot)
{
    return memo->at[slot] < memo->count &&
           ((const entry_head *)(const void *)entry_at(memo, slot))->slot == slot;
}

/* Keys are whole numbers of 8 bytes, or end in bytes that the hash leaves out. */
static uint64_t hash_of(const nnc_memo *memo, const void *key)
{
    uint64_t hash = 0, word;
    if (memo->slots <= memo->ways) {
        return 0;
    }
    for (size_t i = 0; i < memo->key_size / sizeof word; i++) {
        memcpy(&word, (const char *)key + i * sizeof word, sizeof word);
        hash += (word ^ word >> 32) * (0x9E3779B97F4A7C15u + 0x632BE59BD9B4E01Au * i);
    }
    return hash ^ hash >> 29;
}

void *nnc_memo_find(const nnc_memo *memo, const void *key)
{
    const uint64_t hash = hash_of(memo, key);
    for (uint32_t i = 0; i < memo->ways; i++) {
        const uint32_t slot = (uint32_t)((hash + i) % memo->slots);
        if (!in_use(memo, slot)) {
            continue;
        }
        unsigned char *entry = entry_at(memo, slot);
        const entry_head *head = (const entry_head *)(const void *)entry;
        if (head->hash == hash && memcmp(entry + aligned(sizeof *head), key, memo->key_size) == 0) {
            return entry + memo->value_at;
        }
    }
    return NULL;
}

void *nnc_memo_add(nnc_memo *memo, const void *key)
{
    const uint64_t hash = hash_of(memo, key);
    uint32_t slot = (uint32_t)((hash + memo->turn % memo->ways) % memo->slots);
    bool replaces = true;
    for (uint32_t i = 0; i < memo->ways && replaces; i++) {
        const uint32_t place = (uint32_t)((hash + i) % memo->slots);
        if (!in_use(memo, place)) {
            slot = place;
            replaces = false;
        }
    }
    if (replaces) {
        memo->turn++;
    } else {
        memo->at[slot] = memo->count++;
    }
    unsigned char *entry = entry_at(memo, slot);
    entry_head *head = (entry_head *)(void *)entry;
    *head = (entry_head){ .hash = hash, .slot = slot };
    memcpy(entry + aligned(sizeof *head), key, memo->key_size);
    return entry + memo->value_at;
}

void *nnc_memo_value(const nnc_memo *memo, uint32_t index)
{
    return memo->entries + index * memo->stride + memo->value_at;
}
