/* The set of loaded specs, and the functions that load a file of any kind (device, model, software profile, cluster). A
 * function that loads a file finds it, reads it, parses it, adds inherited values (inherit.c), and fills a struct by
 * the table of its fields. Every file is read once per set. Other functions read and set fields of specs by name, for
 * programs that do not know the members of the structs. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input_internal.h"

/* A spec that is already loaded, or the error of an id that no data folder has. */
typedef struct loaded {
    const struct loaded *next;
    nnc_spec_kind kind;
    const char *asked;
    const void *spec; /* the struct that was loaded for the id `asked`; NULL = no data folder has this id */
    const nnc_error *error;
} loaded;

struct nnc_specs {
    nnc_arena *arena;
    const loaded *loaded; /* list of all loaded specs; the spec that was loaded last comes first */
    nnc_folders folders;
    /* paths of the files that are read now; each file waits for the next file in the list, which its key "like"
     * names */
    const char *reading[NNC_LIKE_MAX];
    int reading_count;
    const nnc_piped *piped; /* list of the contents of pipes that were read; the newest comes first */
    /* structs of the shipped files, made at build time (images.c); NULL = no structs, so every file is parsed */
    const uint64_t *images;
    bool lenient;
    int members_open; /* number of names of members.json that are being read; each name is based on the next name */
    char marks[512];  /* text that lists the implausible inputs of the current command */
    bool implementation_given;
    /* the library of every model that this set loads; used only if implementation_given is true */
    nnc_implementation implementation;
    nnc_model_reader *model_reader;
};

nnc_specs *nnc_specs_open(const char *data_path) {
    nnc_arena *arena = nnc_arena_create();
    nnc_specs *specs = arena != NULL ? nnc_arena_alloc(arena, sizeof(*specs)) : NULL;
    if (specs != NULL) {
        specs->arena = arena;
        specs->folders.arena = arena;
        if (nnc_folders_open(&specs->folders, data_path)) { return specs; }
    }
    nnc_arena_destroy(arena);
    return NULL;
}

void nnc_specs_close(nnc_specs *specs) {
    if (specs != NULL) {
        free(specs->folders.text);
        nnc_arena_destroy(specs->arena); /* frees the whole set, because *specs itself is in the arena */
    }
}

nnc_arena *nnc_specs_arena(nnc_specs *specs) { return specs->arena; }

void nnc_specs_set_images(nnc_specs *specs, const uint64_t *images) { specs->images = images; }

bool nnc_specs_parse(nnc_specs *specs, nnc_json_doc *doc) {
    return (specs->images != NULL && nnc_image_open(specs->images, doc)) || nnc_json_parse(doc);
}

const nnc_piped **nnc_specs_piped(nnc_specs *specs) { return &specs->piped; }

bool nnc_specs_take_text(nnc_specs *specs, const char *path, char **text, size_t *size) {
    nnc_folders *from = &specs->folders;
    if (from->text == NULL || strcmp(from->text_of, path) != 0) { return false; }
    *text = from->text;
    *size = from->text_size;
    from->text = NULL;
    return true;
}

void nnc_specs_set_lenient(nnc_specs *specs, bool lenient) {
    if (specs != NULL) { specs->lenient = lenient; }
}

bool nnc_specs_are_lenient(const nnc_specs *specs) { return specs->lenient; }

int nnc_specs_folders(const nnc_specs *specs, const char *const **folders) {
    *folders = specs->folders.paths;
    return specs->folders.count;
}

const char *nnc_specs_marks(const nnc_specs *specs) { return specs->marks; }

void nnc_specs_mark(nnc_specs *specs, const char *text) {
    if (strstr(specs->marks, text) == NULL) { nnc_text_append(specs->marks, sizeof specs->marks, "; ", "%s", text); }
}

bool nnc_specs_begin_like(nnc_specs *specs, const char *name) {
    const bool begun = specs->reading_count < NNC_LIKE_MAX;
    if (begun) { specs->reading[specs->reading_count++] = name; }
    return begun;
}

void nnc_specs_end_like(nnc_specs *specs) { specs->reading_count--; }

bool nnc_specs_is_reading(const nnc_specs *specs, const char *path) {
    int i = 0;
    while (i < specs->reading_count && strcmp(specs->reading[i], path) != 0) { i++; }
    return i < specs->reading_count;
}

nnc_status nnc_specs_list(nnc_specs *specs, nnc_spec_kind kind, const char *const **ids, int32_t *count,
                          nnc_error *err) {
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
    NNC_TRY(nnc_folders_trouble(&specs->folders, err));
    *ids = list.ids;
    *count = list.count;
    return NNC_OK;
}

bool nnc_specs_list_folder(nnc_specs *specs, const char *folder, nnc_id_list *list) {
    return nnc_folders_list_folder(&specs->folders, folder, list);
}

/* Finds the file of an id. The id may be in another spelling than the name of the file. *path stays NULL if no file has
 * the id. */
static nnc_status specs_find_spelled(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path,
                                     nnc_error *err) {
    *path = NULL;
    return nnc_folders_id(&specs->folders, kind, id, path, err);
}

nnc_status nnc_specs_find(nnc_specs *specs, nnc_spec_kind kind, const char *id, const char **path, nnc_error *err) {
    return nnc_folders_find(&specs->folders, kind, id, path, err);
}

nnc_status nnc_specs_find_like(nnc_specs *specs, const nnc_spec_info *info, const char *id, const char **path,
                               nnc_error *err) {
    return nnc_folders_find_like(&specs->folders, info, id, path, err);
}

const char *nnc_specs_nearest_alias(nnc_specs *specs, nnc_spec_kind kind, const char *id) {
    return nnc_folders_nearest_alias(&specs->folders, &nnc_spec_kinds[kind], id);
}

nnc_status nnc_specs_file(nnc_specs *specs, const char *name, const char **path, nnc_error *err) {
    return nnc_folders_file(&specs->folders, name, path, err);
}

/* Returns the error for a model name of the Hugging Face hub, "OWNER/NAME", that hub/names.json does not
 * list. */
