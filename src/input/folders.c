/* Finds a file in the data folders by an id, alias or path.
 *
 * The search for an id has four steps: a file of this name, an exact alias, an id in another spelling, an alias in
 * another spelling ("NVIDIA A100-SXM4-80GB" finds a100-sxm4-80gb). Each step searches every folder. Files contain their
 * aliases. An index made at build time (nnc_shipped_aliases) avoids opening all files. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "input/input_internal.h"

/* ---- lists the ids of a folder ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Makes an id from a file name: "h100.json" -> "h100". Writes the id, allocated in the arena, to *id; writes NULL if
 * the name does not end in ".json". Returns false if memory ran out. */
static bool id_of(nnc_arena *arena, const char *name, char **id) {
    *id = NULL;
    if (name[0] == '.' || !nnc_ends_in(name, ".json")) { return true; }
    *id = nnc_arena_strdup(arena, name);
    if (*id != NULL) { (*id)[strlen(name) - strlen(".json")] = '\0'; }
    return *id != NULL;
}

static bool add_id(nnc_arena *arena, nnc_id_list *list, const char *id) {
    const char **ids = nnc_arena_grow(arena, list->ids, list->count, &list->capacity, sizeof(*ids));
    if (ids == NULL) { return false; }
    list->ids = ids;
    list->ids[list->count++] = id;
    return true;
}

/* Stores the first error of the operating system, such as an unreadable folder. nncost reports this error if no folder
 * has the file that nncost searches. */
static void note_trouble(nnc_folders *folders, const char *path, int number) {
    if (folders->trouble.status == NNC_OK && number != 0 && number != ENOENT && number != ENOTDIR &&
        number != ENAMETOOLONG) {
        nnc_fail(&folders->trouble, NNC_IO, path, "cannot be read: %s", strerror(number));
    }
}

nnc_status nnc_folders_trouble(const nnc_folders *folders, nnc_error *err) {
    return folders->trouble.status == NNC_OK
               ? NNC_OK
               : nnc_fail(err, NNC_IO, folders->trouble.where, "%s", folders->trouble.what);
}

static bool add_folder_ids(nnc_folders *folders, const char *path, nnc_id_list *list) {
    nnc_arena *arena = folders->arena;
    DIR *dir = opendir(path);
    if (dir == NULL) { note_trouble(folders, path, errno); }
    bool added = dir != NULL || errno != ENOMEM; /* a missing folder is treated as a folder without files; only a lack
                                                  * of memory is an error */
    for (const struct dirent *entry; added && dir != NULL;) {
        char *id;
        errno = 0; /* readdir returns NULL at the end of the folder and after an error; errno is not 0 after an error */
        entry = readdir(dir);
        if (entry == NULL) {
            note_trouble(folders, path, errno);
            break;
        }
        added = id_of(arena, entry->d_name, &id) && (id == NULL || add_id(arena, list, id));
    }
    if (dir != NULL) { closedir(dir); }
    return added;
}

static void sort_ids(nnc_id_list *list) {
    int32_t kept = 0;
    if (list->count > 0) { qsort(list->ids, (size_t)list->count, sizeof(*list->ids), by_name); }
    for (int32_t i = 0; i < list->count; i++) {
        if (kept == 0 || strcmp(list->ids[kept - 1], list->ids[i]) != 0) { list->ids[kept++] = list->ids[i]; }
    }
    list->count = kept;
}

/* ---- compares ids in any spelling ---- */

/* Tests whether a word is left out when two names are compared. At the start of a name (first = true), vendors such as
 * "nvidia" are left out; at other places, endings such as "instruct" are left out. */
static bool says_nothing(const char *word, size_t length, bool first) {
    static const char *const makers[] = { "nvidia",  "amd",  "intel",    "google", "aws",   "tesla",
                                          "geforce", "meta", "instinct", "radeon", "apple", "graphics" };
    static const char *const endings[] = { "hf", "instruct", "chat", "gpu", "graphics", "generation" };
    const char *const *words = first ? makers : endings;
    const size_t count = first ? sizeof makers / sizeof makers[0] : sizeof endings / sizeof endings[0];
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word, length) == 0) { return true; }
    }
    return false;
}

/* Returns the length of the word of letters, or of the number with dots, at the start of a text; 0 = no such word. */
static size_t word_length(const char *text) {
    size_t length = 0;
    if (isalpha((unsigned char)text[0])) {
        while (isalpha((unsigned char)text[length])) { length++; }
        return length;
    }
    while (isdigit((unsigned char)text[length]) ||
           (length > 0 && text[length] == '.' && isdigit((unsigned char)text[length + 1]))) {
        length++;
    }
    return length;
}

static void normalise_id(const char *text, char *plain, size_t size) {
    const char *owner = strrchr(text, '/');
    const char *from = owner != NULL ? owner + 1 : text;
    size_t used = 0;
    plain[0] = '\0';
    while (*from != '\0') {
        size_t length = word_length(from);
        if (length == 0) {
            from++;
            continue;
        }
        if (used + length + 3 > size) {
            plain[0] = '\0'; /* the name is longer than any id; the result "" is equal to no id */
            return;
        }
        char *word = plain + used + (used > 0 ? 1 : 0);
        for (size_t i = 0; i < length; i++) { word[i] = (char)tolower((unsigned char)from[i]); }
        from += length;
        if (length == 1 && word[0] == 'g' && word > plain + 1 && isdigit((unsigned char)word[-2])) {
            word[length++] = 'b'; /* in the name of a device, "40g" is completed to "40gb" */
        }
        if (!says_nothing(word, length, used == 0)) {
            if (used > 0) { plain[used++] = '-'; }
            used += length;
        }
        plain[used] = '\0';
    }
}

/* A name that is looked up, and the name as normalise_id writes it. */
typedef struct asked_id {
    const char *id;
    char plain[256];
} asked_id;

/* Tests whether an id or alias is the wanted name in any spelling. */
static bool is_like(const char *id, const asked_id *name) {
    char plain[256];
    normalise_id(id, plain, sizeof plain);
    return plain[0] != '\0' && strcmp(plain, name->plain) == 0;
}

/* ---- data folders ---- */

