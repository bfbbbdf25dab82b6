/* Data folders, and the file in them that an id stands for. */
#include "input/folders.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "input/file.h"
#include "input/id_spelling.h"

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

static bool add_folder(nnc_folders *folders, const char *folder)
{
    folders->paths[folders->count] = folder;
    return folders->paths[folders->count++] != NULL;
}

/* Each part of $NNCOST_PATH; empty ones are skipped. */
static bool add_path(nnc_folders *folders, const char *path)
{
    char *rest = nnc_arena_strdup(folders->arena, path);
    bool added = rest != NULL;
    while (added && rest != NULL) {
        char *colon = strchr(rest, ':');
        if (colon != NULL) {
            *colon = '\0';
        }
        added = rest[0] == '\0' || add_folder(folders, rest);
        rest = colon != NULL ? colon + 1 : NULL;
    }
    return added;
}

bool nnc_folders_open(nnc_folders *folders, const char *data_path)
{
    const char *path = getenv("NNCOST_PATH");
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    size_t room = 3;
    for (const char *c = path; c != NULL && *c != '\0'; c++) {
        room += *c == ':';
    }
    folders->paths = nnc_arena_array(folders->arena, room, sizeof(*folders->paths));
    if (folders->paths == NULL || (path != NULL && !add_path(folders, path))) {
        return false;
    }
    /* The XDG base directory specification: a relative path counts as unset. */
    if (config != NULL && config[0] == '/') {
        if (!add_folder(folders, join(folders->arena, config, "/nncost", ""))) {
            return false;
        }
    } else if (home != NULL && home[0] != '\0') {
        if (!add_folder(folders, join(folders->arena, home, "/.config/nncost", ""))) {
            return false;
        }
    }
    return data_path == NULL || add_folder(folders, nnc_arena_strdup(folders->arena, data_path));
}

static bool list_folder(nnc_folders *folders, const nnc_spec_info *info, const char *folder,
                        nnc_id_list *list)
{
    const char *path = join(folders->arena, folder, "/", info->folder);
    return path != NULL && nnc_id_list_folder(folders->arena, path, list);
}

static bool list_all(nnc_folders *folders, const nnc_spec_info *info, nnc_id_list *list)
{
    *list = (nnc_id_list){ .count = 0 };
    for (int i = 0; i < folders->count; i++) {
        if (!list_folder(folders, info, folders->paths[i], list)) {
            return false;
        }
    }
    nnc_id_list_sort(list);
    return true;
}

bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list)
{
    return list_all(folders, &nnc_spec_kinds[kind], list);
}

bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list)
{
    const nnc_spec_info info = { .folder = folder };
    return list_all(folders, &info, list);
}

static const char *path_of(nnc_folders *folders, const nnc_spec_info *info, const char *folder,
                           const char *id)
{
    char name[320];
    snprintf(name, sizeof(name), "/%s/%.255s", info->folder, id);
    return join(folders->arena, folder, name, ".json");
}

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* How an id is compared: as it is written, or in whatever spelling. */
typedef bool same_fn(const char *a, const char *b);

static bool equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Is the alias in the file's list of them? Looked up in the text, which is far cheaper than parsing it. */
static bool has_alias(const char *path, const char *alias, same_fn *same)
{
    char *text = NULL, one[256];
    size_t size = 0;
    const bool read = is_regular(path) && nnc_file_read(path, &text, &size, NULL) == NNC_OK;
    const char *at = read ? strstr(text, "\"aliases\"") : NULL;
    const char *end = at != NULL ? strchr(at, ']') : NULL;
    bool has = false;
    for (at = end != NULL ? strchr(at, '[') : NULL; !has && at != NULL && at < end;) {
        const char *open = strchr(at, '"');
        const char *close = open != NULL ? strchr(open + 1, '"') : NULL;
        at = close != NULL && close < end ? close + 1 : NULL;
        if (at != NULL && (size_t)(close - open) < sizeof one) {
            snprintf(one, sizeof one, "%.*s", (int)(close - open - 1), open + 1);
            has = same(one, alias);
        }
    }
    free(text);
    return has;
}

/* The file that had the alias when the program was built: true where the folder has it, too. *path NULL: out of memory. */
static bool find_shipped(nnc_folders *folders, const nnc_spec_info *info, const char *folder,
                         const char *alias, const char **path)
{
    char line[320], id[256];
    const int size = snprintf(line, sizeof line, "\n%s/%s=", info->folder, alias);
    const char *at = strchr(alias, '\n') == NULL ? strstr(nnc_shipped_aliases, line) : NULL;
    if (at == NULL) {
        return false;
    }
    snprintf(id, sizeof id, "%.*s", (int)strcspn(at + size, "\n"), at + size);
    const char *one = path_of(folders, info, folder, id);
    const bool found = one == NULL || has_alias(one, alias, equal);
    *path = found ? one : NULL;
    return found;
}