static nnc_status fail_hub(const char *asked, const nnc_hub_name *hub, nnc_error *err) {
    const char *name = strrchr(asked, '/') + 1;
    return nnc_fail(err, NNC_UNKNOWN_ID, asked,
                    "no such file or folder, and no known name of the hub, expected a known name%s%s or the "
                    "config.json of this model: hf download %s config.json --local-dir %s, then %s/config.json; or "
                    "curl -LO https://huggingface.co/%s/resolve/main/config.json",
                    hub->nearest != NULL ? ", nearest " : "", hub->nearest != NULL ? hub->nearest : "", asked, name,
                    name, asked);
}

/* Finds the file of a model by its name on the Hugging Face hub. The file is in the table of hub names, or is a shipped
 * model file whose id is the name in another spelling. */
static nnc_status find_on_hub(nnc_specs *specs, const char *asked, const char **path, nnc_hub_name *hub,
                              nnc_error *err) {
    const char *slash = strrchr(asked, '/');
    const bool owned = strchr(asked, '/') == slash && slash != asked;
    NNC_TRY(nnc_hub_find(specs, asked, hub, err));
    *path = hub->path;
    if (*path == NULL && owned) { NNC_TRY(specs_find_spelled(specs, NNC_SPEC_MODEL, slash + 1, path, err)); }
    if (*path == NULL && owned) { return fail_hub(asked, hub, err); }
    *path = *path != NULL ? *path : asked;
    return NNC_OK;
}

/* Finds the file of a model that no folder of models has: looks up the name among the names of the Hugging Face hub,
 * with or without the owner. *path stays NULL if `id` is the name of a folder that may have a model. The slowest step
 * of the search is the last one, which compares an unknown name with all known names. */
static nnc_status find_named(nnc_specs *specs, const char *id, const char **path, nnc_hub_name *hub, nnc_error *err) {
    const nnc_spec_kind kind = NNC_SPEC_MODEL;
    nnc_error why = { .status = NNC_OK };
    NNC_TRY(nnc_folders_trouble(&specs->folders, err));
    if (!nnc_is_folder(id)) { NNC_TRY(nnc_hub_find(specs, id, hub, err)); }
    *path = hub->path;
    if (*path != NULL) { return NNC_OK; }
    if (hub->nearest != NULL) { return nnc_folders_unknown(&specs->folders, kind, id, hub->nearest, err); }
    const nnc_status status = nnc_specs_find(specs, kind, id, path, &why);
    const bool may_be_folder = status == NNC_UNKNOWN_ID && nnc_is_folder(id);
    return status == NNC_OK || may_be_folder ? NNC_OK : nnc_fail(err, why.status, why.where, "%s", why.what);
}

/* Finds the file of a spec from its id or path. A folder that has a model may be named without its slash. absent: true
 * = no folder of models has the id, and *path is not yet set. */
static nnc_status find_path(nnc_specs *specs, nnc_spec_kind kind, const char *id, bool absent, const char **path,
                            nnc_hub_name *hub, nnc_error *err) {
    if (!nnc_is_path(id)) {
        if (!absent) { return nnc_specs_find(specs, kind, id, path, err); }
        NNC_TRY(find_named(specs, id, path, hub, err));
        if (*path != NULL) { return NNC_OK; }
    }
    *path = id;
    if (kind == NNC_SPEC_MODEL) { NNC_TRY(nnc_place_of_model(specs, id, path, err)); }
    return *path != NULL ? NNC_OK : find_on_hub(specs, id, path, hub, err);
}

nnc_status nnc_specs_look(nnc_specs *specs, const char *file, nnc_look *look_in, const char *name, void *found,
                          nnc_error *err) {
    const char *path = NULL;
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_file(specs, file, &path, err));
    if (path == NULL) { return NNC_OK; }
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = { .faults = &faults, .arena = specs->arena, .text = text, .size = size };
    const nnc_status status =
        nnc_specs_parse(specs, &doc) ? look_in(specs, nnc_json_root(&doc), name, found, err) : faults.status;
    nnc_json_free(&doc);
    free(text);
    return status;
}

/* The file members.json lists the networks of vision libraries; `member` is one network. */
static const char members_file[] = "foreign/names/members.json";
typedef struct member {
    char name[96];
    const char *words; /* text from which nnc_model_make makes the network; NULL = the file does not have the name */
    bool stand_in;     /* true: `words` makes another network with the same numbers of parameters and operations */
    bool of_library;   /* true: timm or torchvision has the network; false: only benchmarks use the name */
} member;

/* Returns the entry of a list in the file that tells how a network is made; an absent value = the list does not have
 * the name. The name may have underscores in place of dashes, or dashes in place of underscores. */
static nnc_json entry_of(nnc_json list, const char *name) {
    static const char spellings[][2] = { { '-', '-' }, { '-', '_' }, { '_', '-' } };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        char spelled[96];
        snprintf(spelled, sizeof spelled, "%.95s", name);
        for (char *at = spelled; *at != '\0'; at++) {
            if (*at == spellings[i][0]) { *at = spellings[i][1]; }
        }
        const nnc_json at = nnc_json_get(list, spelled);
        if (nnc_json_type_of(at) == NNC_JSON_TEXT) { return at; }
    }
    return (nnc_json){ 0 };
}

/* Tests whether a library of vision models has networks made from the same shipped network as the entry. Names in a
 * library have no dashes; names of benchmarks may have dashes. For example, "mobilenet-v2" and "resnext101-32x4d" are
 * networks of a library, and "ssd300-resnet50" is not. */
static bool is_of_library(nnc_json members, nnc_json entry) {
    const char *words = nnc_json_text(entry);
    const size_t length = strcspn(words, " ");
    bool is = strchr(nnc_json_key(entry), '-') == NULL;
    for (nnc_json at = nnc_json_first(members); at.node != NULL && !is; at = nnc_json_next(at)) {
        const char *other = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
        is = strncmp(other, words, length) == 0 && (other[length] == ' ' || other[length] == '\0') &&
             strchr(nnc_json_key(at), '-') == NULL;
    }
    return is;
}