static char *join_all(nnc_arena *arena, const char *const parts[], size_t count) {
    size_t size = 1;
    for (size_t i = 0; i < count; i++) { size += strlen(parts[i]); }
    char *text = nnc_arena_alloc(arena, size), *end = text;
    for (size_t i = 0; text != NULL && i < count; i++) {
        const size_t length = strlen(parts[i]);
        memcpy(end, parts[i], length + 1);
        end += length;
    }
    return text;
}

/* Returns the string that consists of a, b and c, allocated in the arena; NULL = out of memory. */
static char *join(nnc_arena *arena, const char *a, const char *b, const char *c) {
    return join_all(arena, (const char *const[]){ a, b, c }, 3);
}

static bool add_folder(nnc_folders *folders, const char *folder) {
    folders->paths[folders->count] = folder;
    return folders->paths[folders->count++] != NULL;
}

/* Adds each folder of $NNCOST_PATH to the data folders; skips empty parts. Returns false if memory ran out. */
static bool add_path(nnc_folders *folders, const char *path) {
    char *rest = nnc_arena_strdup(folders->arena, path);
    bool added = rest != NULL;
    while (added && rest != NULL) {
        char *colon = strchr(rest, NNC_PATH_SEPARATOR);
        if (colon != NULL) { *colon = '\0'; }
        added = rest[0] == '\0' || add_folder(folders, rest);
        rest = colon != NULL ? colon + 1 : NULL;
    }
    return added;
}

bool nnc_folders_open(nnc_folders *folders, const char *data_path) {
    const char *path = getenv("NNCOST_PATH");
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv(NNC_HOME_VARIABLE);
    size_t capacity = 3;
    for (const char *c = path; c != NULL && *c != '\0'; c++) { capacity += *c == NNC_PATH_SEPARATOR; }
    folders->paths = nnc_arena_array(folders->arena, capacity, sizeof(*folders->paths));
    if (folders->paths == NULL || (path != NULL && !add_path(folders, path))) { return false; }
    /* a relative path is skipped, as the XDG base directory specification requires */
    if (config != NULL && config[0] == '/') {
        if (!add_folder(folders, join(folders->arena, config, "/nncost", ""))) { return false; }
    } else if (home != NULL && home[0] != '\0') {
        if (!add_folder(folders, join(folders->arena, home, "/.config/nncost", ""))) { return false; }
    }
    return data_path == NULL || add_folder(folders, nnc_arena_strdup(folders->arena, data_path));
}

static bool list_folder(nnc_folders *folders, const nnc_spec_info *info, const char *folder, nnc_id_list *list) {
    const char *path = join(folders->arena, folder, "/", info->folder);
    return path != NULL && add_folder_ids(folders, path, list);
}

static bool list_all(nnc_folders *folders, const nnc_spec_info *info, nnc_id_list *list) {
    *list = (nnc_id_list){ .count = 0 };
    for (int i = 0; i < folders->count; i++) {
        if (!list_folder(folders, info, folders->paths[i], list)) { return false; }
    }
    sort_ids(list);
    return true;
}

bool nnc_folders_list(nnc_folders *folders, nnc_spec_kind kind, nnc_id_list *list) {
    return list_all(folders, &nnc_spec_kinds[kind], list);
}

bool nnc_folders_list_folder(nnc_folders *folders, const char *folder, nnc_id_list *list) {
    const nnc_spec_info info = { .folder = folder };
    return list_all(folders, &info, list);
}

static const char *path_of(nnc_folders *folders, const nnc_spec_info *info, const char *folder, const char *id) {
    const char *const parts[] = { folder, "/", info->folder, "/", id, ".json" };
    return join_all(folders->arena, parts, NNC_COUNT_OF(parts));
}

static bool is_regular(nnc_folders *folders, const char *path) {
    struct stat about;
    const bool found = stat(path, &about) == 0;
    note_trouble(folders, path, found ? 0 : errno);
    return found && S_ISREG(about.st_mode);
}

/* Ways in which a file can match a name. If several files match, the file with the way that is listed first is used. */
enum { BY_ALIAS, BY_LIKE_ID, BY_LIKE_ALIAS, WAYS };

/* Searches the aliases of a file for a name. If an alias is equal to the name, sets paths[BY_ALIAS] to the path of the
 * file. If an alias is the name in another spelling, sets paths[BY_LIKE_ALIAS], unless paths[BY_LIKE_ALIAS] was set for
 * an earlier file. Searches the text of the file, because parsing the file takes much longer. */
static void find_alias(nnc_folders *folders, const char *path, const asked_id *name, const char *paths[WAYS]) {
    char *text = NULL, one[256];
    size_t size = 0;
    nnc_error why = { 0 };
    const bool read = is_regular(folders, path) && nnc_file_read(path, &text, &size, &why) == NNC_OK;
    if (why.status == NNC_IO && folders->trouble.status == NNC_OK) { folders->trouble = why; }
    const char *at = read ? strstr(text, "\"aliases\"") : NULL;
    const char *end = at != NULL ? strchr(at, ']') : NULL;
    bool same = false, like = false;
    for (at = end != NULL ? strchr(at, '[') : NULL; !same && at != NULL && at < end;) {
        const char *open = strchr(at, '"');
        const char *close = open != NULL ? strchr(open + 1, '"') : NULL;
        at = close != NULL && close < end ? close + 1 : NULL;
        if (at != NULL && (size_t)(close - open) < sizeof one) {
            snprintf(one, sizeof one, "%.*s", (int)(close - open - 1), open + 1);
            same = strcmp(one, name->id) == 0;
            like = like || (paths[BY_LIKE_ALIAS] == NULL && is_like(one, name));
        }
    }
    if (same || like) {
        paths[same ? BY_ALIAS : BY_LIKE_ALIAS] = path;
        free(folders->text);
        folders->text = text;
        folders->text_of = path;
        folders->text_size = size;
    } else {
        free(text);
    }
}

/* Looks an alias up in the index of the shipped files, which was made at build time. If the index names a file that is
 * in the folder and still has the alias, sets paths[BY_ALIAS] to the path of this file and returns true. */
static bool find_shipped(nnc_folders *folders, const nnc_spec_info *info, const char *folder, const asked_id *name,
                         const char *paths[WAYS]) {
    char line[320], id[256];
    const int size = snprintf(line, sizeof line, "\n%s/%s=", info->folder, name->id);
    const char *at = strchr(name->id, '\n') == NULL ? strstr(nnc_shipped_aliases, line) : NULL;
    if (at == NULL) { return false; }
    snprintf(id, sizeof id, "%.*s", (int)strcspn(at + size, "\n"), at + size);
    const char *one = path_of(folders, info, folder, id);
    if (one != NULL) { find_alias(folders, one, name, paths); }
    return paths[BY_ALIAS] != NULL;
}

