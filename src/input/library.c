#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <nncost/spec.h>

#include "base/arena.h"
#include "base/error.h"
#include "input/file.h"
#include "input/json.h"
#include "input/kind.h"

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

typedef struct id_list {
    const char **ids;
    size_t count, room;
} id_list;

static bool add_id(nnc_arena *arena, id_list *list, const char *id)
{
    if (list->count == list->room) {
        const size_t room = list->room == 0 ? 64 : 2 * list->room;
        const char **larger = nnc_arena_array(arena, room, sizeof(*larger));
        if (larger == NULL) {
            return false;
        }
        if (list->count > 0) {
            memcpy(larger, list->ids, list->count * sizeof(*larger));
        }
        list->ids = larger;
        list->room = room;
    }
    list->ids[list->count++] = id;
    return true;
}

/* Adds the ids of one folder; none when it is not there. false: out of memory. */
static bool list_folder(nnc_specs *specs, nnc_spec_kind kind, const char *folder, id_list *list)
{
    const char *path = join(specs->arena, folder, "/", nnc_spec_kinds[kind].folder);
    bool added = path != NULL;
    DIR *dir = added ? opendir(path) : NULL;
    const struct dirent *entry = dir != NULL ? readdir(dir) : NULL;
    for (; added && entry != NULL; entry = readdir(dir)) {
        char *id;
        added = id_of(specs->arena, entry->d_name, &id) &&
                (id == NULL || add_id(specs->arena, list, id));
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return added;
}

/* Sorted, each once. */
static void tidy(id_list *list)
{
    size_t kept = 0;
    if (list->count > 0) {
        qsort(list->ids, list->count, sizeof(*list->ids), by_name);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || strcmp(list->ids[kept - 1], list->ids[i]) != 0) {
            list->ids[kept++] = list->ids[i];
        }
    }
    list->count = kept;
}

static bool list_all(nnc_specs *specs, nnc_spec_kind kind, id_list *list)
{
    *list = (id_list){ .count = 0 };
    for (int i = 0; i < specs->folder_count; i++) {
        if (!list_folder(specs, kind, specs->folders[i], list)) {
            return false;
        }
    }
    tidy(list);
    return true;
}

nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids,
                          int32_t *count, nnc_error *err)
{
    id_list list;
    if (!list_all(specs, kind, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, nnc_spec_kinds[kind].what, "out of memory");
    }
    *ids = list.ids;
    *count = (int32_t)list.count;
    return NNC_OK;
}

static const char *path_of(nnc_specs *specs, nnc_spec_kind kind, const char *folder, const char *id)
{
    char name[320];
    snprintf(name, sizeof(name), "/%s/%.255s", nnc_spec_kinds[kind].folder, id);
    return join(specs->arena, folder, name, ".json");
}