/* Refuses the name of a network of torchvision that has no model file. The error tells how to record the network. */
static nnc_status refuse_recorded(nnc_json root, char *name, nnc_error *err) {
    const nnc_json task = entry_of(nnc_json_get(root, "recorded"), name);
    if (task.node == NULL) { return NNC_OK; }
    for (char *at = strchr(name, '-'); at != NULL; at = strchr(at, '-')) { *at = '_'; }
    return nnc_fail(
        err, NNC_UNKNOWN_ID, "MODEL",
        "%s is a %s network without a model file, expected a recording of this network: python3 -m nncost.capture "
        "--network torchvision:%s -o step.json",
        name, nnc_json_text(task), name);
}

/* Writes the network `name` to *found, a `member`; an unknown name is searched again without its end ".a1_in1k". */
static nnc_status look_member(nnc_specs *specs, nnc_json root, const char *name, void *found, nnc_error *err) {
    member *m = found;
    const nnc_json members = nnc_json_get(root, "members");
    snprintf(m->name, sizeof m->name, "%.95s", name);
    nnc_json entry = entry_of(members, m->name);
    char *weights = strchr(m->name, '.');
    if (entry.node == NULL && weights != NULL) {
        *weights = '\0';
        entry = entry_of(members, m->name);
    }
    m->stand_in = entry.node == NULL;
    if (m->stand_in) {
        NNC_TRY(refuse_recorded(root, m->name, err));
        entry = entry_of(nnc_json_get(root, "stand_ins"), m->name);
    }
    if (entry.node == NULL) { return NNC_OK; }
    m->of_library = m->stand_in || is_of_library(members, entry);
    m->words = nnc_arena_strdup(specs->arena, nnc_json_text(entry));
    return m->words != NULL ? NNC_OK : nnc_no_memory(err);
}

/* Adds a note to the model: nncost does not know the dimensions of this network, and uses the network `words` instead,
 * which has the same numbers of parameters and operations. */
static nnc_status note_stand_in(nnc_specs *specs, const char *words, nnc_model *made, nnc_error *err) {
    char text[320];
    const char **notes = nnc_arena_array(specs->arena, 1, sizeof *notes);
    NNC_GOT(notes, err);
    snprintf(text, sizeof text, "has no shape in nncost; %.250s has the same counts", words);
    notes[0] = nnc_arena_strdup(specs->arena, text);
    NNC_GOT(notes[0], err);
    made->notes = notes;
    made->note_count = 1;
    made->stand_in = true;
    return NNC_OK;
}

/* Loads a network by its name in a library of vision models. The name may begin with the library ("timm/") and end with
 * the weights (".a1_in1k"). If nncost does not know the dimensions of the network, loads its stand-in, a network with
 * the same numbers of parameters and operations. *out stays NULL when no library has the name. */
static nnc_status load_member(nnc_specs *specs, const char *asked, const void **out, nnc_error *err) {
    const char *name = asked + (strncmp(asked, "timm/", 5) == 0 ? 5 : 0);
    member found = { .words = NULL };
    nnc_model *made = NULL;
    if (strchr(name, '/') != NULL) { return NNC_OK; }
    NNC_TRY(nnc_specs_look(specs, members_file, look_member, name, &found, err));
    if (found.words != NULL) {
        /* a name leads to a shipped model in one or two steps; more than four mean that names refer to each other */
        const bool circle = ++specs->members_open > 4;
        const nnc_status status = circle ? nnc_fail(err, NNC_BAD_SPEC, members_file, "\"%.60s\" refers to itself", name)
                                         : nnc_model_make(specs, found.words, found.name, &made, err);
        specs->members_open--;
        NNC_TRY(status);
        made->implementation = made->family == NNC_FAMILY_DECODER ? NNC_IMPLEMENTATION_TRANSFORMERS
                               : found.of_library                 ? NNC_IMPLEMENTATION_TIMM
                                                                  : NNC_IMPLEMENTATION_NONE;
        NNC_TRY(found.stand_in ? note_stand_in(specs, found.words, made, err) : NNC_OK);
        *out = made;
    }
    return NNC_OK;
}

/* Tests whether `asked` may be the name of a network in a library of vision models. Returns false if `asked` is the id
 * of a shipped file, with dashes or with underscores. found, path: result of the search for a file named `asked`. */
static bool maybe_member(const char *asked, nnc_status found, const char *path) {
    const char *slash = found == NNC_OK && path != NULL ? strrchr(path, '/') : NULL;
    const char *stem = slash != NULL ? slash + 1 : path;
    size_t same = 0;
    while (found == NNC_OK && stem != NULL && asked[same] != '\0' &&
           (stem[same] == asked[same] || (stem[same] == '-' && asked[same] == '_'))) {
        same++;
    }
    const bool shipped = same > 0 && asked[same] == '\0' && strcmp(stem + same, ".json") == 0;
    return strncmp(asked, "timm/", 5) == 0 || (!nnc_is_path(asked) && !shipped);
}

/* Sets *found to true if a library of vision models has the shipped network `id` without changes: the list of its names
 * has an entry with only this id. */
static nnc_status look_shipped(nnc_specs *specs, nnc_json root, const char *id, void *found, nnc_error *err) {
    (void)specs, (void)err;
    bool *is = found;
    const nnc_json members = nnc_json_get(root, "members");
    for (nnc_json at = nnc_json_first(members); at.node != NULL && !*is; at = nnc_json_next(at)) {
        *is = nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(nnc_json_text(at), id) == 0 && is_of_library(members, at);
    }
    return NNC_OK;
}

nnc_status nnc_specs_take_library(nnc_specs *specs, const char *asked, nnc_model *model, nnc_error *err) {
    const bool vision = model->family == NNC_FAMILY_GRAPH || model->family == NNC_FAMILY_VIT;
    bool is = false;
    if (!vision || model->implementation != NNC_IMPLEMENTATION_NONE || nnc_is_path(asked)) { return NNC_OK; }
    NNC_TRY(nnc_specs_look(specs, members_file, look_shipped, model->id, &is, err));
    if (is) { model->implementation = NNC_IMPLEMENTATION_TIMM; }
    return NNC_OK;
}