/* Searches one folder for files that match a name, and sets one path for each way to match. The search ends at the
 * first file that has the name as its alias. */
static nnc_status find_in(nnc_folders *folders, const nnc_spec_info *info, const char *folder, const asked_id *name,
                          const char *paths[WAYS], nnc_error *err) {
    nnc_id_list list = { .count = 0 };
    if (info->has_aliases && find_shipped(folders, info, folder, name, paths)) { return NNC_OK; }
    if (!list_folder(folders, info, folder, &list)) { return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory"); }
    sort_ids(&list);
    for (int32_t i = 0; i < list.count && paths[BY_ALIAS] == NULL; i++) {
        const char *one = path_of(folders, info, folder, list.ids[i]);
        if (one == NULL) { return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory"); }
        if (info->has_aliases) { find_alias(folders, one, name, paths); }
        if (paths[BY_LIKE_ID] == NULL && is_like(list.ids[i], name)) { paths[BY_LIKE_ID] = one; }
    }
    return NNC_OK;
}

enum { PLAIN_MAX = 128 };

/* Copies the letters and digits of a name, in lower case. Leaves out everything up to the last slash: "Qwen/Qwen3-8B"
 * -> "qwen38b". */
static void squeeze(const char *name, char text[PLAIN_MAX]) {
    const char *slash = strrchr(name, '/');
    nnc_letters_of(slash != NULL ? slash + 1 : name, text, PLAIN_MAX);
}

/* Returns the name that is most similar to a text: the shortest that begins with the text, or else the shortest that
 * contains the text, or else the one with the smallest edit distance; NULL = none. Compares only letters and digits. */
static const char *nearest_of(const char *text, const char *const *names, int32_t count) {
    const char *best[2] = { NULL, NULL };
    char wanted[PLAIN_MAX], name[PLAIN_MAX];
    squeeze(text, wanted);
    for (int32_t i = 0; i < count && strlen(wanted) >= 2; i++) {
        squeeze(names[i], name);
        const char *at = strstr(name, wanted);
        const char **place = at == NULL ? NULL : at == name ? &best[0] : strlen(wanted) >= 4 ? &best[1] : NULL;
        if (place != NULL && (*place == NULL || strlen(names[i]) < strlen(*place))) { *place = names[i]; }
    }
    return best[0] != NULL ? best[0] : best[1] != NULL ? best[1] : nnc_nearest(text, names, (size_t)count);
}

/* Tests whether a text can be used as the name of a file in a data folder. */
static bool is_usable(const char *id) {
    return id[0] != '\0' && id[0] != '.' && strlen(id) < 256 && strstr(id, "..") == NULL && strchr(id, '"') == NULL;
}

static nnc_status find_id(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                          nnc_error *err);

/* Returns the number of devices of a cloud server in the list "instances" of a device file; 0 = unknown server. */
static int instance_devices(nnc_folders *folders, const char *path, const char *name) {
    char *text = NULL;
    size_t size = 0;
    double devices = 0.0;
    if (nnc_file_read(path, &text, &size, NULL) != NNC_OK) { return 0; }
    nnc_faults faults = { .name = path };
    nnc_json_doc doc = { .faults = &faults, .arena = folders->arena, .text = text, .size = size };
    if (nnc_json_parse(&doc)) {
        nnc_json at = nnc_json_first(nnc_json_get(nnc_json_root(&doc), "instances"));
        while (at.node != NULL && strcasecmp(nnc_json_key(at), name) != 0) { at = nnc_json_next(at); }
        devices = at.node != NULL && nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : 0.0;
    }
    nnc_json_free(&doc);
    free(text);
    return devices >= 1.0 && devices <= 1e6 ? (int)devices : 0;
}

/* Reads "8xH100", "8 x h100", "h100x8" or "h100:8". Returns the number of devices and writes the name of
 * the device to `name`; 0 = the text has another form. */
static int counted(const char *text, char *name, size_t size) {
    char *end = NULL;
    const long before = strtol(text, &end, 10);
    end += strspn(end, " ");
    if (before > 0 && before <= 1000000 && (*end == 'x' || *end == 'X') && end[1] != '\0') {
        snprintf(name, size, "%s", end + 1 + strspn(end + 1, " "));
        return (int)before;
    }
    const char *mark = strrchr(text, ':');
    mark = mark != NULL ? mark : strrchr(text, 'x') > strrchr(text, 'X') ? strrchr(text, 'x') : strrchr(text, 'X');
    const long after = mark != NULL ? strtol(mark + 1, &end, 10) : 0;
    if (after <= 0 || after > 1000000 || *end != '\0' || mark == text) { return 0; }
    snprintf(name, size, "%.*s", (int)(mark - text), text);
    for (size_t length = strlen(name); length > 0 && name[length - 1] == ' '; length--) { name[length - 1] = '\0'; }
    return (int)after;
}

static bool is_device(nnc_folders *folders, const char *name) {
    const char *path = NULL;
    return is_usable(name) && find_id(folders, &nnc_spec_kinds[NNC_SPEC_DEVICE], name, &path, NULL) == NNC_OK &&
           path != NULL;
}

/* Tests whether an unknown device name means a cloud server, several devices ("8xH100"), the device of this machine, or
 * all cards of a vendor. If the result is true, writes to `known` the words that the user can write instead. */
static bool expected_device(nnc_folders *folders, const char *id, const nnc_id_list *list, char *known, size_t size) {
    static const char *const here[] = { "cuda", "gpu", "local", "auto", "cuda:0", "mps", "cpu", "rocm", "xpu", NULL };
    static const char *const groups[] = { "nvidia", "amd", "intel", "apple", "geforce", "rtx", "radeon", NULL };
    const nnc_spec_info *info = &nnc_spec_kinds[NNC_SPEC_DEVICE];
    const char *plain = strncasecmp(id, "standard_", 9) == 0 ? id + 9 : id;
    const char *path = NULL;
    char one[80];
    const int count = counted(id, one, sizeof one);
    if (count > 0 && is_device(folders, one)) {
        snprintf(known, size, "one device, its number with --devices: \"%s --devices %d\"", one, count);
        return true;
    }
    for (int i = 0; groups[i] != NULL; i++) {
        if (strcasecmp(groups[i], id) == 0) {
            snprintf(known, size, "one device of those that \"nncost list devices %s\" shows", groups[i]);
            return true;
        }
    }
    for (int i = 0; here[i] != NULL; i++) {
        if (strcasecmp(here[i], id) == 0) {
            snprintf(known, size,
                     "the name of a card of \"nncost list devices\", or \".\" for the card of this machine");
            return true;
        }
    }
    for (int32_t i = 0; i < list->count; i++) {
        path = NULL;
        const bool found = find_id(folders, info, list->ids[i], &path, NULL) == NNC_OK && path != NULL;
        const int devices = found ? instance_devices(folders, path, plain) : 0;
        if (devices > 0) {
            snprintf(known, size, "a device; this server has %s: \"%s --devices %d\"", list->ids[i], list->ids[i],
                     devices);
            return true;
        }
    }
    for (const char *space = strpbrk(id, " -_"); space != NULL; space = strpbrk(space + 1, " -_")) {
        if (!is_device(folders, space + 1)) { continue; }
        snprintf(known, size, "the name of the device alone: \"%s\"", space + 1);
        return true;
    }
    return false;
}

const char *nnc_folders_nearest_alias(nnc_folders *folders, const nnc_spec_info *info, const char *id) {
    enum { ALIASES_MAX = 1024 };
    const char *names[ALIASES_MAX], *path = NULL;
    int32_t count = 0;
    char line[64], *text = nnc_arena_strdup(folders->arena, nnc_shipped_aliases);
    snprintf(line, sizeof line, "\n%s/", info->folder);
    for (char *at = text != NULL ? strstr(text, line) : NULL; at != NULL && count < ALIASES_MAX;) {
        char *name = at + strlen(line), *end = strchr(name, '=');
        names[count++] = name;
        at = strstr(end, line);
        *end = '\0';
    }
    const char *near = nearest_of(id, names, count);
    return near != NULL && find_id(folders, info, near, &path, NULL) == NNC_OK && path != NULL ? near : NULL;
}

/* Returns the longest of `names` with which a text begins: "mi250x" for "mi250x-gcd". NULL = the text begins with none
 * of `names`. */
static const char *start_of(const char *text, const char *const *names, int32_t count) {
    const char *best = NULL;
    for (int32_t i = 0; i < count; i++) {
        const size_t letters = strlen(names[i]);
        if (letters >= 4 && strncasecmp(text, names[i], letters) == 0 && (best == NULL || letters > strlen(best))) {
            best = names[i];
        }
    }
    return best;
}

/* Reports an id for which no folder has a file. The error suggests the most similar id. other: a name, such as a hub
 * name, that the error suggests if no id is similar; NULL = there is no other name. */
static nnc_status fail_unknown(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char *other,
                               nnc_error *err) {
    char known[256];
    nnc_id_list list;
    size_t used = 0;
    if (!list_all(folders, info, &list)) { return nnc_fail(err, NNC_NO_MEMORY, info->argument, "out of memory"); }
    NNC_TRY(nnc_folders_trouble(folders, err));
    if (list.count == 0) {
        return nnc_fail(err, NNC_UNKNOWN_ID, info->argument,
                        "unknown %s, expected files in the %s folder of NNCOST_PATH or of the "
                        "installed data, found none",
                        info->what, info->folder);
    }
    for (int32_t i = 0; i < list.count && used < sizeof(known); i++) {
        used += (size_t)snprintf(known + used, sizeof(known) - used, i > 0 ? ", %s" : "one of %s", list.ids[i]);
    }
    if (used >= sizeof(known)) {
        snprintf(known, sizeof(known), "an id of \"nncost list %s\" or a path%s", info->plural,
                 info == &nnc_spec_kinds[NNC_SPEC_MODEL] ? ", such as a recording by \"python3 -m nncost.capture\""
                                                         : "");
    }
    const char *near = NULL;
    if (info != &nnc_spec_kinds[NNC_SPEC_DEVICE] || !expected_device(folders, id, &list, known, sizeof(known))) {
        near = nearest_of(id, list.ids, list.count);
        near = near == NULL && info->has_aliases ? nnc_folders_nearest_alias(folders, info, id) : near;
    }
    const bool closer = other != NULL && nnc_nearer(id, other, near);
    near = closer ? other : near != NULL ? near : start_of(id, list.ids, list.count);
    if (strchr(id, ',') != NULL) {
        return nnc_fail(err, NNC_UNKNOWN_ID, info->argument,
                        "expected one %s, found \"%.80s\"; 'compare' and 'sweep' take several", info->what, id);
    }
    return nnc_fail(err, NNC_UNKNOWN_ID, info->argument, "unknown %s, expected %s%s%s%s, found \"%.80s\"", info->what,
                    known, near != NULL ? ", nearest \"" : "", near != NULL ? near : "", near != NULL ? "\"" : "", id);
}

/* Finds the file for an id in four steps: a file with this name; a file with exactly this alias; a file whose name is
 * the id in another spelling; a file with the alias in another spelling. */
static nnc_status find_id(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                          nnc_error *err) {
    const char *paths[WAYS] = { NULL };
    asked_id name = { .id = id };
    for (int i = 0; i < folders->count; i++) {
        const char *one = path_of(folders, info, folders->paths[i], id);
        if (one == NULL) { return nnc_fail(err, NNC_NO_MEMORY, id, "out of memory"); }
        struct stat about;
        if (stat(one, &about) == 0) {
            *path = one;
            return S_ISREG(about.st_mode) ? NNC_OK : nnc_fail(err, NNC_IO, one, "expected a regular file");
        }
        note_trouble(folders, one, errno);
    }
    normalise_id(id, name.plain, sizeof name.plain);
    for (int i = 0; i < folders->count && paths[BY_ALIAS] == NULL; i++) {
        NNC_TRY(find_in(folders, info, folders->paths[i], &name, paths, err));
    }
    for (int way = 0; way < WAYS && *path == NULL; way++) { *path = paths[way]; }
    return NNC_OK;
}

nnc_status nnc_folders_id(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err) {
    return is_usable(id) ? find_id(folders, &nnc_spec_kinds[kind], id, path, err) : NNC_OK;
}

nnc_status nnc_folders_find_like(nnc_folders *folders, const nnc_spec_info *info, const char *id, const char **path,
                                 nnc_error *err) {
    *path = NULL;
    if (is_usable(id)) { NNC_TRY(find_id(folders, info, id, path, err)); }
    return *path != NULL ? NNC_OK : fail_unknown(folders, info, id, NULL, err);
}

nnc_status nnc_folders_unknown(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char *near,
                               nnc_error *err) {
    for (int other = 0; other < NNC_SPEC_KIND_COUNT; other++) {
        const char *path = NULL;
        if (other != (int)kind && nnc_folders_id(folders, (nnc_spec_kind)other, id, &path, NULL) == NNC_OK &&
            path != NULL) {
            return nnc_fail(err, NNC_UNKNOWN_ID, nnc_spec_kinds[kind].argument, "\"%.80s\" is a %s, expected a %s here",
                            id, nnc_spec_kinds[other].what, nnc_spec_kinds[kind].what);
        }
    }
    return fail_unknown(folders, &nnc_spec_kinds[kind], id, near, err);
}

nnc_status nnc_folders_file(nnc_folders *folders, const char *name, const char **path, nnc_error *err) {
    *path = NULL;
    for (int i = 0; i < folders->count && *path == NULL; i++) {
        const char *one = join(folders->arena, folders->paths[i], "/", name);
        if (one == NULL) { return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory"); }
        if (access(one, F_OK) == 0) {
            *path = one;
        } else {
            note_trouble(folders, one, errno);
        }
    }
    return *path != NULL ? NNC_OK : nnc_folders_trouble(folders, err);
}

/* Finds the file of the device ".": the newest file ID-here.json, which nncost.measure writes. If no data folder has a
 * file ID-here.json, nncost reads the device "." from the output of nvidia-smi. */
static nnc_status find_here(nnc_folders *folders, const char **path, nnc_error *err) {
    time_t newest = 0;
    for (int i = 0; i < folders->count; i++) {
        nnc_id_list list = { .count = 0 };
        if (!list_folder(folders, &nnc_spec_kinds[NNC_SPEC_DEVICE], folders->paths[i], &list)) {
            return nnc_fail(err, NNC_NO_MEMORY, "DEVICE", "out of memory");
        }
        for (int32_t k = 0; k < list.count; k++) {
            const size_t size = strlen(list.ids[k]);
            const bool here = size > 5 && strcmp(list.ids[k] + size - 5, "-here") == 0;
            const char *one =
                here ? path_of(folders, &nnc_spec_kinds[NNC_SPEC_DEVICE], folders->paths[i], list.ids[k]) : NULL;
            struct stat about;
            if (one != NULL && stat(one, &about) == 0 && (*path == NULL || about.st_mtime > newest)) {
                newest = about.st_mtime;
                *path = one;
            }
        }
    }
    *path = *path != NULL ? *path : NNC_THIS_MACHINE;
    return NNC_OK;
}

nnc_status nnc_folders_find(nnc_folders *folders, nnc_spec_kind kind, const char *id, const char **path,
                            nnc_error *err) {
    *path = NULL;
    if (kind == NNC_SPEC_DEVICE && strcmp(id, ".") == 0) { return find_here(folders, path, err); }
    if (!is_usable(id)) { return fail_unknown(folders, &nnc_spec_kinds[kind], id, NULL, err); }
    NNC_TRY(nnc_folders_id(folders, kind, id, path, err));
    return *path != NULL ? NNC_OK : nnc_folders_unknown(folders, kind, id, NULL, err);
}

bool nnc_is_pipe(const char *path) {
    struct stat about;
    return strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0 ||
           (stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode)));
}

bool nnc_is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- texts that are read from pipes, or kept in memory ---- */

static nnc_status copy_piped(const nnc_piped *piped, char **text, size_t *size, nnc_error *err) {
    *size = piped->size;
    return nnc_text_copy(piped->path, piped->text, piped->size, text, err);
}

const nnc_piped *nnc_specs_kept(nnc_specs *specs, const char *path) {
    const nnc_piped *piped = *nnc_specs_piped(specs);
    while (piped != NULL && strcmp(piped->path, path) != 0) { piped = piped->next; }
    return piped;
}

nnc_status nnc_specs_keep(nnc_specs *specs, const char *path, const char *text, size_t size, nnc_error *err) {
    const nnc_piped **all = nnc_specs_piped(specs);
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_piped *piped = nnc_arena_alloc(arena, sizeof *piped);
    char *copy = nnc_arena_alloc(arena, size + 1);
    const char *name = nnc_arena_strdup(arena, path);
    if (piped == NULL || copy == NULL || name == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    memcpy(copy, text, size);
    copy[size] = '\0';
    *piped = (nnc_piped){ *all, name, copy, size };
    *all = piped;
    return NNC_OK;
}

nnc_status nnc_specs_read(nnc_specs *specs, const char *path, char **text, size_t *size, nnc_error *err) {
    const nnc_piped *kept = nnc_specs_kept(specs, path);
    if (kept != NULL) { return copy_piped(kept, text, size, err); }
    if (nnc_specs_take_text(specs, path, text, size)) { return NNC_OK; }
    const bool pipe = nnc_is_pipe(path);
    NNC_TRY(nnc_file_read(path, text, size, err));
    const nnc_status status = pipe ? nnc_specs_keep(specs, path, *text, *size, err) : NNC_OK;
    if (status != NNC_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* ---- finds the model in a folder ---- */

/* Returns the path folder/below/name, allocated in the arena, without double slashes; NULL = out of memory. */
static const char *path_in(nnc_specs *specs, const char *folder, const char *below, const char *name) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') { length--; }
    const size_t size = length + strlen(below) + strlen(name) + 3;
    char *path = nnc_arena_alloc(nnc_specs_arena(specs), size);
    if (path != NULL) {
        snprintf(path, size, "%.*s/%s%s%s", (int)length, folder, below, *below != '\0' ? "/" : "", name);
    }
    return path;
}

/* subfolders of a diffusers pipeline; the first of these subfolders that exists has the trained network */
static const char *const networks[] = { "unet", "transformer", "prior", "decoder" };

static nnc_status find_network(nnc_specs *specs, const char *folder, const char **path, nnc_error *err) {
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        *path = path_in(specs, folder, networks[i], "config.json");
        if (*path == NULL) { return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory"); }
        if (access(*path, F_OK) == 0) { return NNC_OK; }
    }
    return nnc_fail(err, NNC_IO, folder,
                    "contains no network, expected config.json, or model_index.json and "
                    "unet/config.json or transformer/config.json, found neither");
}

static nnc_status find_in_folder(nnc_specs *specs, const char *folder, const char **path, nnc_error *err) {
    *path = path_in(specs, folder, "", "config.json");
    if (*path == NULL) { return nnc_fail(err, NNC_NO_MEMORY, folder, "out of memory"); }
    return access(*path, F_OK) == 0 ? NNC_OK : find_network(specs, folder, path, err);
}

static bool is_called(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, name) == 0;
}

/* ---- finds models by their names on the Hugging Face hub ---- */

/* Tests whether a text can be a name on the Hugging Face hub, such as "meta-llama/Llama-3.1-8B", or the path of a
 * folder with a copy of the model. Returns false for the name of a JSON file. */
static bool may_be_name(const char *text) {
    const char *slash = strrchr(text, '/');
    return slash != NULL && slash[1] != '\0' && text[0] != '.' && !nnc_ends_in(text, ".json");
}

nnc_status nnc_place_of_model(nnc_specs *specs, const char *asked, const char **path, nnc_error *err) {
    *path = asked;
    if (nnc_is_folder(asked)) { return find_in_folder(specs, asked, path, err); }
    if (is_called(asked, "model_index.json") && access(asked, F_OK) == 0) {
        const char *slash = strrchr(asked, '/');
        char folder[512];
        snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - asked) : 1, slash != NULL ? asked : ".");
        return find_network(specs, folder, path, err);
    }
    if (access(asked, F_OK) != 0 && strcmp(asked, "-") != 0 && may_be_name(asked)) { *path = NULL; }
    return NNC_OK;
}

