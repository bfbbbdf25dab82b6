/* Arena: a list of blocks, newest first. Allocation advances a pointer in the newest block; a larger request gets its
 * own block. Nothing is freed before the arena is destroyed. */
#include <stdalign.h>

#include "base/base_internal.h"

/* Size of a block: more than a device or a model needs, so most sets of specs need only one block. */
enum { BLOCK_BYTES = 16 * 1024 };

typedef struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
} block;

typedef struct owned {
    const struct owned *next;
    void *allocated;
} owned;

struct nnc_arena {
    block *blocks; /* list of blocks, newest first */
    const owned *owned;
};

nnc_arena *nnc_arena_create(void) { return calloc(1, sizeof(nnc_arena)); }

void nnc_arena_destroy(nnc_arena *arena) {
    if (arena == NULL) { return; }
    for (const owned *o = arena->owned; o != NULL; o = o->next) { /* the arena owns memory from malloc; it is freed
                                                                   * first, because the list of it is in the blocks */
        free(o->allocated);
    }
    for (block *b = arena->blocks; b != NULL;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    free(arena);
}

static block *add_block(nnc_arena *arena, size_t need) {
    const size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    block *b = malloc(sizeof(block) + size);
    if (b == NULL) { return NULL; }
    b->next = arena->blocks;
    b->used = 0;
    b->size = size;
    arena->blocks = b;
    return b;
}

void *nnc_arena_alloc(nnc_arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > PTRDIFF_MAX - sizeof(block) - align) { return NULL; /* no object can have this many bytes */ }
    size = (size + align - 1) / align * align;
    block *b = arena->blocks;
    if (b == NULL || b->size - b->used < size) {
        b = add_block(arena, size);
        if (b == NULL) { return NULL; }
    }
    void *bytes = b->bytes + b->used;
    b->used += size;
    return memset(bytes, 0, size);
}

void *nnc_arena_array(nnc_arena *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) { return NULL; }
    return nnc_arena_alloc(arena, count * size);
}

void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size) {
    if (count < *capacity) { return list; }
    const int32_t larger = *capacity > 0 ? 2 * *capacity : 64;
    void *copy = nnc_arena_array(arena, (size_t)larger, size);
    if (copy != NULL) { *capacity = larger; }
    return copy != NULL && count > 0 ? memcpy(copy, list, (size_t)count * size) : copy;
}

char *nnc_arena_strdup(nnc_arena *arena, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = nnc_arena_alloc(arena, size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

bool nnc_arena_own(nnc_arena *arena, void *allocated) {
    owned *o = nnc_arena_alloc(arena, sizeof *o);
    if (o == NULL) {
        free(allocated);
        return false;
    }
    *o = (owned){ arena->owned, allocated };
    arena->owned = o;
    return true;
}