static nnc_status look_kernel_s(nnc_specs *specs, nnc_json root, const char *name, void *found, nnc_error *err) {
    const nnc_json at = nnc_json_get(root, "kernel_s");
    (void)specs, (void)name;
    if (nnc_json_type_of(at) != NNC_JSON_NUMBER) {
        return nnc_fail(err, NNC_BAD_SPEC, root.doc->faults->name, "kernel_s is missing");
    }
    *(double *)found = nnc_json_number(at);
    return NNC_OK;
}

nnc_status nnc_host_kernel_s(nnc_specs *specs, const char *id, double *kernel_s, nnc_error *err) {
    char file[96];
    *kernel_s = (double)NAN;
    snprintf(file, sizeof file, "hosts/%.60s.json", id);
    NNC_TRY(nnc_specs_look(specs, file, look_kernel_s, file, kernel_s, err));
    return !isnan(*kernel_s) ? NNC_OK
                             : nnc_fail(err, NNC_UNKNOWN_ID, "--host",
                                        "expected seconds per kernel, h100-server or desktop, found \"%.60s\"", id);
}

nnc_model_reader **nnc_specs_model_reader(nnc_specs *specs) { return &specs->model_reader; }

nnc_status nnc_specs_set_implementation(nnc_specs *specs, const char *name, nnc_error *err) {
    const nnc_names names = { nnc_implementation_name, NNC_IMPLEMENTATION_COUNT };
    const int found = nnc_names_find(names, name);
    if (found < 0) {
        return nnc_fail(err, NNC_BAD_USAGE, "--implementation",
                        "expected none, transformers, diffusers, timm, pytorch, found \"%.60s\"", name);
    }
    specs->implementation = (nnc_implementation)found;
    specs->implementation_given = true;
    return NNC_OK;
}

void nnc_specs_take_implementation(const nnc_specs *specs, nnc_model *model) {
    if (specs->implementation_given) {
        nnc_implementation_take(specs->implementation, model);
        model->implementation_asked = true;
    }
}

static nnc_status find_and_read(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void **out,
                                nnc_error *err) {
    const char *path = NULL;
    nnc_hub_name hub = { .path = NULL };
    const bool named = kind == NNC_SPEC_MODEL && !nnc_is_path(id);
    const bool searched = named && specs_find_spelled(specs, kind, id, &path, NULL) == NNC_OK;
    const bool absent = searched && path == NULL;
    if (absent) { /* the libraries of vision models are searched before the hub */
        NNC_TRY(load_member(specs, id, out, err));
        if (*out != NULL) { return NNC_OK; }
    }
    const nnc_status found = searched && !absent ? NNC_OK : find_path(specs, kind, id, absent, &path, &hub, err);
    if (kind == NNC_SPEC_MODEL && !absent && maybe_member(id, found, path)) {
        NNC_TRY(load_member(specs, id, out, err));
    }
    if (*out != NULL) { return NNC_OK; }
    NNC_TRY(found);
    NNC_TRY(nnc_spec_load(specs, kind, path, out, err));
    if (kind != NNC_SPEC_MODEL) { return NNC_OK; }
    nnc_model *model = NULL; /* no const: the struct is new, and only this function has a pointer to it */
    memcpy(&model, out, sizeof model);
    if (hub.path == NULL) { return nnc_specs_take_library(specs, id, model, err); }
    /* a model that the user names by its hub name runs with the library that the hub uses for this model */
    if (model->implementation == NNC_IMPLEMENTATION_NONE) { nnc_library_set(&hub.library, model); }
    return nnc_hub_tell(specs, id, &hub, model, err);
}

/* Stores a loaded spec, or the error of an unknown id, for the next call with this id. */
static void keep(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void *spec, const nnc_error *error) {
    loaded *added = nnc_arena_alloc(specs->arena, sizeof(*added));
    const char *asked = added != NULL ? nnc_arena_strdup(specs->arena, id) : NULL;
    nnc_error *kept = spec == NULL && asked != NULL ? nnc_arena_alloc(specs->arena, sizeof(*kept)) : NULL;
    if (kept != NULL) { *kept = *error; }
    if (asked != NULL && (spec != NULL || kept != NULL)) {
        *added = (loaded){ specs->loaded, kind, asked, spec, kept };
        specs->loaded = added;
    }
}

/* Loads a spec. Returns the stored result if an earlier call loaded this id, or found that no file has it. A search for
 * an unknown id reads all files of a folder, and a table of measured rows asks for an id hundreds of times. */
static nnc_status load(nnc_specs *specs, nnc_spec_kind kind, const char *id, const void **out, nnc_error *err) {
    for (const loaded *l = specs->loaded; l != NULL; l = l->next) {
        if (l->kind == kind && strcmp(l->asked, id) == 0) {
            *out = l->spec;
            return l->spec != NULL ? NNC_OK : nnc_fail(err, l->error->status, l->error->where, "%s", l->error->what);
        }
    }
    nnc_error why = { .status = NNC_OK };
    *out = NULL;
    const nnc_status status = find_and_read(specs, kind, id, out, &why);
    if (status == NNC_OK || (status == NNC_UNKNOWN_ID && !nnc_is_path(id))) { keep(specs, kind, id, *out, &why); }
    return status == NNC_OK ? NNC_OK : nnc_fail(err, status, why.where, "%s", why.what);
}

/* ---- reads a spec file of any kind into its struct ---- */