/* ---- Looks up names of the Hugging Face hub: from "unsloth/Llama-3.2-1B-Instruct-bnb-4bit" to a file with the
 * dimensions of the network (its shape). ----
 *
 * The file hub/names.json has the names of each shape, words that do not change a shape, and words for weight formats.
 * The file hub/SHAPE.json is a published configuration, for shapes without a file models/SHAPE.json.
 *
 * A name is looked up first without changes. If the table of hub names does not have the name, nncost removes from the
 * name the owner and the words that hub/names.json lists, and looks up the shortened name. The look-up of shortened
 * names finds copies and quantised variants of a known network. "bartowski/Qwen_Qwen3-8B-GGUF" is a copy of
 * Qwen/Qwen3-8B. Last, the name is compared with the ids of the shapes. An unknown word stays in the name, so a network
 * with only a similar name is never used. The table of hub names is read if a name is no file and no shipped id. */

/* Copies the next word of a hub name to `word`, in lower case; '_' is copied as '.' ("Llama-3_3"). Words are separated
 * by '-' and spaces. Returns the end of the word in the name; NULL = the name has no further word. */
static const char *next_word(const char *from, char word[PLAIN_MAX]) {
    size_t length = 0;
    from += strspn(from, "- ");
    for (; from[length] != '\0' && strchr("- ", from[length]) == NULL && length + 1 < PLAIN_MAX; length++) {
        const char c = (char)tolower((unsigned char)from[length]);
        word[length] = (char)(c == '_' ? '.' : c);
    }
    word[length] = '\0';
    return length > 0 ? from + length : NULL;
}

