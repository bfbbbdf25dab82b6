/* Data folders: from an id, alias or path to a file.
 *
 * An id is looked up in this order, in every folder before the next step: file of this name, exact alias,
 * id in another spelling, alias in another spelling ("NVIDIA A100-SXM4-80GB" finds a100-sxm4-80gb). Aliases
 * are in the files; an index made at build time (nnc_shipped_aliases) avoids opening all of them. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "input/input_internal.h"

/* ---- the ids of a folder ---- */

static int by_name(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

/* "h100.json" -> "h100" in the arena; *id NULL if the name does not end in ".json". */
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
    const char **ids = nnc_arena_grow(arena, list->ids, list->count, &list->capacity, sizeof(*ids));
    if (ids != NULL) {
        list->ids = ids;
        list->ids[list->count++] = id;
    }
    return ids != NULL;
}

/* Remembers the first error of the system: a search that finds nothing then fails with it. */
static void note_trouble(nnc_folders *folders, const char *path, int number)
{
    if (folders->trouble.status == NNC_OK && number != 0 && number != ENOENT && number != ENOTDIR) {
        nnc_fail(&folders->trouble, NNC_IO, path, "cannot be read: %s", strerror(number));
    }
}

static bool add_folder_ids(nnc_folders *folders, const char *path, nnc_id_list *list)
{
    nnc_arena *arena = folders->arena;
    DIR *dir = opendir(path);
    if (dir == NULL) {
        note_trouble(folders, path, errno);
    }
    errno = dir != NULL ? 0 : errno;
    const struct dirent *entry = dir != NULL ? readdir(dir) : NULL;
    if (dir != NULL && entry == NULL) {
        note_trouble(folders, path, errno);
    }
    bool added = dir != NULL || errno != ENOMEM; /* a missing folder has no files */
    for (; added && entry != NULL; entry = readdir(dir)) {
        char *id;
        added = id_of(arena, entry->d_name, &id) && (id == NULL || add_id(arena, list, id));
    }
    if (dir != NULL) {
        closedir(dir);
    }
    return added;
}

static void sort_ids(nnc_id_list *list)
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

/* ---- spellings of an id ---- */

/* Words that do not change the shape: vendors at the start, suffixes at the end. */
static bool says_nothing(const char *word, size_t length, bool first)
{
    static const char *const makers[] = { "nvidia", "amd",     "intel", "google",  "aws",
                                          "tesla",  "geforce", "meta",  "instinct" };
    static const char *const endings[] = { "hf", "instruct", "chat" };
    const char *const *words = first ? makers : endings;
    const size_t count =
        first ? sizeof makers / sizeof makers[0] : sizeof endings / sizeof endings[0];
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Length of the word, or of the number with dots, at the start of text; 0 = neither. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    if (isalpha((unsigned char)text[0])) {
        while (isalpha((unsigned char)text[length])) {
            length++;
        }
        return length;
    }
    while (isdigit((unsigned char)text[length]) ||
           (length > 0 && text[length] == '.' && isdigit((unsigned char)text[length + 1]))) {
        length++;
    }
    return length;
}

static void normalise_id(const char *text, char *plain, size_t size)
{
    const char *owner = strrchr(text, '/');
    const char *from = owner != NULL ? owner + 1 : text;
    size_t used = 0;
    plain[0] = '\0';
    while (*from != '\0') {
        const size_t length = word_length(from);
        if (length == 0) {
            from++;
            continue;
        }
        if (used + length + 2 > size) {
            plain[0] = '\0'; /* too long for an id */
            return;
        }
        char *word = plain + used + (used > 0 ? 1 : 0);
        for (size_t i = 0; i < length; i++) {
            word[i] = (char)tolower((unsigned char)from[i]);
        }
        from += length;
        if (!says_nothing(word, length, used == 0)) {
            if (used > 0) {
                plain[used++] = '-';
            }
            used += length;
        }
        plain[used] = '\0';
    }
}

static bool same_id(const char *a, const char *b)
{
    char left[256], right[256];
    normalise_id(a, left, sizeof left);
    normalise_id(b, right, sizeof right);
    return left[0] != '\0' && strcmp(left, right) == 0;
}

/* ---- data folders ---- */

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

