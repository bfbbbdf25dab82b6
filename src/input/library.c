#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <nncost/spec.h>

#include "base/arena.h"
#include "base/error.h"
#include "input/file.h"
#include "input/id_list.h"
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
    const char **folders; /* the first wins */
    int folder_count;
    const char *reading[NNC_LIKE_MAX]; /* files, each like the next */
    int reading_count;
    const nnc_piped *piped; /* newest first */
    bool lenient;
};

/* a + b + c in the arena; NULL when out of memory. */
static char *join(nnc_arena *arena, const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = nnc_arena_alloc(arena, size);
    if (text != NULL) {
        snprintf(text, size, "%s%s%s", a, b, c);
    }
    return text;
}

static bool add_folder(nnc_specs *specs, const char *folder)
{
    specs->folders[specs->folder_count] = folder;
    return specs->folders[specs->folder_count++] != NULL;
}

/* Each part of $NNCOST_PATH; empty ones are skipped. */
static bool add_path(nnc_specs *specs, const char *path)
{
    char *rest = nnc_arena_strdup(specs->arena, path);
    bool added = rest != NULL;
    while (added && rest != NULL) {
        char *colon = strchr(rest, ':');
        if (colon != NULL) {
            *colon = '\0';
        }
        added = rest[0] == '\0' || add_folder(specs, rest);
        rest = colon != NULL ? colon + 1 : NULL;
    }
    return added;
}

static bool add_folders(nnc_specs *specs, const char *data_path)
{
    const char *path = getenv("NNCOST_PATH");
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    size_t room = 3;
    for (const char *c = path; c != NULL && *c != '\0'; c++) {
        room += *c == ':';
    }
    specs->folders = nnc_arena_array(specs->arena, room, sizeof(*specs->folders));
    if (specs->folders == NULL || (path != NULL && !add_path(specs, path))) {
        return false;
    }
    /* The XDG base directory specification: a relative path counts as unset. */
    if (config != NULL && config[0] == '/') {
        if (!add_folder(specs, join(specs->arena, config, "/nncost", ""))) {
            return false;
        }
    } else if (home != NULL && home[0] != '\0') {
        if (!add_folder(specs, join(specs->arena, home, "/.config/nncost", ""))) {
            return false;
        }
    }
    return data_path == NULL || add_folder(specs, nnc_arena_strdup(specs->arena, data_path));
}