/* The image of the table of hub names has an index of 64-bit words. Each word has 48 bits of a text's digest and the
 * number of a shape. Two texts can have equal digests, so the shape's names are compared. */
enum { BY_NAME, BY_PLAIN_NAME, BY_ID, BY_WORD, SEVERAL = 0xffff };

static uint64_t hub_key(int by, const char *text) {
    char lower[PLAIN_MAX];
    size_t i = 0;
    for (; text[i] != '\0' && i + 1 < PLAIN_MAX; i++) { lower[i] = (char)tolower((unsigned char)text[i]); }
    lower[i] = '\0';
    return nnc_digest_text(NNC_DIGEST_START + (uint64_t)by, lower) & ~(uint64_t)SEVERAL;
}

static int by_key(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a | SEVERAL, y = *(const uint64_t *)b | SEVERAL;
    return x < y ? -1 : x > y;
}

/* Returns the number of the shape that the index gives for a text; -1 = no shape; SEVERAL = more than one shape. */
static int indexed(nnc_json table, int by, const char *text) {
    const uint64_t key = hub_key(by, text), *words = table.doc->image.index;
    const uint64_t *found = bsearch(&key, words, table.doc->image.index_count, sizeof key, by_key);
    return found != NULL ? (int)(*found & SEVERAL) : -1;
}