/* The file of a folder that has the id or, aliased, the alias; *path stays NULL when there is none. */
static nnc_status find_in(nnc_folders *folders, const nnc_spec_info *info, const char *folder,
                          const char *id, bool aliased, same_fn *same, const char **path,
                          nnc_error *err)
{
    nnc_id_list list = { .count = 0 };
    if (aliased && same == equal && find_shipped(folders, info, folder, id, path)) {
        return *path != NULL ? NNC_OK : nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
    }
    if (!list_folder(folders, info, folder, &list)) {
        return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
    }
    nnc_id_list_sort(&list);
    for (int32_t i = 0; i < list.count; i++) {
        const char *one = path_of(folders, info, folder, list.ids[i]);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
        }
        if (aliased ? has_alias(one, id, same) : same(list.ids[i], id)) {
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

static nnc_status fail_unknown(nnc_folders *folders, const nnc_spec_info *info, const char *id,
                               nnc_error *err)
{
    char known[256];
    nnc_id_list list;
    size_t used = 0;
    if (!list_all(folders, info, &list)) {
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

/* Can it be the name of a file in a folder? */
static bool is_usable(const char *id)
{
    return id[0] != '\0' && id[0] != '.' && strlen(id) < 256 && strstr(id, "..") == NULL &&
           strchr(id, '"') == NULL;
}

/* Exact ids come first, exact aliases then. */
static nnc_status find_id(nnc_folders *folders, const nnc_spec_info *info, const char *id,
                          const char **path, nnc_error *err)
{
    static same_fn *const ways[] = { equal, nnc_id_same };
    for (int i = 0; i < folders->count; i++) {
        const char *one = path_of(folders, info, folders->paths[i], id);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, id, "out of memory");
        }
        if (access(one, F_OK) == 0) {
            *path = one;
            return is_regular(one) ? NNC_OK
                                   : nnc_fail(err, NNC_IO, one, "is no regular file, expected one");
        }
    }
    for (int step = 1; step < 4; step++) { /* aliases, ids in any spelling, aliases in any */
        const bool aliased = step % 2 == 1;
        const bool looks = !aliased || info->has_aliases;
        for (int i = 0; looks && i < folders->count && *path == NULL; i++) {
            NNC_TRY(
                find_in(folders, info, folders->paths[i], id, aliased, ways[step / 2], path, err));
        }
    }
    return NNC_OK;
}

nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                          const char **path, nnc_error *err)
{
    return find_id(folders, &nnc_spec_kinds[kind], id, path, err);
}

nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id,
                                 const char **path, nnc_error *err)
{
    *path = NULL;
    if (is_usable(id)) {
        NNC_TRY(find_id(folders, info, id, path, err));
    }
    return *path != NULL ? NNC_OK : fail_unknown(folders, info, id, err);
}

/* An id of another kind is most likely an operand in the wrong place. */
static nnc_status fail_misplaced(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                                 nnc_error *err)
{
    for (int other = 0; other < NNC_SPEC_KIND_COUNT; other++) {
        const char *path = NULL;
        if (other != (int)kind &&
            nnc_folders_id(folders, (nnc_spec_kind)other, id, &path, NULL) == NNC_OK &&
            path != NULL) {
            return nnc_fail(err, NNC_UNKNOWN_ID, nnc_spec_kinds[kind].argument,
                            "\"%.80s\" is a %s, expected a %s here", id, nnc_spec_kinds[other].what,
                            nnc_spec_kinds[kind].what);
        }
    }
    return fail_unknown(folders, &nnc_spec_kinds[kind], id, err);
}

nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path,
                            nnc_error *err)
{
    *path = NULL;
    for (int i = 0; i < folders->count && *path == NULL; i++) {
        const char *one = join(folders->arena, folders->paths[i], "/", name);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory");
        }
        *path = access(one, F_OK) == 0 ? one : NULL;
    }
    return NNC_OK;
}

nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                            const char **path, nnc_error *err)
{
    *path = NULL;
    if (!is_usable(id)) {
        return fail_unknown(folders, &nnc_spec_kinds[kind], id, err);
    }
    NNC_TRY(nnc_folders_id(folders, kind, id, path, err));
    return *path != NULL ? NNC_OK : fail_misplaced(folders, kind, id, err);
}
