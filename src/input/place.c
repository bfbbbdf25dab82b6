#include "input/place.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "input/file.h"

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

/* ---- folders ---- */

/* folder/below/name in the arena, without a stroke twice; NULL = out of memory. */
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

/* The network that a diffusers pipeline trains stands in one of these folders. */
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

/* ---- names of the hub ---- */

/* "meta-llama/Llama-3.1-8B": one stroke, and no file. */
static bool is_hub_name(const char *text)
{
    const char *slash = strchr(text, '/');
    const size_t length = strlen(text);
    return slash != NULL && slash != text && slash[1] != '\0' && strchr(slash + 1, '/') == NULL &&
           text[0] != '.' && !(length > 5 && strcmp(text + length - 5, ".json") == 0);
}

/* Letters and digits alone, in lower case: "Llama-3.1-8B" and "llama3-8b" differ by a digit then. */
static char *plain(nnc_arena *arena, const char *name)
{
    char *text = nnc_arena_strdup(arena, name);
    char *to = text;
    for (const char *c = name; text != NULL && *c != '\0'; c++) {
        if (isalnum((unsigned char)*c)) {
            *to++ = (char)tolower((unsigned char)*c);
        }
    }
    if (text != NULL) {
        *to = '\0';
    }
    return text;
}

/* The shipped model that a name of the hub is like; NULL = none. */
static const char *nearest_shipped(nnc_specs *specs, const char *name)
{
    const char *const *ids = NULL;
    int32_t count = 0;
    nnc_arena *arena = nnc_specs_arena(specs);
    if (nnc_specs_list(specs, NNC_SPEC_MODEL, &ids, &count, NULL) != NNC_OK) {
        return NULL;
    }
    const char **names = nnc_arena_array(arena, (size_t)count + 1, sizeof *names);
    const char *wanted = plain(arena, name);
    for (int32_t i = 0; names != NULL && i < count; i++) {
        names[i] = plain(arena, ids[i]);
        if (names[i] == NULL) {
            return NULL;
        }
    }
    const char *near =
        names != NULL && wanted != NULL ? nnc_nearest(wanted, names, (size_t)count) : NULL;
    for (int32_t i = 0; near != NULL && i < count; i++) {
        if (names[i] == near) {
            return ids[i];
        }
    }
    return NULL;
}

static nnc_status fail_hub(nnc_specs *specs, const char *asked, nnc_error *err)
{
    const char *name = strrchr(asked, '/') + 1;
    const char *near = nearest_shipped(specs, name);
    return nnc_fail(err, NNC_UNKNOWN_ID, asked,
                    "no such file or folder, expected a shipped model%s%s or the file of this one: "
                    "hf download %s config.json --local-dir %s, then %s/config.json; or curl -LO "
                    "https://huggingface.co/%s/resolve/main/config.json",
                    near != NULL ? ", nearest " : "", near != NULL ? near : "", asked, name, name,
                    asked);
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
    if (access(asked, F_OK) != 0 && strcmp(asked, "-") != 0 && is_hub_name(asked)) {
        const char *name = strchr(asked, '/') + 1;
        NNC_TRY(nnc_specs_find_spelled(specs, NNC_SPEC_MODEL, name, path, err));
        if (*path == NULL) {
            *path = asked;
            return fail_hub(specs, asked, err);
        }
    }
    return NNC_OK;
}