static bool has_index(nnc_json table) { return table.doc->image.index_count > 0; }

/* Returns the first entry of "shapes" that may match a text. *all is false if the table has an index: no other entry
 * can match. *all is true if the table has no index: the caller has to search all entries. */
static nnc_json first_shape(nnc_json table, int by, const char *text, bool *all) {
    nnc_json shape = nnc_json_first(nnc_json_get(table, "shapes"));
    *all = !has_index(table);
    const int number = *all ? 0 : indexed(table, by, text);
    for (int i = 0; shape.node != NULL && i < number; i++) { shape = nnc_json_next(shape); }
    if (number < 0) { shape.node = NULL; }
    return shape;
}

/* Writes the name without its owner and without words that do not change the dimensions of the network. Sets *stored to
 * the last format of weights in the name ("GPTQ-Int8"), if it has one. A floating-point format that follows another
 * format in the name does not count, because this second format is the format of the products ("BNB-NF4-BF16"). */
static void plain_name(nnc_json table, const char *name, char plain[PLAIN_MAX], const char **stored) {
    const nnc_json words = nnc_json_get(table, "words"), formats = nnc_json_get(table, "formats"), none = { 0 };
    const char *slash = strrchr(name, '/');
    const char *from = slash != NULL ? slash + 1 : name;
    char word[PLAIN_MAX];
    size_t used = 0;
    plain[0] = '\0';
    while ((from = next_word(from, word)) != NULL) {
        const bool listed = !has_index(table) || indexed(table, BY_WORD, word) >= 0;
        const nnc_json format = listed ? nnc_json_get(formats, word) : none;
        const size_t length = strlen(word);
        const bool computes =
            strncmp(word, "bf16", 4) == 0 || strncmp(word, "fp16", 4) == 0 || strncmp(word, "fp32", 4) == 0;
        if (nnc_json_type_of(format) == NNC_JSON_TEXT) {
            *stored = computes && *stored != NULL ? *stored : nnc_json_text(format);
        } else if ((!listed || nnc_json_get(words, word).node == NULL) && used + length + 2 < PLAIN_MAX) {
            used += (size_t)snprintf(plain + used, PLAIN_MAX - used, used > 0 ? "-%s" : "%s", word);
        }
    }
}

