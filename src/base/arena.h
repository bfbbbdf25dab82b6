/* Memory that is freed at once. */
#ifndef NNCOST_BASE_ARENA_H
#define NNCOST_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nnc_arena nnc_arena;

nnc_arena *nnc_arena_create(void); /* NULL when out of memory */
void nnc_arena_destroy(nnc_arena *arena);
/* Zeroed and aligned for any type; NULL when out of memory. */
void *nnc_arena_alloc(nnc_arena *arena, size_t size);
/* count * size, NULL also when the product overflows. */
void *nnc_arena_array(nnc_arena *arena, size_t count, size_t size);
/* A list with room for one more than count: the old one while it has, else a copy twice as large. NULL when
 * out of memory; the old one is still good then. */
void *nnc_arena_grow(nnc_arena *arena, void *list, int32_t count, int32_t *capacity, size_t size);
/* Frees what malloc gave with the arena. false: out of memory, it is freed at once. */
bool nnc_arena_own(nnc_arena *arena, void *allocated);
char *nnc_arena_strdup(nnc_arena *arena, const char *text);

#endif
