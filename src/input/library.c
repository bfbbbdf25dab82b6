#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <nncost/spec.h>

#include "base/arena.h"
#include "base/error.h"
#include "input/file.h"
#include "input/folders.h"
#include "input/kind.h"
#include "input/place.h"

/* A spec that was asked for before. */
typedef struct loaded {
    const struct loaded *next;
    nnc_spec_kind kind;
    const char *asked;
    const void *spec;
} loaded;

struct nnc_specs {
    nnc_arena *arena;
    const loaded *loaded; /* newest first */
    nnc_folders folders;
    const char *reading[NNC_LIKE_MAX]; /* files, each like the next */
    int reading_count;
    const nnc_piped *piped; /* newest first */
    bool lenient;
};

nnc_specs *nnc_specs_open(const char *data_path)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_specs *specs = arena != NULL ? nnc_arena_alloc(arena, sizeof(*specs)) : NULL;
    if (specs != NULL) {
        specs->arena = arena;
        specs->folders.arena = arena;
        if (nnc_folders_open(&specs->folders, data_path)) {
            return specs;
        }
    }
    nnc_arena_destroy(arena);
    return NULL;
}

void nnc_specs_close(nnc_specs *specs)
{
    if (specs != NULL) {
        nnc_arena_destroy(specs->arena); /* specs itself lies there */
    }
}

nnc_arena *nnc_specs_arena(nnc_specs *specs)
{
    return specs->arena;
}

const nnc_piped **nnc_specs_piped(nnc_specs *specs)
{
    return &specs->piped;
}

void nnc_specs_set_lenient(nnc_specs *specs, bool lenient)
{
    if (specs != NULL) {
        specs->lenient = lenient;
    }
}

bool nnc_specs_are_lenient(const nnc_specs *specs)
{
    return specs->lenient;
}

bool nnc_specs_begin_like(nnc_specs *specs, const char *name)
{
    const bool begun = specs->reading_count < NNC_LIKE_MAX;
    if (begun) {
        specs->reading[specs->reading_count++] = name;
    }
    return begun;
}

void nnc_specs_end_like(nnc_specs *specs)
{
    specs->reading_count--;
}

bool nnc_specs_is_reading(const nnc_specs *specs, const char *path)
{
    int i = 0;
    while (i < specs->reading_count && strcmp(specs->reading[i], path) != 0) {
        i++;
    }
    return i < specs->reading_count;
}

nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids,
                          int32_t *count, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(ids);
    NNC_NEED(count);
    if ((unsigned)kind >= NNC_SPEC_KIND_COUNT) {
        return nnc_fail(err, NNC_BAD_USAGE, __func__, "no kind of spec, expected 0 to %d, found %d",
                        NNC_SPEC_KIND_COUNT - 1, (int)kind);
    }
    nnc_id_list list;
    if (!nnc_folders_list(&specs->folders, kind, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, nnc_spec_kinds[kind].what, "out of memory");
    }
    *ids = list.ids;
    *count = list.count;
    return NNC_OK;
}

bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list)
{
    return nnc_folders_list_folder(&specs->folders, folder, list);
}

nnc_status nnc_specs_find_spelled(nnc_specs *specs, nnc_spec_kind kind, const char *id,
                                  const char **path, nnc_error *err)
{
    *path = NULL;
    return nnc_folders_id(&specs->folders, kind, id, path, err);
}

nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                          nnc_error *err)
{
    return nnc_folders_find(&specs->folders, kind, id, path, err);
}

nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id,
                               const char **path, nnc_error *err)
{
    return nnc_folders_find_like(&specs->folders, info, id, path, err);
}

nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err)
{
    return nnc_folders_file(&specs->folders, name, path, err);
}

/* The file that an id or a path stands for. A folder of a model may be named without a stroke. */
static nnc_status find_path(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                            nnc_error *err)
{
    *path = id;
    if (!nnc_is_path(id)) {
        const nnc_status status = nnc_specs_find(specs, kind, id, path, err);
        if (status != NNC_UNKNOWN_ID || kind != NNC_SPEC_MODEL || !nnc_is_folder(id)) {
            return status;
        }
    }
    return kind == NNC_SPEC_MODEL ? nnc_place_of_model(specs, id, path, err) : NNC_OK;
}

/* Every file is read once. */
static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void **out,
                       nnc_error *err)
{
    const char *path = id;
    for (const loaded *l = specs->loaded; l != NULL; l = l->next) {
        if (l->kind == kind && strcmp(l->asked, id) == 0) {
            *out = l->spec;
            return NNC_OK;
        }
    }
    *out = NULL;
    NNC_TRY(find_path(specs, kind, id, &path, err));
    NNC_TRY(nnc_spec_load(specs, kind, path, out, err));
    loaded *added = nnc_arena_alloc(specs->arena, sizeof(*added));
    const char *asked = added != NULL ? nnc_arena_strdup(specs->arena, id) : NULL;
    if (asked != NULL) { /* else the next call reads it again */
        *added = (loaded){ specs->loaded, kind, asked, *out };
        specs->loaded = added;
    }
    return NNC_OK;
}

nnc_status nnc_device_load(nnc_specs *specs, const char *id_or_path, const nnc_device **device,
                           nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(id_or_path);
    NNC_NEED(device);
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_DEVICE, id_or_path, &spec, err);
    *device = spec;
    return status;
}

nnc_status nnc_model_load(nnc_specs *specs, const char *id_or_path, const nnc_model **model,
                          nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(id_or_path);
    NNC_NEED(model);
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_MODEL, id_or_path, &spec, err);
    *model = spec;
    return status;
}

nnc_status nnc_software_load(nnc_specs *specs, const char *id_or_path,
                             const nnc_software **software, nnc_error *err)
{
    NNC_NEED(specs);
    NNC_NEED(id_or_path);
    NNC_NEED(software);
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_SOFTWARE, id_or_path, &spec, err);
    *software = spec;
    return status;
}