/* Returns the entry of "shapes" that has the name `name`; an absent value = no entry. exact = true: compares whole
 * names. exact = false: compares names that plain_name has shortened, and returns an entry only if no second entry
 * matches. */
static nnc_json shape_of(nnc_json table, const char *name, bool exact) {
    nnc_json found = { .node = NULL };
    char wanted[PLAIN_MAX], plain[PLAIN_MAX];
    const char *unused = NULL;
    bool all = true;
    plain_name(table, name, wanted, &unused);
    nnc_json shape = first_shape(table, exact ? BY_NAME : BY_PLAIN_NAME, exact ? name : wanted, &all);
    for (; shape.node != NULL; shape.node = all ? nnc_json_next(shape).node : NULL) {
        for (nnc_json one = nnc_json_first(nnc_json_get(shape, "names")); one.node != NULL; one = nnc_json_next(one)) {
            const char *text = nnc_json_type_of(one) == NNC_JSON_TEXT ? nnc_json_text(one) : "";
            if (!exact) { plain_name(table, text, plain, &unused); }
            if (exact ? strcasecmp(text, name) == 0 : strcmp(plain, wanted) == 0 && plain[0] != '\0') {
                if (found.node != NULL && found.node != shape.node) { return (nnc_json){ .node = NULL }; }
                found = shape;
            }
        }
    }
    return found;
}

/* Writes a name in lower case. Removes separators, except between two digits: "qwen-27b" becomes "qwen27b". */
static void joined_name(const char *name, char joined[PLAIN_MAX]) {
    size_t used = 0;
    for (const char *c = name; *c != '\0' && used + 1 < PLAIN_MAX; c++) {
        const bool separates = strchr("-_. ", *c) != NULL;
        const bool in_number = c > name && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]);
        if (!separates || in_number) { joined[used++] = (char)(separates ? '-' : tolower((unsigned char)*c)); }
    }
    joined[used] = '\0';
}

/* Returns the entry of "shapes" with joined_name(id) = joined_name(name); an absent value = no entry. */
static nnc_json shape_by_id(nnc_json table, const char *name) {
    char wanted[PLAIN_MAX], id[PLAIN_MAX];
    bool all = true;
    joined_name(name, wanted);
    nnc_json shape = first_shape(table, BY_ID, wanted, &all);
    for (; shape.node != NULL; shape.node = all ? nnc_json_next(shape).node : NULL) {
        joined_name(nnc_json_key(shape), id);
        if (strcmp(id, wanted) == 0) { break; }
    }
    return shape;
}

size_t nnc_hub_index(nnc_json table, uint64_t *words, size_t most) {
    static const char *const lists[] = { "words", "formats" };
    char text[PLAIN_MAX];
    const char *unused = NULL;
    size_t count = 0, kept = 0;
    uint64_t number = 0;
    for (size_t i = 0; i < NNC_COUNT_OF(lists); i++) {
        const nnc_json list = nnc_json_get(table, lists[i]);
        for (nnc_json at = nnc_json_first(list); at.node != NULL && count < most; at = nnc_json_next(at)) {
            words[count++] = hub_key(BY_WORD, nnc_json_key(at));
        }
    }
    nnc_json shape = nnc_json_first(nnc_json_get(table, "shapes"));
    for (; shape.node != NULL; shape = nnc_json_next(shape), number++) {
        joined_name(nnc_json_key(shape), text);
        /* if joined_name turns the ids of two shapes into equal texts, the index gets the first shape */
        if (shape_by_id(table, text).node == shape.node && count < most) {
            words[count++] = hub_key(BY_ID, text) | number;
        }
        for (nnc_json one = nnc_json_first(nnc_json_get(shape, "names")); one.node != NULL; one = nnc_json_next(one)) {
            if (nnc_json_type_of(one) != NNC_JSON_TEXT || count + 2 > most) { continue; }
            plain_name(table, nnc_json_text(one), text, &unused);
            words[count++] = hub_key(BY_NAME, nnc_json_text(one)) | number;
            if (text[0] != '\0') { words[count++] = hub_key(BY_PLAIN_NAME, text) | number; }
        }
    }
    qsort(words, count, sizeof *words, by_key);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || by_key(&words[kept - 1], &words[i]) != 0) {
            words[kept++] = words[i];
        } else if (words[kept - 1] != words[i]) {
            words[kept - 1] |= SEVERAL;
        }
    }
    return count < most && number < SEVERAL ? kept : 0;
}

/* Returns the known hub name that is most similar to a name, compared by their plain_name; NULL = none is similar. */
static const char *nearest_name(nnc_json table, const char *name, nnc_arena *arena) {
    const nnc_json shapes = nnc_json_get(table, "shapes");
    int32_t count = 0, capacity = 0;
    char plain[PLAIN_MAX];
    const char *unused = NULL;
    for (nnc_json s = nnc_json_first(shapes); s.node != NULL; s = nnc_json_next(s)) {
        capacity += nnc_json_count(nnc_json_get(s, "names"));
    }
    const char **plains = nnc_arena_array(arena, (size_t)capacity + 1, sizeof *plains);
    const char **names = nnc_arena_array(arena, (size_t)capacity + 1, sizeof *names);
    for (nnc_json s = nnc_json_first(shapes); plains != NULL && names != NULL && s.node != NULL; s = nnc_json_next(s)) {
        for (nnc_json one = nnc_json_first(nnc_json_get(s, "names")); one.node != NULL; one = nnc_json_next(one)) {
            if (nnc_json_type_of(one) != NNC_JSON_TEXT) { continue; }
            plain_name(table, nnc_json_text(one), plain, &unused);
            plains[count] = nnc_arena_strdup(arena, plain);
            names[count] = nnc_json_text(one);
            count += plains[count] != NULL;
        }
    }
    plain_name(table, name, plain, &unused);
    const char *near = plains != NULL && names != NULL ? nearest_of(plain, plains, count) : NULL;
    int32_t i = 0;
    while (near != NULL && plains[i] != near) { i++; }
    return near != NULL ? nnc_arena_strdup(arena, names[i]) : NULL;
}