const nnc_spec_info nnc_spec_kinds[NNC_SPEC_KIND_COUNT] = {
    [NNC_SPEC_DEVICE] = { .what = "device",
                          .plural = "devices",
                          .folder = "hw",
                          .argument = "DEVICE",
                          .schema = "nncost.device/1",
                          .size = sizeof(nnc_device),
                          .path_offset = offsetof(nnc_device, path),
                          .has_aliases = true,
                          .read = nnc_device_read },
    [NNC_SPEC_MODEL] = { .what = "model",
                         .plural = "models",
                         .folder = "models",
                         .argument = "MODEL",
                         .schema = "nncost.model/1",
                         .size = sizeof(nnc_model),
                         .path_offset = offsetof(nnc_model, path),
                         .has_aliases = true,
                         .read = nnc_model_read },
    [NNC_SPEC_SOFTWARE] = { .what = "software profile",
                            .plural = "software",
                            .folder = "software",
                            .argument = "--software",
                            .schema = "nncost.software/1",
                            .size = sizeof(nnc_software),
                            .path_offset = offsetof(nnc_software, path),
                            .has_aliases = true,
                            .read = nnc_software_read },
};

static bool has(nnc_json root, const char *key) {
    const nnc_json_type type = nnc_json_type_of(nnc_json_get(root, key));
    return type != NNC_JSON_ABSENT && type != NNC_JSON_NULL;
}

bool nnc_is_foreign(nnc_json root) {
    return nnc_json_type_of(root) == NNC_JSON_OBJECT && !has(root, "schema") &&
           (has(root, "model_type") || has(root, "_class_name"));
}

bool nnc_is_capture(nnc_json root) {
    const nnc_json at = nnc_json_get(root, "schema");
    return nnc_json_type_of(at) == NNC_JSON_TEXT && strcmp(nnc_json_text(at), NNC_CAPTURE_SCHEMA) == 0;
}

static nnc_spec_kind spec_kind_said(nnc_json root) {
    const nnc_json at = nnc_json_get(root, "schema");
    int kind = 0;
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) { return nnc_is_foreign(root) ? NNC_SPEC_MODEL : NNC_SPEC_KIND_COUNT; }
    if (nnc_is_capture(root)) { return NNC_SPEC_MODEL; }
    while (kind < NNC_SPEC_KIND_COUNT && strcmp(nnc_spec_kinds[kind].schema, nnc_json_text(at)) != 0) { kind++; }
    return (nnc_spec_kind)kind;
}

nnc_spec_kind nnc_spec_kind_of(nnc_json root) {
    const nnc_spec_kind kind = spec_kind_said(root);
    const nnc_json at = nnc_json_get(root, "schema");
    if (kind == NNC_SPEC_KIND_COUNT && at.node == NULL) {
        nnc_json_fault(root, "schema", "missing, expected the kind of file, found nothing");
    } else if (kind == NNC_SPEC_KIND_COUNT) {
        nnc_json_mismatch(at, "unknown schema",
                          "nncost.device/1, nncost.model/1, nncost.software/1, nncost.cluster/1, "
                          "nncost.plans/1, nncost.prices/1, nncost.grid/1 or nncost.foreign/1");
    }
    return kind;
}

void nnc_spec_read_open(nnc_json_doc *doc, nnc_specs *specs, nnc_spec_kind kind, const char *stem, void *out) {
    doc->specs = specs;
    if (nnc_spec_complete(doc, specs, kind)) { nnc_spec_kinds[kind].read(nnc_json_root(doc), stem, out); }
}

nnc_status nnc_spec_read(nnc_specs *specs, nnc_spec_kind kind, const char *stem, const char *text, size_t size,
                         nnc_faults *faults, void *out) {
    nnc_json_doc doc = { .faults = faults,
                         .arena = nnc_specs_arena(specs),
                         .text = text,
                         .size = size,
                         .foreign = kind == NNC_SPEC_MODEL,
                         .lenient = nnc_specs_are_lenient(specs) };
    if (nnc_json_parse(&doc)) { nnc_spec_read_open(&doc, specs, kind, stem, out); }
    nnc_json_free(&doc);
    return faults->status;
}

void nnc_spec_stem(const char *path, bool config, char *stem, size_t size) {
    const char *end = path + strlen(path);
    const char *slash = strrchr(path, '/');
    const char *begin = slash != NULL ? slash + 1 : path;
    if (config && slash != NULL && slash > path && strcmp(begin, "config.json") == 0) {
        end = slash;
        begin = end;
        while (begin > path && begin[-1] != '/') { begin--; }
    } else if (end - begin > 5 && strcmp(end - 5, ".json") == 0) {
        end -= 5;
    }
    snprintf(stem, size, "%.*s", (int)(end - begin), begin);
}

const char *nnc_spec_required_id(const char *path, char stem[NNC_STEM_MAX]) {
    static const char *const folders[] = {
        "hw", "models", "software", "clusters", "prices", "grid", "hosts", "foreign"
    };
    const char *slash = strrchr(path, '/');
    const char *folder = slash;
    if (slash == NULL || nnc_is_pipe(path)) { return NULL; }
    while (folder > path && folder[-1] != '/') { folder--; }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (strlen(folders[i]) == (size_t)(slash - folder) &&
            strncmp(folders[i], folder, (size_t)(slash - folder)) == 0) {
            nnc_spec_stem(path, false, stem, NNC_STEM_MAX);
            return stem;
        }
    }
    return NULL;
}

/* Sets the id of a foreign model whose file states no id: the name of the file, or the name of the folder of a
 * config.json. */
static void spec_name(nnc_model *model, const char *path) {
    if (model->id[0] == '\0') {
        nnc_spec_stem(path != NULL && path[0] != '\0' ? path : "model", true, model->id, sizeof(model->id));
        snprintf(model->name, sizeof(model->name), "%s", model->id);
    }
}

