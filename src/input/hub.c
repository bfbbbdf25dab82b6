/* Names of the Hugging Face hub: from "unsloth/Llama-3.2-1B-Instruct-bnb-4bit" to the shape that it has.
 *
 *     hub/names.json    shape -> its names; words of a name that do not change the shape; words for the format of weights
 *     hub/SHAPE.json    a configuration as the authors publish it, where models/SHAPE.json does not have the shape
 *
 * A name is looked up as it stands, then without its owner and without those words, so that copies and quantised
 * variants of a known network are found too; "bartowski/Qwen_Qwen3-8B-GGUF" is a copy of Qwen/Qwen3-8B. A word that is not known stays, and the name is then not found: a network
 * that only sounds alike is never taken. The table is read when a name is neither a file nor a shipped id. */
#include <ctype.h>
#include <strings.h>

#include "input/input_internal.h"

enum { PLAIN_MAX = 128 };

/* The word from `from` up to the next separator, in lower case; '_' is as '.' (Llama-3_3). NULL: no further word. */
static const char *next_word(const char *from, char word[PLAIN_MAX])
{
    size_t length = 0;
    from += strspn(from, "- ");
    for (; from[length] != '\0' && strchr("- ", from[length]) == NULL && length + 1 < PLAIN_MAX;
         length++) {
        const char c = (char)tolower((unsigned char)from[length]);
        word[length] = (char)(c == '_' ? '.' : c);
    }
    word[length] = '\0';
    return length > 0 ? from + length : NULL;
}

/* The name without owner and without words that do not change the shape. A format of weights that the words say goes
 * to *stored, which belongs to the document; the last one counts ("GPTQ-Int8"). */
static void plain_name(nnc_json table, const char *name, char plain[PLAIN_MAX], const char **stored)
{
    const nnc_json words = nnc_json_get(table, "words"), formats = nnc_json_get(table, "formats");
    const char *slash = strrchr(name, '/');
    const char *from = slash != NULL ? slash + 1 : name;
    char word[PLAIN_MAX];
    size_t used = 0;
    plain[0] = '\0';
    while ((from = next_word(from, word)) != NULL) {
        const nnc_json format = nnc_json_get(formats, word);
        const size_t length = strlen(word);
        if (nnc_json_type_of(format) == NNC_JSON_TEXT) {
            *stored = nnc_json_text(format);
        } else if (nnc_json_get(words, word).node == NULL && used + length + 2 < PLAIN_MAX) {
            used += (size_t)snprintf(plain + used, PLAIN_MAX - used, used > 0 ? "-%s" : "%s", word);
        }
    }
}

/* The shape of a name, its member of "shapes"; node NULL = not known. `exact`: as it stands. Otherwise names of two
 * shapes that are plainly the same are no answer. */
static nnc_json shape_of(nnc_json table, const char *name, bool exact)
{
    nnc_json found = { .node = NULL };
    char wanted[PLAIN_MAX], plain[PLAIN_MAX];
    const char *unused = NULL;
    plain_name(table, name, wanted, &unused);
    for (nnc_json shape = nnc_json_first(nnc_json_get(table, "shapes")); shape.node != NULL;
         shape = nnc_json_next(shape)) {
        for (nnc_json one = nnc_json_first(nnc_json_get(shape, "names")); one.node != NULL;
             one = nnc_json_next(one)) {
            const char *text = nnc_json_type_of(one) == NNC_JSON_TEXT ? nnc_json_text(one) : "";
            if (!exact) {
                plain_name(table, text, plain, &unused);
            }
            if (exact ? strcasecmp(text, name) == 0
                      : strcmp(plain, wanted) == 0 && plain[0] != '\0') {
                if (found.node != NULL && found.node != shape.node) {
                    return (nnc_json){ .node = NULL };
                }
                found = shape;
            }
        }
    }
    return found;
}

/* The name of the table whose plain form is nearest; NULL = none is near. */
static const char *nearest_name(nnc_json table, const char *name, nnc_arena *arena)
{
    const nnc_json shapes = nnc_json_get(table, "shapes");
    int32_t count = 0, capacity = 0;
    const char **plains = NULL, **names = NULL;
    char plain[PLAIN_MAX];
    const char *unused = NULL;
    for (nnc_json s = nnc_json_first(shapes); s.node != NULL; s = nnc_json_next(s)) {
        capacity += nnc_json_count(nnc_json_get(s, "names"));
    }
    plains = nnc_arena_array(arena, (size_t)capacity + 1, sizeof *plains);
    names = nnc_arena_array(arena, (size_t)capacity + 1, sizeof *names);
    for (nnc_json s = nnc_json_first(shapes); plains != NULL && names != NULL && s.node != NULL;
         s = nnc_json_next(s)) {
        for (nnc_json one = nnc_json_first(nnc_json_get(s, "names")); one.node != NULL;
             one = nnc_json_next(one)) {
            if (nnc_json_type_of(one) == NNC_JSON_TEXT) {
                plain_name(table, nnc_json_text(one), plain, &unused);
                plains[count] = nnc_arena_strdup(arena, plain);
                names[count] = nnc_json_text(one);
                count += plains[count] != NULL;
            }
        }
    }
    plain_name(table, name, plain, &unused);
    const char *near =
        plains != NULL && names != NULL ? nnc_nearest(plain, plains, (size_t)count) : NULL;
    for (int32_t i = 0; near != NULL && i < count; i++) {
        if (plains[i] == near) {
            return nnc_arena_strdup(arena, names[i]);
        }
    }
    return NULL;
}