/* Finds the file with the dimensions of a network: a shipped model, or a configuration of the hub. If no data folder
 * has this file, *path stays NULL. */
static nnc_status place(nnc_specs *specs, const char *shape, const char **path, nnc_error *err) {
    static const char *const folders[] = { "models", "hub" };
    for (size_t i = 0; i < NNC_COUNT_OF(folders) && *path == NULL; i++) {
        char file[96];
        snprintf(file, sizeof file, "%s/%.64s.json", folders[i], shape);
        NNC_TRY(nnc_specs_file(specs, file, path, err));
    }
    return NNC_OK;
}

/* Looks a hub name up in the table of hub names, and stores the result in the nnc_hub_name to which `found` points. */
static nnc_status look_up(nnc_specs *specs, nnc_json table, const char *name, void *found, nnc_error *err) {
    nnc_hub_name *hub = found;
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_json shape = shape_of(table, name, true);
    char plain[PLAIN_MAX];
    const char *stored = NULL;
    if (shape.node == NULL) { shape = shape_of(table, name, false); }
    const char *slash = strchr(name, '/'), *inner = slash != NULL ? strchr(slash, '_') : NULL;
    if (shape.node == NULL && inner != NULL) { shape = shape_of(table, inner + 1, false); }
    if (shape.node == NULL) { shape = shape_by_id(table, name); }
    if (shape.node == NULL) {
        hub->nearest = nearest_name(table, name, arena);
        return NNC_OK;
    }
    plain_name(table, name, plain, &stored);
    const nnc_json own = nnc_json_get(nnc_json_get(shape, "weights"), name);
    if (stored == NULL && nnc_json_type_of(own) == NNC_JSON_TEXT) { stored = nnc_json_text(own); }
    const nnc_json source = nnc_json_get(shape, "source");
    hub->library = nnc_foreign_library(nnc_json_get(shape, "config"));
    hub->shape = nnc_arena_strdup(arena, nnc_json_key(shape));
    hub->stored = stored != NULL ? nnc_arena_strdup(arena, stored) : NULL;
    hub->source = nnc_json_type_of(source) == NNC_JSON_TEXT ? nnc_arena_strdup(arena, nnc_json_text(source)) : NULL;
    return hub->shape != NULL ? place(specs, hub->shape, &hub->path, err) : nnc_no_memory(err);
}

static const char hub_table[] = "hub/names.json";

nnc_status nnc_hub_find(nnc_specs *specs, const char *name, nnc_hub_name *hub, nnc_error *err) {
    *hub = (nnc_hub_name){ .path = NULL };
    return nnc_specs_look(specs, hub_table, look_up, name, hub, err);
}

/* `found` points to a const char *. Sets the pointer to a hub name, with its owner, of the shape `id`: the shortest
 * name whose plain_name is `id`, or else the shortest whose plain_name begins with `id`, or else the shortest. */
static nnc_status usual_name(nnc_specs *specs, nnc_json table, const char *id, void *found, nnc_error *err) {
    const nnc_json names = nnc_json_get(nnc_json_get(nnc_json_get(table, "shapes"), id), "names");
    const char **name = found, *unused = NULL;
    char wanted[PLAIN_MAX], text[PLAIN_MAX], plain[PLAIN_MAX];
    size_t least = SIZE_MAX;
    squeeze(id, wanted);
    for (nnc_json one = nnc_json_first(names); one.node != NULL; one = nnc_json_next(one)) {
        plain_name(table, nnc_json_text(one), plain, &unused);
        squeeze(plain, text);
        const bool equal = strcmp(text, wanted) == 0;
        squeeze(nnc_json_text(one), text);
        const int worse = equal ? 0 : strncmp(text, wanted, strlen(wanted)) == 0 ? 1 : 2;
        const size_t length = strlen(nnc_json_text(one)) + (size_t)worse * PLAIN_MAX;
        if (strstr(text, wanted) != NULL && strchr(nnc_json_text(one), '/') != NULL && length < least) {
            *name = nnc_json_text(one);
            least = length;
        }
    }
    *name = least < SIZE_MAX ? nnc_arena_strdup(nnc_specs_arena(specs), *name) : *name;
    return *name != NULL ? NNC_OK : nnc_no_memory(err);
}

nnc_status nnc_hub_usual(nnc_specs *specs, const char *id, const char **name, nnc_error *err) {
    *name = id;
    return nnc_specs_look(specs, hub_table, usual_name, id, (void *)name, err);
}

nnc_status nnc_hub_tell(nnc_specs *specs, const char *asked, const nnc_hub_name *hub, nnc_model *model,
                        nnc_error *err) {
    nnc_arena *arena = nnc_specs_arena(specs);
    const char **notes = nnc_arena_array(arena, (size_t)model->note_count + 2, sizeof *notes);
    char text[512];
    NNC_GOT(notes, err);
    int32_t count = 0;
    snprintf(text, sizeof text, "%.200s has the shape %s%s%s%s", asked, hub->shape, hub->source != NULL ? " (" : "",
             hub->source != NULL ? hub->source : "", hub->source != NULL ? ")" : "");
    notes[count++] = nnc_arena_strdup(arena, text);
    if (hub->stored != NULL) {
        snprintf(text, sizeof text,
                 "the weights of this model are stored as %s: \"nncost serve\" uses this format if nncost knows it; "
                 "a training step uses --precision, --policy and --frozen",
                 hub->stored);
        notes[count++] = nnc_arena_strdup(arena, text);
    }
    for (int32_t i = 0; i < model->note_count; i++) { notes[count++] = model->notes[i]; }
    for (int32_t i = 0; i < count; i++) { NNC_GOT(notes[i], err); }
    model->notes = notes;
    model->note_count = count;
    model->stored = hub->stored;
    return NNC_OK;
}