static nnc_status read_text(nnc_specs *specs, nnc_spec_kind kind, const char *path, const char *text, size_t size,
                            const void **out, nnc_error *err) {
    char stem[NNC_STEM_MAX];
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_faults faults = { .name = path, .err = err };
    void *spec = nnc_arena_alloc(arena, nnc_spec_kinds[kind].size);
    if (spec == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    const char *id = nnc_spec_required_id(path, stem);
    if (specs->images == NULL || specs->lenient || !nnc_image_read(specs, specs->images, kind, id, text, size, spec)) {
        NNC_TRY(nnc_spec_read(specs, kind, id, text, size, &faults, spec));
    }
    const bool nameless = kind == NNC_SPEC_MODEL && ((nnc_model *)spec)->id[0] == '\0';
    if (nameless) { spec_name(spec, nnc_is_pipe(path) ? NULL : path); }
    const char *copy = nnc_arena_strdup(arena, path);
    if (copy == NULL) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    memcpy((char *)spec + nnc_spec_kinds[kind].path_offset, &copy, sizeof(copy));
    *out = spec;
    return NNC_OK;
}

nnc_status nnc_spec_load(nnc_specs *specs, nnc_spec_kind kind, const char *path, const void **out, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    nnc_buffer json = { 0 };
    nnc_status status = NNC_OK;
    if (strcmp(path, NNC_THIS_MACHINE) == 0) {
        NNC_TRY(nnc_machine_ask(&text, &size, err));
    } else {
        NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    }
    if (kind == NNC_SPEC_DEVICE && nnc_is_machine(text)) { status = nnc_machine_json(path, text, &json, err); }
    if (status == NNC_OK && json.bytes != NULL) {
        status = read_text(specs, kind, path, json.bytes, strlen(json.bytes), out, err);
    } else if (status == NNC_OK) {
        status = read_text(specs, kind, path, text, size, out, err);
    }
    nnc_buffer_free(&json);
    free(text);
    return status;
}

nnc_status nnc_text_copy(const char *name, const char *text, size_t size, char **copy, nnc_error *err) {
    if (size > NNC_FILE_BYTES_MAX) {
        return nnc_fail(err, NNC_BAD_SPEC, name, "too large, expected at most 16 MB, found more");
    }
    *copy = malloc(size + 1);
    if (*copy == NULL) { return nnc_fail(err, NNC_NO_MEMORY, name, "out of memory"); }
    if (size > 0) { memcpy(*copy, text, size); }
    (*copy)[size] = '\0';
    return NNC_OK;
}

static nnc_status parse(nnc_specs *specs, nnc_spec_kind kind, const char *name, const char *text, size_t size,
                        void *out, nnc_error *err) {
    nnc_faults faults = { .name = name, .err = err };
    char *copy = NULL;
    NNC_TRY(nnc_text_copy(name, text, size, &copy, err));
    const nnc_status status = nnc_spec_read(specs, kind, NULL, copy, size, &faults, out);
    free(copy);
    return status;
}

nnc_status nnc_device_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size, nnc_device *device,
                                 nnc_error *err) {
    return parse(specs, NNC_SPEC_DEVICE, name, text, size, device, err);
}

nnc_status nnc_model_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size, nnc_model *model,
                                nnc_error *err) {
    NNC_TRY(parse(specs, NNC_SPEC_MODEL, name, text, size, model, err));
    spec_name(model, name);
    return NNC_OK;
}

nnc_status nnc_software_parse_into(nnc_specs *specs, const char *name, const char *text, size_t size,
                                   nnc_software *software, nnc_error *err) {
    return parse(specs, NNC_SPEC_SOFTWARE, name, text, size, software, err);
}

/* ---- creates and copies specs; reads and sets their fields by name ---- */

/* Allocates a struct for one kind of spec (device, model, ...). The struct lives as long as the set of specs; *spec is
 * NULL on failure. */
static nnc_status new_spec(nnc_specs *specs, nnc_spec_kind kind, void **spec, nnc_error *err) {
    *spec = nnc_arena_alloc(nnc_specs_arena(specs), nnc_spec_kinds[kind].size);
    return *spec != NULL ? NNC_OK : nnc_no_memory(err);
}

static nnc_status copy_of(nnc_specs *specs, nnc_spec_kind kind, const void *from, void **copy, nnc_error *err) {
    assert(from != NULL); /* the caller has checked that `from` is not NULL, so the copy cannot read a NULL pointer */
    NNC_TRY(new_spec(specs, kind, copy, err));
    assert(*copy != NULL);
    memcpy(*copy, from, nnc_spec_kinds[kind].size);
    return NNC_OK;
}

/* Finds the field with a dotted name in a struct. Sets *field, *place to the inner struct that contains the field, and
 * *dtype to the number format at the end of the name (NNC_DTYPE_COUNT = no number format). */
static nnc_status find(const nnc_field_table *table, const void *object, const char *name, const nnc_field **field,
                       const char **place, nnc_dtype *dtype, nnc_error *err) {
    /* The cast removes const, because nnc_field_at takes a pointer without const; the object is only read. */
    void *at = NULL;
    memcpy(&at, &object, sizeof at);
    const nnc_status status = nnc_field_at(table, name, &at, field, dtype, err);
    *place = at;
    return status;
}

static double number_of(const nnc_field *field, const void *place) {
    switch (field->type) {
    case NNC_FIELD_BOOL: return *(const bool *)place ? 1.0 : 0.0;
    case NNC_FIELD_I32: return *(const int32_t *)place;
    case NNC_FIELD_I64: return (double)*(const int64_t *)place;
    default: return *(const double *)place;
    }
}

static nnc_status read_number(const nnc_field_table *table, const void *object, const char *name, double *value,
                              nnc_error *err) {
    const nnc_field *field = NULL;
    const char *place = NULL;
    nnc_dtype dtype;
    *value = (double)NAN;
    NNC_TRY(find(table, object, name, &field, &place, &dtype, err));
    place += field->offset;
    if (field->type == NNC_FIELD_RATES && dtype != NNC_DTYPE_COUNT) {
        *value = ((const double *)(const void *)place)[dtype];
        return NNC_OK;
    }
    if (field->type != NNC_FIELD_BOOL && field->type != NNC_FIELD_I32 && field->type != NNC_FIELD_I64 &&
        field->type != NNC_FIELD_F64) {
        char expected[256];
        nnc_field_expected(field, expected, sizeof expected);
        return nnc_fail(err, NNC_BAD_USAGE, name, "not a number, expected to be read as a text: %s", expected);
    }
    *value = number_of(field, place);
    return NNC_OK;
}