/* The file of a shape: shipped, or a configuration; *path stays NULL when no data folder has it. */
static nnc_status place(nnc_specs *specs, const char *shape, const char **path, nnc_error *err)
{
    static const char *const folders[] = { "models", "hub" };
    for (size_t i = 0; i < NNC_COUNT_OF(folders) && *path == NULL; i++) {
        char file[96];
        snprintf(file, sizeof file, "%s/%.64s.json", folders[i], shape);
        NNC_TRY(nnc_specs_file(specs, file, path, err));
    }
    return NNC_OK;
}

static nnc_status look_up(nnc_specs *specs, nnc_json table, const char *name, nnc_hub_name *hub,
                          nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(specs);
    nnc_json shape = shape_of(table, name, true);
    char plain[PLAIN_MAX];
    const char *stored = NULL;
    if (shape.node == NULL) {
        shape = shape_of(table, name, false);
    }
    const char *slash = strchr(name, '/'), *inner = slash != NULL ? strchr(slash, '_') : NULL;
    if (shape.node == NULL && inner != NULL) {
        shape = shape_of(table, inner + 1, false);
    }
    if (shape.node == NULL) {
        hub->nearest = nearest_name(table, name, arena);
        return NNC_OK;
    }
    plain_name(table, name, plain, &stored);
    const nnc_json source = nnc_json_get(shape, "source");
    hub->shape = nnc_arena_strdup(arena, nnc_json_key(shape));
    hub->stored = stored != NULL ? nnc_arena_strdup(arena, stored) : NULL;
    hub->source = nnc_json_type_of(source) == NNC_JSON_TEXT
                      ? nnc_arena_strdup(arena, nnc_json_text(source))
                      : NULL;
    return hub->shape != NULL ? place(specs, hub->shape, &hub->path, err) : nnc_no_memory(err);
}

nnc_status nnc_hub_find(nnc_specs *specs, const char *name, nnc_hub_name *hub, nnc_error *err)
{
    const char *path = NULL;
    char *text = NULL;
    size_t size = 0;
    *hub = (nnc_hub_name){ .path = NULL };
    NNC_TRY(nnc_specs_file(specs, "hub/names.json", &path, err));
    if (path == NULL) {
        return NNC_OK;
    }
    NNC_TRY(nnc_specs_read(specs, path, &text, &size, err));
    nnc_faults faults = { .name = path, .err = err };
    nnc_json_doc doc = {
        .faults = &faults, .arena = nnc_specs_arena(specs), .text = text, .size = size
    };
    const nnc_status status =
        nnc_json_parse(&doc) ? look_up(specs, nnc_json_root(&doc), name, hub, err) : faults.status;
    nnc_json_free(&doc);
    free(text);
    return status;
}

nnc_status nnc_hub_tell(nnc_specs *specs, const char *asked, const nnc_hub_name *hub,
                        nnc_model *model, nnc_error *err)
{
    nnc_arena *arena = nnc_specs_arena(specs);
    const char **notes = nnc_arena_array(arena, (size_t)model->note_count + 2, sizeof *notes);
    char text[512];
    NNC_GOT(notes, err);
    int32_t count = 0;
    snprintf(text, sizeof text, "%.200s has the shape %s%s%s%s", asked, hub->shape,
             hub->source != NULL ? " (" : "", hub->source != NULL ? hub->source : "",
             hub->source != NULL ? ")" : "");
    notes[count++] = nnc_arena_strdup(arena, text);
    if (hub->stored != NULL) {
        snprintf(text, sizeof text,
                 "by its name the weights are stored as %s: \"nncost serve\" takes it where it "
                 "knows the format; a training step takes --precision, --policy and --frozen",
                 hub->stored);
        notes[count++] = nnc_arena_strdup(arena, text);
    }
    for (int32_t i = 0; i < model->note_count; i++) {
        notes[count++] = model->notes[i];
    }
    for (int32_t i = 0; i < count; i++) {
        NNC_GOT(notes[i], err);
    }
    model->notes = notes;
    model->note_count = count;
    model->stored = hub->stored;
    return NNC_OK;
}