/* Adds each part of $NNCOST_PATH; skips empty parts. */
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
    size_t capacity = 3;
    for (const char *c = path; c != NULL && *c != '\0'; c++) {
        capacity += *c == ':';
    }
    folders->paths = nnc_arena_array(folders->arena, capacity, sizeof(*folders->paths));
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
    return path != NULL && add_folder_ids(folders, path, list);
}

static bool list_all(nnc_folders *folders, const nnc_spec_info *info, nnc_id_list *list)
{
    *list = (nnc_id_list){ .count = 0 };
    for (int i = 0; i < folders->count; i++) {
        if (!list_folder(folders, info, folders->paths[i], list)) {
            return false;
        }
    }
    sort_ids(list);
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

/* Comparison of two ids: exact, or in any spelling. */
typedef bool same_fn(const char *a, const char *b);

static bool equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Does the file have the alias? Searches the text, which is far cheaper than parsing it. */
static bool has_alias(nnc_folders *folders, const char *path, const char *alias, same_fn *same)
{
    char *text = NULL, one[256];
    size_t size = 0;
    nnc_error why = { 0 };
    const bool read = is_regular(path) && nnc_file_read(path, &text, &size, &why) == NNC_OK;
    if (why.status == NNC_IO && folders->trouble.status == NNC_OK) {
        folders->trouble = why;
    }
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

/* Looks an alias up in the index of the shipped files. true: the folder has that file, and the file still
 * has the alias. *path NULL: out of memory. */
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
    const bool found = one == NULL || has_alias(folders, one, alias, equal);
    *path = found ? one : NULL;
    return found;
}

/* Finds the file of a folder with this id or (aliased) alias; *path stays NULL when nothing is found. */
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
    sort_ids(&list);
    for (int32_t i = 0; i < list.count; i++) {
        const char *one = path_of(folders, info, folder, list.ids[i]);
        if (one == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
        }
        if (aliased ? has_alias(folders, one, id, same) : same(list.ids[i], id)) {
            *path = one;
            return NNC_OK;
        }
    }
    return NNC_OK;
}

/* The id that begins with the text, else the nearest by edit distance; NULL = none. */
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
    if (folders->trouble.status != NNC_OK) {
        return nnc_fail(err, NNC_IO, folders->trouble.where, "%s", folders->trouble.what);
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

/* Is the text usable as a file name in a folder? */
static bool is_usable(const char *id)
{
    return id[0] != '\0' && id[0] != '.' && strlen(id) < 256 && strstr(id, "..") == NULL &&
           strchr(id, '"') == NULL;
}

/* See the order at the top of this file. */
static nnc_status find_id(nnc_folders *folders, const nnc_spec_info *info, const char *id,
                          const char **path, nnc_error *err)
{
    static same_fn *const ways[] = { equal, same_id };
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
    for (int step = 1; step < 4;
         step++) { /* 1: exact aliases, 2: ids in any spelling, 3: aliases in any spelling */
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

/* An id of another kind is probably an argument in the wrong place. */
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

/* Device ".": the newest file that nncost.measure wrote, ID-here.json; else what nvidia-smi says. */
static nnc_status find_here(nnc_folders *folders, const char **path, nnc_error *err)
{
    time_t newest = 0;
    for (int i = 0; i < folders->count; i++) {
        nnc_id_list list = { .count = 0 };
        if (!list_folder(folders, &nnc_spec_kinds[NNC_SPEC_DEVICE], folders->paths[i], &list)) {
            return nnc_fail(err, NNC_NO_MEMORY, "DEVICE", "out of memory");
        }
        for (int32_t k = 0; k < list.count; k++) {
            const size_t size = strlen(list.ids[k]);
            const bool here = size > 5 && strcmp(list.ids[k] + size - 5, "-here") == 0;
            const char *one = here ? path_of(folders, &nnc_spec_kinds[NNC_SPEC_DEVICE],
                                             folders->paths[i], list.ids[k])
                                   : NULL;
            struct stat about;
            if (one != NULL && stat(one, &about) == 0 &&
                (*path == NULL || about.st_mtime > newest)) {
                newest = about.st_mtime;
                *path = one;
            }
        }
    }
    *path = *path != NULL ? *path : NNC_THIS_MACHINE;
    return NNC_OK;
}

nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id,
                            const char **path, nnc_error *err)
{
    *path = NULL;
    if (kind == NNC_SPEC_DEVICE && strcmp(id, ".") == 0) {
        return find_here(folders, path, err);
    }
    if (!is_usable(id)) {
        return fail_unknown(folders, &nnc_spec_kinds[kind], id, err);
    }
    NNC_TRY(nnc_folders_id(folders, kind, id, path, err));
    return *path != NULL ? NNC_OK : fail_misplaced(folders, kind, id, err);
}

bool nnc_is_pipe(const char *path)
{
    struct stat about;
    return strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0 ||
           (stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode)));
}