static nnc_status read_field_text(const nnc_field_table *table, const void *object, const char *name, char *text,
                                  size_t size, nnc_error *err) {
    const nnc_field *field = NULL;
    const char *place = NULL;
    nnc_dtype dtype;
    if (size > 0) { text[0] = '\0'; }
    NNC_TRY(find(table, object, name, &field, &place, &dtype, err));
    if (field->type == NNC_FIELD_RATES && dtype != NNC_DTYPE_COUNT) {
        nnc_field one = *field;
        one.type = NNC_FIELD_F64;
        one.offset += (uint32_t)((size_t)dtype * sizeof(double));
        nnc_field_text(&one, place, text, size);
    } else {
        nnc_field_text(field, place, text, size);
    }
    return NNC_OK;
}

/* Defines the five functions that every kind of spec has. table: the table of the fields of struct nnc_<kind>. */
/* NOLINTBEGIN(bugprone-macro-parentheses): kind is a name */
#define SPEC_FUNCTIONS(kind, KIND, table)                                                                              \
    nnc_status nnc_##kind##_load(nnc_specs *specs, const char *id_or_path, const nnc_##kind **kind, nnc_error *err) {  \
        const void *spec = NULL;                                                                                       \
        NNC_NEED(specs);                                                                                               \
        NNC_NEED(id_or_path);                                                                                          \
        NNC_NEED(kind);                                                                                                \
        const nnc_status status = load(specs, KIND, id_or_path, &spec, err);                                           \
        *kind = spec;                                                                                                  \
        return status;                                                                                                 \
    }                                                                                                                  \
    nnc_status nnc_##kind##_parse(nnc_specs *specs, const char *name, const char *text, size_t size,                   \
                                  const nnc_##kind **kind, nnc_error *err) {                                           \
        void *spec = NULL;                                                                                             \
        NNC_NEED(specs);                                                                                               \
        NNC_NEED(name);                                                                                                \
        NNC_NEED(text);                                                                                                \
        NNC_NEED(kind);                                                                                                \
        *kind = NULL;                                                                                                  \
        NNC_TRY(new_spec(specs, KIND, &spec, err));                                                                    \
        NNC_TRY(nnc_##kind##_parse_into(specs, name, text, size, spec, err));                                          \
        *kind = spec;                                                                                                  \
        return NNC_OK;                                                                                                 \
    }                                                                                                                  \
    nnc_status nnc_##kind##_copy(nnc_specs *specs, const nnc_##kind *from, nnc_##kind **copy, nnc_error *err) {        \
        void *spec = NULL;                                                                                             \
        NNC_NEED(specs);                                                                                               \
        NNC_NEED(from);                                                                                                \
        NNC_NEED(copy);                                                                                                \
        const nnc_status status = copy_of(specs, KIND, from, &spec, err);                                              \
        *copy = spec;                                                                                                  \
        return status;                                                                                                 \
    }                                                                                                                  \
    nnc_status nnc_##kind##_number(const nnc_##kind *kind, const char *field, double *value, nnc_error *err) {         \
        NNC_NEED(kind);                                                                                                \
        NNC_NEED(field);                                                                                               \
        NNC_NEED(value);                                                                                               \
        return read_number(table, kind, field, value, err);                                                            \
    }                                                                                                                  \
    nnc_status nnc_##kind##_text(const nnc_##kind *kind, const char *field, char *text, size_t size, nnc_error *err) { \
        NNC_NEED(kind);                                                                                                \
        NNC_NEED(field);                                                                                               \
        NNC_NEED(text);                                                                                                \
        return read_field_text(table, kind, field, text, size, err);                                                   \
    }
/* NOLINTEND(bugprone-macro-parentheses) */
SPEC_FUNCTIONS(device, NNC_SPEC_DEVICE, &nnc_device_table)
SPEC_FUNCTIONS(model, NNC_SPEC_MODEL, nnc_model_table_of(model))
SPEC_FUNCTIONS(software, NNC_SPEC_SOFTWARE, &nnc_software_table)

nnc_status nnc_software_set(nnc_software *software, const char *field, const char *value, nnc_error *err) {
    NNC_NEED(software);
    NNC_NEED(field);
    NNC_NEED(value);
    return nnc_field_set(&nnc_software_table, software, field, value, err);
}

nnc_status nnc_plan_text(const nnc_plan *plan, const char *field, char *text, size_t size, nnc_error *err) {
    NNC_NEED(plan);
    NNC_NEED(field);
    NNC_NEED(text);
    return read_field_text(&nnc_plan_table, plan, field, text, size, err);
}

static nnc_status fail_io(nnc_error *err, const char *path, const char *what, int number) {
    return nnc_fail(err, NNC_IO, path, "%s, expected a readable file, found: %s", what, strerror(number));
}

/* Reads an open file to its end into *text, which the caller frees. A pipe has no size, so the function reads until the
 * end. guess: expected number of bytes; most: largest number of bytes that the file may have. */