nnc_specs *nnc_specs_open(const char *data_path)
{
    nnc_arena *arena = nnc_arena_create();
    nnc_specs *specs = arena != NULL ? nnc_arena_alloc(arena, sizeof(*specs)) : NULL;
    if (specs != NULL) {
        specs->arena = arena;
        if (add_folders(specs, data_path)) {
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

static bool list_folder(nnc_specs *specs, nnc_spec_kind kind, const char *folder, nnc_id_list *list)
{
    const char *path = join(specs->arena, folder, "/", nnc_spec_kinds[kind].folder);
    return path != NULL && nnc_id_list_folder(specs->arena, path, list);
}

static bool list_all(nnc_specs *specs, nnc_spec_kind kind, nnc_id_list *list)
{
    *list = (nnc_id_list){ .count = 0 };
    for (int i = 0; i < specs->folder_count; i++) {
        if (!list_folder(specs, kind, specs->folders[i], list)) {
            return false;
        }
    }
    nnc_id_list_sort(list);
    return true;
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
    if (!list_all(specs, kind, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, nnc_spec_kinds[kind].what, "out of memory");
    }
    *ids = list.ids;
    *count = list.count;
    return NNC_OK;
}

static const char *path_of(nnc_specs *specs, nnc_spec_kind kind, const char *folder, const char *id)
{
    char name[320];
    snprintf(name, sizeof(name), "/%s/%.255s", nnc_spec_kinds[kind].folder, id);
    return join(specs->arena, folder, name, ".json");
}

/* Is the alias in the file's list of them? Looked up in the text, which is far cheaper than parsing it. */
static bool has_alias(const char *path, const char *alias)
{
    char quoted[260];
    char *text = NULL;
    size_t size = 0;
    const bool read = nnc_file_read(path, &text, &size, NULL) == NNC_OK;
    const char *list = read ? strstr(text, "\"aliases\"") : NULL;
    snprintf(quoted, sizeof(quoted), "\"%.255s\"", alias);
    const char *found = list != NULL ? strstr(list, quoted) : NULL;
    const char *end = list != NULL ? strchr(list, ']') : NULL;
    const bool has = found != NULL && (end == NULL || found < end);
    free(text);
    return has;
}

/* *path stays NULL when no file of the folder has the alias. */
static nnc_status find_alias(nnc_specs *specs, nnc_spec_kind kind, const char *folder,
                             const char *alias, const char **path, nnc_error *err)
{
    nnc_id_list list = { .count = 0 };
    if (!list_folder(specs, kind, folder, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
    }
    nnc_id_list_sort(&list);
    for (int32_t i = 0; i < list.count; i++) {
        const char *one = path_of(specs, kind, folder, list.ids[i]);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
        }
        if (has_alias(one, alias)) {
            *path = one;
            return NNC_OK;
        }
    }
    return NNC_OK;
}

/* The id that begins like the text, else the nearest by edit distance; NULL = none. */
static const char *nearest_id(const nnc_id_list *list, const char *text)
{
    const char *best = NULL;
    for (int32_t i = 0; i < list->count; i++) {
        const bool begins = strlen(text) >= 2 && strncasecmp(list->ids[i], text, strlen(text)) == 0;
        if (begins && (best == NULL || strlen(list->ids[i]) < strlen(best))) {
            best = list->ids[i];
        }
    }
    return best != NULL ? best : nnc_nearest(text, list->ids, (size_t)list->count);
}

static nnc_status fail_unknown(nnc_specs *specs, nnc_spec_kind kind, const char *id, nnc_error *err)
{
    const nnc_spec_info *info = &nnc_spec_kinds[kind];
    char known[256];
    nnc_id_list list;
    size_t used = 0;
    if (!list_all(specs, kind, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, info->argument, "out of memory");
    }
    if (list.count == 0) {
        return nnc_fail(err, NNC_UNKNOWN_ID, info->argument,
                        "unknown %s, expected files in the %s folder of NNCOST_PATH or of the "
                        "installed data, found none",
                        info->what, info->folder);
    }
    for (int32_t i = 0; i < list.count && used < sizeof(known); i++) {
        used += (size_t)snprintf(known + used, sizeof(known) - used, i > 0 ? ", %s" : "one of %s",
                                 list.ids[i]);
    }
    if (used >= sizeof(known)) {
        snprintf(known, sizeof(known), "an id of \"nncost list %s\" or a path", info->plural);
    }
    const char *near = nearest_id(&list, id);
    return nnc_fail(err, NNC_UNKNOWN_ID, info->argument,
                    "unknown %s, expected %s%s%s%s, found \"%.80s\"", info->what, known,
                    near != NULL ? ", nearest \"" : "", near != NULL ? near : "",
                    near != NULL ? "\"" : "", id);
}

/* The file of an id or an alias; *path stays NULL when there is none. */
static nnc_status find_id(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                          nnc_error *err)
{
    for (int i = 0; i < specs->folder_count; i++) {
        const char *one = path_of(specs, kind, specs->folders[i], id);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, id, "out of memory");
        }
        if (access(one, F_OK) == 0) {
            *path = one;
            return NNC_OK;
        }
    }
    const bool aliased = nnc_spec_kinds[kind].has_aliases;
    for (int i = 0; aliased && i < specs->folder_count && *path == NULL; i++) {
        NNC_TRY(find_alias(specs, kind, specs->folders[i], id, path, err));
    }
    return NNC_OK;
}

/* An id of another kind is most likely an operand in the wrong place. */
static nnc_status fail_misplaced(nnc_specs *specs, nnc_spec_kind kind, const char *id,
                                 nnc_error *err)
{
    for (int other = 0; other < NNC_SPEC_KIND_COUNT; other++) {
        const char *path = NULL;
        if (other != (int)kind && find_id(specs, (nnc_spec_kind)other, id, &path, NULL) == NNC_OK &&
            path != NULL) {
            return nnc_fail(err, NNC_UNKNOWN_ID, nnc_spec_kinds[kind].argument,
                            "\"%.80s\" is a %s, expected a %s here", id, nnc_spec_kinds[other].what,
                            nnc_spec_kinds[kind].what);
        }
    }
    return fail_unknown(specs, kind, id, err);
}

nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err)
{
    *path = NULL;
    for (int i = 0; i < specs->folder_count && *path == NULL; i++) {
        const char *one = join(specs->arena, specs->folders[i], "/", name);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory");
        }
        *path = access(one, F_OK) == 0 ? one : NULL;
    }
    return NNC_OK;
}

nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                          nnc_error *err)
{
    const bool usable = id[0] != '\0' && id[0] != '.' && strlen(id) < 256 &&
                        strstr(id, "..") == NULL && strchr(id, '"') == NULL;
    *path = NULL;
    if (!usable) {
        return fail_unknown(specs, kind, id, err);
    }
    NNC_TRY(find_id(specs, kind, id, path, err));
    return *path != NULL ? NNC_OK : fail_misplaced(specs, kind, id, err);
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