bool nnc_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- pipes ---- */

static nnc_status copy_piped(const nnc_piped *piped, char **text, size_t *size, nnc_error *err)
{
    *size = piped->size;
    return nnc_text_copy(piped->path, piped->text, piped->size, text, err);
}

nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size,
                          nnc_error *err)
{
    const nnc_piped **all = nnc_specs_piped(specs);
    for (const nnc_piped *piped = *all; piped != NULL; piped = piped->next) {
        if (strcmp(piped->path, path) == 0) {
            return copy_piped(piped, text, size, err);
        }
    }
    const bool pipe = nnc_is_pipe(path);
    NNC_TRY(nnc_file_read(path, text, size, err));
    if (pipe) {
        nnc_arena *arena = nnc_specs_arena(specs);
        nnc_piped *piped = nnc_arena_alloc(arena, sizeof *piped);
        char *copy = nnc_arena_alloc(arena, *size + 1);
        const char *name = nnc_arena_strdup(arena, path);
        if (piped == NULL || copy == NULL || name == NULL) {
            free(*text);
            *text = NULL;
            return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
        }
        memcpy(copy, *text, *size + 1);
        *piped = (nnc_piped){ *all, name, copy, *size };
        *all = piped;
    }
    return NNC_OK;
}

/* ---- folders that hold a model ---- */

/* folder/below/name in the arena, with single slashes; NULL = out of memory. */
static const char *path_in(nnc_specs *specs, const char *folder, const char *below,
                           const char *name)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    const size_t size = length + strlen(below) + strlen(name) + 3;
    char *path = nnc_arena_alloc(nnc_specs_arena(specs), size);
    if (path != NULL) {
        snprintf(path, size, "%.*s/%s%s%s", (int)length, folder, below, *below != '\0' ? "/" : "",
                 name);
    }
    return path;
}

/* A diffusers pipeline has the trained network in one of these folders. */
static const char *const networks[] = { "unet", "transformer", "prior", "decoder" };

static nnc_status find_network(nnc_specs *specs, const char *folder, const char **path,
                               nnc_error *err)
{
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        *path = path_in(specs, folder, networks[i], "config.json");
        if (*path == NULL) {
            return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
        }
        if (access(*path, F_OK) == 0) {
            return NNC_OK;
        }
    }
    return nnc_fail(err, NNC_IO, folder,
                    "no network in it, expected config.json, or model_index.json and "
                    "unet/config.json or transformer/config.json, found neither");
}

static nnc_status find_in_folder(nnc_specs *specs, const char *folder, const char **path,
                                 nnc_error *err)
{
    *path = path_in(specs, folder, "", "config.json");
    if (*path == NULL) {
        return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory");
    }
    return access(*path, F_OK) == 0 ? NNC_OK : find_network(specs, folder, path, err);
}

static bool is_called(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

/* ---- names on the Hugging Face hub ---- */

/* May the text be a name on the hub, "meta-llama/Llama-3.1-8B", or the folder of a copy? No name of a JSON file is. */
static bool may_be_name(const char *text)
{
    const char *slash = strrchr(text, '/');
    const size_t length = strlen(text);
    return slash != NULL && slash[1] != '\0' && text[0] != '.' &&
           !(length > 5 && strcmp(text + length - 5, ".json") == 0);
}

nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path,
                              nnc_error *err)
{
    *path = asked;
    if (nnc_is_folder(asked)) {
        return find_in_folder(specs, asked, path, err);
    }
    if (is_called(asked, "model_index.json") && access(asked, F_OK) == 0) {
        const char *slash = strrchr(asked, '/');
        char folder[512];
        snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - asked) : 1,
                 slash != NULL ? asked : ".");
        return find_network(specs, folder, path, err);
    }
    if (access(asked, F_OK) != 0 && strcmp(asked, "-") != 0 && may_be_name(asked)) {
        *path = NULL;
    }
    return NNC_OK;
}
