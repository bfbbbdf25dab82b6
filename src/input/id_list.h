/* The ids of a folder of spec files. */
#ifndef NNCOST_INPUT_ID_LIST_H
#define NNCOST_INPUT_ID_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Starts as { 0 }; lives in the arena. */
typedef struct nnc_id_list {
    const char **ids;
    int32_t count, room;
} nnc_id_list;

/* Adds "h100" for each "h100.json" of a folder; none when it is not there. false: out of memory. */
bool nnc_id_list_folder(nnc_arena *arena, const char *path, nnc_id_list *list);
/* Sorted, each once. */
void nnc_id_list_sort(nnc_id_list *list);

#endif