static bool has_alias(nnc_spec_kind kind, const void *spec, const char *alias)
{
    const nnc_spec_info *info = &nnc_spec_kinds[kind];
    const char *const *aliases;
    int32_t count;
    memcpy(&aliases, (const char *)spec + info->aliases_offset, sizeof(aliases));
    memcpy(&count, (const char *)spec + info->alias_count_offset, sizeof(count));
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(aliases[i], alias) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the file hold the alias as a text of its own? Far cheaper than parsing it. */
static bool mentions(const char *path, const char *alias)
{
    char quoted[260];
    char *text = NULL;
    size_t size = 0;
    snprintf(quoted, sizeof(quoted), "\"%.255s\"", alias);
    const bool found =
        nnc_file_read(path, &text, &size, NULL) == NNC_OK && strstr(text, quoted) != NULL;
    free(text);
    return found;
}

/* *out stays NULL when no file of the folder has the alias. A file that mentions it and cannot be
 * read is an error: it is likely the one that was meant. */
static nnc_status find_alias(nnc_specs *specs, nnc_spec_kind kind, const char *folder,
                             const char *alias, const void **out, nnc_error *err)
{
    id_list list = { .count = 0 };
    if (!list_folder(specs, kind, folder, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
    }
    tidy(&list);
    for (size_t i = 0; i < list.count; i++) {
        const char *path = path_of(specs, kind, folder, list.ids[i]);
        const void *spec = NULL;
        if (path == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
        }
        if (!mentions(path, alias)) {
            continue;
        }
        const nnc_status status = nnc_spec_load(specs->arena, kind, path, &spec, err);
        if (status != NNC_OK) {
            return status;
        }
        if (has_alias(kind, spec, alias)) {
            *out = spec;
            return NNC_OK;
        }
    }
    return NNC_OK;
}

/* The id that begins like the text, else the nearest by edit distance; NULL = none. */
static const char *nearest_id(const id_list *list, const char *text)
{
    const char *best = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const bool begins = strlen(text) >= 2 && strncasecmp(list->ids[i], text, strlen(text)) == 0;
        if (begins && (best == NULL || strlen(list->ids[i]) < strlen(best))) {
            best = list->ids[i];
        }
    }
    return best != NULL ? best : nnc_nearest(text, list->ids, list->count);
}

static nnc_status fail_unknown(nnc_specs *specs, nnc_spec_kind kind, const char *id, nnc_error *err)
{
    const nnc_spec_info *info = &nnc_spec_kinds[kind];
    char known[256];
    id_list list;
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
    for (size_t i = 0; i < list.count && used < sizeof(known); i++) {
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

static bool is_path(const char *text)
{
    const size_t length = strlen(text);
    return strchr(text, '/') != NULL || (length > 5 && strcmp(text + length - 5, ".json") == 0);
}

/* The spec of an id or an alias; *out stays NULL when there is none. */
static nnc_status find_id(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void **out,
                          nnc_error *err)
{
    for (int i = 0; i < specs->folder_count; i++) {
        const char *path = path_of(specs, kind, specs->folders[i], id);
        if (path == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, id, "out of memory");
        }
        if (access(path, F_OK) == 0) {
            return nnc_spec_load(specs->arena, kind, path, out, err);
        }
    }
    const bool aliased = nnc_spec_kinds[kind].alias_count_offset != 0;
    for (int i = 0; aliased && i < specs->folder_count; i++) {
        const nnc_status status = find_alias(specs, kind, specs->folders[i], id, out, err);
        if (status != NNC_OK || *out != NULL) {
            return status;
        }
    }
    return NNC_OK;
}

/* An id of another kind is most likely an operand in the wrong place. */
static nnc_status fail_misplaced(nnc_specs *specs, nnc_spec_kind kind, const char *id,
                                 nnc_error *err)
{
    for (int other = 0; other < NNC_SPEC_KIND_COUNT; other++) {
        const void *spec = NULL;
        if (other != (int)kind && find_id(specs, (nnc_spec_kind)other, id, &spec, NULL) == NNC_OK &&
            spec != NULL) {
            return nnc_fail(err, NNC_UNKNOWN_ID, nnc_spec_kinds[kind].argument,
                            "\"%.80s\" is a %s, expected a %s here", id, nnc_spec_kinds[other].what,
                            nnc_spec_kinds[kind].what);
        }
    }
    return fail_unknown(specs, kind, id, err);
}

static nnc_status find_and_load(nnc_specs *specs, nnc_spec_kind kind, const char *id,
                                const void **out, nnc_error *err)
{
    const bool usable = id[0] != '\0' && id[0] != '.' && strlen(id) < 256 &&
                        strstr(id, "..") == NULL && strchr(id, '"') == NULL;
    *out = NULL;
    if (is_path(id)) {
        return nnc_spec_load(specs->arena, kind, id, out, err);
    }
    if (!usable) {
        return fail_unknown(specs, kind, id, err);
    }
    const nnc_status status = find_id(specs, kind, id, out, err);
    if (status != NNC_OK || *out != NULL) {
        return status;
    }
    return fail_misplaced(specs, kind, id, err);
}

/* Every file is read once. */
static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void **out,
                       nnc_error *err)
{
    for (const loaded *l = specs->loaded; l != NULL; l = l->next) {
        if (l->kind == kind && strcmp(l->asked, id) == 0) {
            *out = l->spec;
            return NNC_OK;
        }
    }
    const nnc_status status = find_and_load(specs, kind, id, out, err);
    loaded *added = status == NNC_OK ? nnc_arena_alloc(specs->arena, sizeof(*added)) : NULL;
    const char *asked = added != NULL ? nnc_arena_strdup(specs->arena, id) : NULL;
    if (asked != NULL) { /* else the next call reads it again */
        *added = (loaded){ specs->loaded, kind, asked, *out };
        specs->loaded = added;
    }
    return status;
}

nnc_status nnc_device_load(nnc_specs *specs, const char *id_or_path, const nnc_device **device,
                           nnc_error *err)
{
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_DEVICE, id_or_path, &spec, err);
    *device = spec;
    return status;
}

nnc_status nnc_model_load(nnc_specs *specs, const char *id_or_path, const nnc_model **model,
                          nnc_error *err)
{
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_MODEL, id_or_path, &spec, err);
    *model = spec;
    return status;
}

nnc_status nnc_software_load(nnc_specs *specs, const char *id_or_path,
                             const nnc_software **software, nnc_error *err)
{
    const void *spec;
    const nnc_status status = load(specs, NNC_SPEC_SOFTWARE, id_or_path, &spec, err);
    *software = spec;
    return status;
}
