#include "input/id_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

/* "h100.json" -> "h100" in the arena; *id NULL for a name that is no spec's. */
static bool id_of(nnc_arena *arena, const char *name, char **id)
{
    const size_t length = strlen(name);
    *id = NULL;
    if (name[0] == '.' || length <= 5 || strcmp(name + length - 5, ".json") != 0) {
        return true;
    }
    *id = nnc_arena_strdup(arena, name);
    if (*id != NULL) {
        (*id)[length - 5] = '\0';
    }
    return *id != NULL;
}

static bool add_id(nnc_arena *arena, nnc_id_list *list, const char *id)
{
    const char **ids = nnc_arena_grow(arena, list->ids, list->count, &list->room, sizeof(*ids));
    if (ids != NULL) {
        list->ids = ids;
        list->ids[list->count++] = id;
    }
    return ids != NULL;
}

bool nnc_id_list_folder(nnc_arena *arena, const char *path, nnc_id_list *list)
{
    DIR *dir = opendir(path);
    const struct dirent *entry = dir != NULL ? readdir(dir) : NULL;
    bool added = dir != NULL || errno != ENOMEM; /* a folder that is not there has no files */
    for (; added && entry != NULL; entry = readdir(dir)) {
        char *id;
        added = id_of(arena, entry->d_name, &id) && (id == NULL || add_id(arena, list, id));
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return added;
}

void nnc_id_list_sort(nnc_id_list *list)
{
    int32_t kept = 0;
    if (list->count > 0) {
        qsort(list->ids, (size_t)list->count, sizeof(*list->ids), by_name);
    }
    for (int32_t i = 0; i < list->count; i++) {
        if (kept == 0 || strcmp(list->ids[kept - 1], list->ids[i]) != 0) {
            list->ids[kept++] = list->ids[i];
        }
    }
    list->count = kept;
}