static nnc_status read_all(int fd, const char *path, size_t guess, size_t most, char **text, size_t *size,
                           nnc_error *err) {
    size_t capacity = (guess < NNC_FILE_BYTES_MAX ? guess : NNC_FILE_BYTES_MAX) + 1, used = 0;
    char *buffer = NULL;
    bool known = most <= NNC_FILE_BYTES_MAX;
    for (;;) {
        char *larger = realloc(buffer, capacity + 1);
        if (larger == NULL) {
            free(buffer);
            return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory");
        }
        buffer = larger;
        const ssize_t got = read(fd, buffer + used, capacity - used);
        if (got < 0 && errno != EINTR) {
            const int number = errno;
            free(buffer);
            return fail_io(err, path, "cannot be read", number);
        }
        used += got > 0 ? (size_t)got : 0;
        if (used > most) {
            free(buffer);
            return nnc_file_too_large(path, most, err);
        }
        if (got == 0) { break; }
        /* a file above NNC_FILE_BYTES_MAX is accepted only if the file contains the name of a schema of nncost */
        if (used > NNC_FILE_BYTES_MAX && !known) {
            buffer[used] = '\0';
            known = strstr(buffer, "\"nncost.") != NULL;
            if (!known) {
                free(buffer);
                return nnc_file_too_large(path, NNC_FILE_BYTES_MAX, err);
            }
        }
        capacity = used == capacity ? 2 * capacity : capacity;
    }
    if (used >= 2 && (memcmp(buffer, "\xFF\xFE", 2) == 0 || memcmp(buffer, "\xFE\xFF", 2) == 0)) {
        free(buffer);
        return nnc_fail(err, NNC_BAD_SPEC, path, "text in UTF-16, expected UTF-8");
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used;
    return NNC_OK;
}

nnc_status nnc_file_too_large(const char *path, size_t most, nnc_error *err) {
    return nnc_fail(err, NNC_BAD_SPEC, path, "too large, expected at most %zu MB, found more", most / 1000000);
}

nnc_status nnc_file_read(const char *path, char **text, size_t *size, nnc_error *err) {
    return nnc_file_read_large(path, NNC_FILE_BYTES_MAX, text, size, err);
}

nnc_status nnc_file_read_large(const char *path, size_t most, char **text, size_t *size, nnc_error *err) {
    struct stat about;
    const bool is_standard = strcmp(path, "-") == 0;
    const int fd = nnc_open_to_read(is_standard ? "/dev/stdin" : path);
    if (fd < 0 && errno == ENOMEM) { return nnc_fail(err, NNC_NO_MEMORY, path, "out of memory"); }
    if (fd < 0) { return fail_io(err, path, "cannot be opened", errno); }
    nnc_status status;
    if (fstat(fd, &about) != 0) {
        status = fail_io(err, path, "cannot be read", errno);
    } else if (S_ISDIR(about.st_mode)) {
        status = fail_io(err, path, "cannot be read", EISDIR);
    } else {
        const bool plain = S_ISREG(about.st_mode) && about.st_size <= (off_t)most;
        status = read_all(fd, path, plain ? (size_t)about.st_size : 4096, most, text, size, err);
    }
    close(fd);
    return status;
}

/* Smallest number of bytes that nnc_blocks_fill allocates for a block of a file. */
enum { BLOCK = 1 << 16 };

bool nnc_blocks_open(nnc_blocks *stream, const char *path) {
    struct stat about;
    *stream = (nnc_blocks){ .fd = nnc_open_to_read(path) };
    return stream->fd >= 0 && fstat(stream->fd, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_size <= NNC_RECORDED_BYTES_MAX;
}

void nnc_blocks_close(nnc_blocks *stream) {
    if (stream->fd >= 0) { close(stream->fd); }
    free(stream->bytes);
    *stream = (nnc_blocks){ .fd = -1 };
}

size_t nnc_blocks_fill(nnc_blocks *stream, size_t least) {
    if (stream->size - stream->at >= least) { return stream->size - stream->at; }
    if (stream->room < least) {
        const size_t room = least > BLOCK ? 2 * least : BLOCK;
        char *larger = realloc(stream->bytes, room);
        if (larger == NULL) { return stream->size - stream->at; }
        stream->bytes = larger;
        stream->room = room;
    }
    stream->size -= stream->at;
    memmove(stream->bytes, stream->bytes + stream->at, stream->size);
    stream->at = 0;
    for (ssize_t got = 1; stream->size < least && (got > 0 || (got < 0 && errno == EINTR));) {
        got = read(stream->fd, stream->bytes + stream->size, stream->room - stream->size);
        stream->size += got > 0 ? (size_t)got : 0;
    }
    return stream->size;
}

bool nnc_is_path(const char *text) {
    return strchr(text, '/') != NULL || strcmp(text, "-") == 0 || nnc_ends_in(text, ".json") ||
           nnc_ends_in(text, ".xml");
}

const char *nnc_path_from(nnc_arena *arena, const char *file, const char *path) {
    const char *slash = path[0] != '/' ? strrchr(file, '/') : NULL;
    const size_t folder = slash != NULL ? (size_t)(slash - file) + 1 : 0;
    const size_t size = folder + strlen(path) + 1;
    char *text = nnc_arena_alloc(arena, size);
    if (text != NULL) { snprintf(text, size, "%.*s%s", (int)folder, file, path); }
    return text;
}

/* ---- digests of spec files ---- */

/* Keys of a spec file whose values do not change the spec; the digest of the file leaves these keys out. */
static const char *const comments[] = { "note",       "sources", "references", "like", "same_as",
                                        "stands_for", "aliases", "compared",   NULL };

/* Adds the digests of the data files (in foreign/) with which a configuration of another program was read: if a data
 * file changes, the same configuration may become another model. Errors are not reported here, because the command that
 * loads the model reports them. */
static nnc_status add_data_files(nnc_json_doc *doc, uint64_t *digest, nnc_error *err) {
    nnc_error why;
    nnc_faults unused = { .name = doc->faults->name, .err = &why };
    nnc_model *model = nnc_arena_alloc(doc->arena, sizeof *model);
    NNC_GOT(model, err);
    nnc_faults *const own = doc->faults;
    doc->faults = &unused;
    doc->digest = digest;
    nnc_model_read(nnc_json_root(doc), NULL, model);
    doc->faults = own;
    return NNC_OK;
}

nnc_status nnc_spec_digest(nnc_specs *specs, const char *path, uint64_t *digest, nnc_error *err) {
    char *text = NULL;
    size_t size = 0;
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size, .foreign = true
    };
    if (nnc_json_parse(&doc)) {
        const nnc_spec_kind kind = spec_kind_said(nnc_json_root(&doc));
        if (kind == NNC_SPEC_KIND_COUNT || nnc_spec_complete(&doc, specs, kind)) {
            *digest = nnc_json_digest(nnc_json_root(&doc), comments);
        }
    }
    nnc_status status = faults.status;
    if (status == NNC_OK && nnc_is_foreign(nnc_json_root(&doc))) {
        doc.specs = specs;
        doc.lenient = nnc_specs_are_lenient(specs);
        status = add_data_files(&doc, digest, err);
    }
    nnc_json_free(&doc);
    free(text);
    return status;
}
