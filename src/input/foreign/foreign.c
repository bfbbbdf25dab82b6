/* Reads a configuration of Hugging Face or diffusers as a model. The steps read, in this order: the architecture of the
 * file, the network of the architecture, unknown keys, implied fields, the class and its head, keys, kinds of layers,
 * parts, notes. A file with several networks is a text decoder with towers that read images or sounds for the
 * decoder. */
#include <ctype.h>

#include "base/base_internal.h"
#include "input/foreign/foreign_internal.h"

/* Longest sequence, in tokens, that nncost assumes in training, even if the network allows longer sequences. */
enum { TRAINED_TOKENS = 8192 };

/* ---- the architecture of a configuration ---- */

static void refuse_architecture(nnc_foreign_set *set, nnc_json at) {
    char expected[256];
    int32_t count = 0;
    const char *name = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
    const char *near = nnc_foreign_nearest(set, name, true, &count);
    if (count == 0) {
        nnc_json_mismatch(at, "unknown architecture",
                          "files in the foreign folder of NNCOST_PATH or of the installed data");
        return;
    }
    snprintf(expected, sizeof expected,
             "one of those in docs/models.md%s%s, a file foreign/MODEL_TYPE.json of your own, or the "
             "shape as a model file (nncost show llama3-8b --format json)",
             near != NULL ? ", nearest " : "", near != NULL ? near : "");
    nnc_json_mismatch(at, "unknown architecture", expected);
}

/* Several architectures share some old class names; the value of another key of the configuration selects the
 * architecture. Returns the architecture for an old class name that several architectures share. After noting a fault,
 * returns NULL. */
static const nnc_architecture *stands_for(nnc_foreign_set *set, nnc_json root, const nnc_architecture *row) {
    char own[64], expected[160];
    const char *key = nnc_json_text(nnc_json_get(row->stands_for, "key"));
    const nnc_json at = nnc_json_get(root, key), is = nnc_json_get(row->stands_for, "is");
    const char *value = nnc_foreign_text(at, own, sizeof own);
    const nnc_json name = nnc_json_get(is, value != NULL ? value : "");
    if (name.node == NULL) {
        nnc_foreign_expected(expected, sizeof expected, "", " or ", is);
        nnc_json_fault(at.node != NULL ? at : root, at.node != NULL ? NULL : key,
                       "a network that nncost does not know, expected one of %s, found %.60s", expected,
                       value != NULL ? value : "more than one value");
        return NULL;
    }
    for (nnc_json need = nnc_json_first(row->needs); need.node != NULL; need = nnc_json_next(need)) {
        if (!nnc_foreign_given(root, nnc_json_text(need))) {
            nnc_json_fault(root, nnc_json_text(need), "missing, expected this key for a %s, found nothing",
                           nnc_json_text(name));
            return NULL;
        }
    }
    const nnc_architecture *found = nnc_foreign_find(set, nnc_json_text(name));
    if (found == NULL && set->faults->count == 0) {
        nnc_json_mismatch(name, "unknown architecture", "the id of a file in foreign/");
        nnc_foreign_pass_on(set->faults, name);
    }
    return found;
}

/* Returns the architecture that the configuration names by "model_type" or a class name. After noting a fault, returns
 * NULL. */
static const nnc_architecture *find_row(nnc_foreign_set *set, nnc_json root) {
    const char *key = nnc_foreign_given(root, "_class_name") ? "_class_name" : "model_type";
    const nnc_json at = nnc_json_get(root, key);
    const bool named = nnc_json_type_of(at) == NNC_JSON_TEXT;
    const nnc_architecture *row = named ? nnc_foreign_find(set, nnc_json_text(at)) : NULL;
    if (set->faults->count > 0) { return NULL; }
    if (row != NULL && row->refuses[0] != '\0') {
        nnc_json_fault(at, NULL, "%s, found \"%s\"", row->refuses, nnc_json_text(at));
        return NULL;
    }
    if (row != NULL && row->stands_for.node != NULL) { return stands_for(set, root, row); }
    if (row != NULL && nnc_foreign_is_network(row)) { return row; }
    refuse_architecture(set, at);
    return NULL;
}

/* ---- the network of the architecture, and the fields that its files name ---- */

/* Gives the model a copy of the list of ops that the architecture names. If the architecture names no list, does
 * nothing. If the list is not valid, notes a fault and returns false. */
static bool take_graph(nnc_foreign_file *file) {
    char below[96], *text = NULL;
    size_t size = 0;
    const char *path = NULL;
    nnc_error err;
    const nnc_architecture *row = file->row;
    while (row != NULL && row->graph[0] == '\0') { row = row->below; }
    if (row == NULL) { return true; }
    snprintf(below, sizeof below, "foreign/graphs/%s.json", row->graph);
    if (strpbrk(row->graph, "/\\") != NULL || nnc_specs_file(file->set->specs, below, &path, NULL) != NNC_OK ||
        path == NULL) {
        return nnc_json_fault(file->at, NULL, "%s: no list of ops, expected %s in a data folder, found none", row->id,
                              below);
    }
    nnc_faults faults = { .name = path, .err = &err };
    nnc_json_doc doc = { .faults = &faults, .arena = file->set->arena };
    if (nnc_specs_read(file->set->specs, path, &text, &size, &err) != NNC_OK) {
        nnc_faults_note(file->at.doc->faults, &err);
        return false;
    }
    doc.text = text;
    doc.size = size;
    if (nnc_json_parse(&doc)) {
        nnc_json_digest_add(file->at.doc, nnc_json_root(&doc));
        nnc_graph_take(nnc_json_root(&doc), file->model);
    }
    if (faults.count > 0) { nnc_faults_note(file->at.doc->faults, &err); }
    nnc_json_free(&doc);
    free(text);
    return faults.count == 0;
}

/* Tests whether a name is a field of the model or the empty text. If the name is neither a field nor empty, notes a
 * fault at the place of the name in the data file. */
static bool is_field(const nnc_foreign_file *file, nnc_json at, const char *name) {
    nnc_error why;
    nnc_dtype dtype;
    void *object = file->model;
    const nnc_field *field = NULL;
    if (name[0] == '\0' || nnc_field_of_key(nnc_model_table_of(file->model), name) != NULL) { return true; }
    (void)nnc_field_at(nnc_model_table_of(file->model), name, &object, &field, &dtype, &why);
    nnc_json_fault(at, NULL, "%s", why.what);
    nnc_foreign_pass_on(file->at.doc->faults, at);
    return false;
}

static bool are_fields(const nnc_foreign_file *file, nnc_json value) {
    bool good = true;
    for (nnc_json at = nnc_json_first(value); good && nnc_json_type_of(value) == NNC_JSON_OBJECT && at.node != NULL;
         at = nnc_json_next(at)) {
        good = is_field(file, at, nnc_json_key(at));
    }
    return good;
}

/* Checks one entry of "keys" in a data file: the model must have the fields that the entry names. If a field is
 * missing, notes a fault in the data file and returns false. */
static bool check_key(const nnc_foreign_file *file, nnc_json at, const nnc_foreign_key *key) {
    bool good = is_field(file, nnc_json_get(at, "to"), key->to) &&
                (isdigit((unsigned char)key->times[0]) || is_field(file, nnc_json_get(at, "times"), key->times)) &&
                is_field(file, nnc_json_get(at, "uneven_to"), key->uneven_to) &&
                is_field(file, nnc_json_get(at, "none_if_equal"), key->none_if_equal) &&
                are_fields(file, key->absent) && are_fields(file, key->null);
    for (nnc_json to = nnc_json_first(key->to_each); good && to.node != NULL; to = nnc_json_next(to)) {
        good = is_field(file, to, nnc_json_text(to));
    }
    for (nnc_json value = nnc_json_first(key->values); good && value.node != NULL; value = nnc_json_next(value)) {
        good = are_fields(file, value);
    }
    return good;
}

/* Checks the rules of one data file. The fields that the rules name must exist in the model; only a decoder has
 * patterns, and only a U-Net has levels. If the input is not valid, notes a fault and returns false. */
static bool check_row(const nnc_foreign_file *file, const nnc_architecture *row) {
    const nnc_json root = nnc_json_root(row->only.doc);
    const nnc_family family = file->model->family;
    const nnc_json keys = nnc_json_get(root, "keys"), patterns = nnc_json_get(root, "patterns");
    bool good = are_fields(file, row->implies);
    int32_t i = 0;
    for (nnc_json at = nnc_json_first(keys); good && i < row->key_count; at = nnc_json_next(at)) {
        good = check_key(file, at, &row->keys[i++]);
    }
    i = 0;
    for (nnc_json at = nnc_json_first(patterns); good && i < row->pattern_count; at = nnc_json_next(at)) {
        good = is_field(file, nnc_json_get(at, "to"), row->patterns[i++].to);
    }
    const bool patterned = row->pattern_count > 0 && family != NNC_FAMILY_DECODER;
    const bool levelled = row->levels.node != NULL && family != NNC_FAMILY_UNET;
    if (good && (patterned || levelled)) {
        nnc_json_mismatch(patterned ? patterns : row->levels, "does not belong to this family",
                          patterned ? "it for a decoder" : "it for a unet");
        nnc_foreign_pass_on(file->at.doc->faults, patterns.node != NULL ? patterns : row->levels);
        good = false;
    }
    return good;
}

bool nnc_foreign_begin(nnc_foreign_file *file) {
    const nnc_architecture *row = file->row;
    file->model->family = nnc_foreign_family(row);
    if (file->model->family == NNC_FAMILY_COUNT) {
        const nnc_json root = nnc_json_root(row->only.doc);
        file->model->family = NNC_FAMILY_DECODER;
        nnc_json_fault(root, "family", "missing, expected a family, or the key like, found nothing");
        nnc_foreign_pass_on(file->at.doc->faults, root);
        return false;
    }
    bool good = take_graph(file);
    for (; good && row != NULL; row = row->below) { good = check_row(file, row); }
    return good;
}

/* ---- unknown keys ---- */

/* Writes the values of a key that the list `only` of the data file allows, as text such as "silu|swish". */
static void write_only(nnc_json only, char *text, size_t size) {
    char own[64];
    const nnc_json each = nnc_json_get(only, "each");
    if (nnc_json_type_of(only) == NNC_JSON_LIST) {
        nnc_foreign_expected(text, size, nnc_json_count(only) == 0 ? "empty" : "", "|", only);
    } else if (nnc_json_type_of(only) == NNC_JSON_OBJECT) {
        snprintf(text, size, "%s%s", each.node != NULL ? "each:" : "scalar",
                 each.node != NULL ? nnc_foreign_text(each, own, sizeof own) : "");
    } else {
        snprintf(text, size, "%s", nnc_foreign_text(only, own, sizeof own));
    }
}

/* Tests whether a value is one of the allowed values of a key. null is always allowed. only: values that the data file
 * allows: [] = an empty list or object; {"each": V} = a list in which every value is V; {"scalar": true} = any single
 * value; any other `only` is a value or a list of values. */
static bool allowed(nnc_json at, nnc_json only) {
    char text[64], own[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    const nnc_json_type type = nnc_json_type_of(only);
    const nnc_json each = nnc_json_get(only, "each");
    if (type == NNC_JSON_OBJECT && each.node == NULL) { return value != NULL; }
    if (nnc_json_type_of(at) == NNC_JSON_NULL || (type == NNC_JSON_NULL && nnc_foreign_is_empty(at))) { return true; }
    if (each.node != NULL) {
        bool same = nnc_json_type_of(at) == NNC_JSON_LIST;
        for (nnc_json one = nnc_json_first(at); same && one.node != NULL; one = nnc_json_next(one)) {
            value = nnc_foreign_text(one, text, sizeof text);
            same = value != NULL && strcmp(value, nnc_foreign_text(each, own, sizeof own)) == 0;
        }
        return same;
    }
    if (value == NULL) { return type == NNC_JSON_LIST && nnc_json_count(only) == 0 && nnc_json_count(at) == 0; }
    nnc_json one = type == NNC_JSON_LIST ? nnc_json_first(only) : only;
    while (one.node != NULL) {
        const char *known = nnc_foreign_text(one, own, sizeof own);
        if (known != NULL && strcmp(known, value) == 0) { return true; }
        one = type == NNC_JSON_LIST ? nnc_json_next(one) : (nnc_json){ only.doc, NULL };
    }
    return false;
}

/* Tests whether a value is a number and its key names a size ("hidden_size"). A key that names a size always decides
 * dimensions. */
static bool looks_like_size(nnc_json at, const char *key) {
    static const char *const parts[] = { "num_",  "n_",     "layer", "hidden", "_dim",  "_size",
                                         "_rank", "expert", "heads", "width",  "depth", "channel" };
    bool sized = false;
    for (size_t i = 0; i < NNC_COUNT_OF(parts); i++) { sized = sized || strstr(key, parts[i]) != NULL; }
    return sized && nnc_json_type_of(at) == NNC_JSON_NUMBER && nnc_json_number(at) >= 1;
}

static void refuse_unknown(nnc_foreign_file *file, nnc_json at, const char *key) {
    char text[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    const char *name = file->row->id;
    if (looks_like_size(at, key) || nnc_foreign_shapes(file->set, key)) {
        nnc_json_fault(at, NULL,
                       "changes the shape of a %s in a way that nncost does not know, expected no such key, or your "
                       "own model file (nncost show llama3-8b --format json prints an example), found %.60s",
                       name, value != NULL ? value : "more than one value");
    } else if (!at.doc->lenient) {
        nnc_json_fault(at, NULL,
                       "unknown key, expected a key of a %s, found %.60s; --lenient skips the key if it does not "
                       "change the shape of the network",
                       name, value != NULL ? value : "more than one value");
    } else {
        nnc_foreign_note(file->skipped, sizeof file->skipped, "%.60s", key);
    }
}

static void check_only(nnc_json at, nnc_json only) {
    char text[128];
    if (only.node != NULL && !allowed(at, only)) {
        write_only(only, text, sizeof text);
        nnc_json_mismatch(at, "changes the shape to a network that this version of nncost does not know", text);
    }
}

/* A text decoder and its tower can have their keys in one JSON object. Tests whether the architecture `around` uses a
 * key. around: the architecture of a second network whose keys are in the same object. */
static bool known_around(const nnc_architecture *around, const char *key) {
    return around != NULL &&
           (around->text.node != NULL ? nnc_foreign_speaks_of(around, key) : nnc_foreign_mentions(around, key));
}

/* Tests whether the data file of the architecture, or the file for all configurations, lists a key. If the data file
 * does not allow the value that the configuration has for the key, notes a fault. */
static bool check_known(nnc_foreign_file *file, nnc_json at, const char *key) {
    const nnc_json none = { file->at.doc, NULL };
    const nnc_architecture *row = file->row, *any = file->set->any;
    const nnc_json any_only = any != NULL ? any->only : none;
    const char *inside = strrchr(key, '.');
    const char *own = inside != NULL ? inside + 1 : key;
    while (row != NULL && !nnc_foreign_mentions(row, key)) { row = row->below; }
    check_only(at, nnc_json_get(row != NULL ? row->only : any_only, key));
    if (row == NULL && inside != NULL) { check_only(at, nnc_json_get(any_only, own)); }
    const bool of_text = file->row != NULL && file->row->part && strcmp(key, "tie_word_embeddings") == 0;
    return row != NULL || of_text || nnc_json_get(any_only, own).node != NULL ||
           (any != NULL && (nnc_foreign_listed(any->harmless, own) || nnc_foreign_listed(any->harmless, key))) ||
           known_around(file->around, key);
}

/* Checks that each key of an object of the configuration is known. If a rule of the data file mentions an object inside
 * the checked object, the function checks the inner object in the same way. prefix: names of the enclosing objects,
 * each followed by a dot. */
static void check_members(nnc_foreign_file *file, nnc_json object, const char *prefix, int depth) {
    for (nnc_json at = nnc_json_first(object); at.node != NULL && nnc_json_go_on(at); at = nnc_json_next(at)) {
        char key[160];
        snprintf(key, sizeof key, "%s%.80s", prefix, nnc_json_key(at));
        const bool known = check_known(file, at, key);
        bool inside = false;
        for (const nnc_architecture *row = file->row; row != NULL && depth < 2; row = row->below) {
            inside = inside || nnc_foreign_speaks_inside(row, key);
        }
        if (inside && nnc_json_type_of(at) == NNC_JSON_OBJECT) {
            snprintf(key, sizeof key, "%s%.80s.", prefix, nnc_json_key(at));
            check_members(file, at, key, depth + 1);
        } else if (!known && !nnc_foreign_is_empty(at)) {
            refuse_unknown(file, at, key);
        }
    }
}

/* ---- reads the class of a model ("architectures") and its head ---- */

/* Sets the number of labels of a classifier: the number that the configuration states, or else the number of label
 * names in the configuration, or else 2. two: false = the configuration must state the number or the names. */
static void set_labels(nnc_json root, nnc_model *model, bool two) {
    const nnc_json number = nnc_foreign_get(root, "num_labels|_num_labels");
    const nnc_json names = nnc_json_get(root, "id2label");
    const bool counted = nnc_json_type_of(number) == NNC_JSON_NUMBER;
    const bool named = nnc_json_type_of(names) == NNC_JSON_OBJECT;
    const int count = named ? nnc_json_count(names) : 2;
    if (!named && !counted && !two) {
        nnc_json_fault(root, "id2label", "missing, expected the names of the classes, found nothing");
    } else if (named && counted && nnc_json_number(number) != count) {
        nnc_json_mismatch(number, "differs from id2label", "as many as names");
    }
    if (counted) {
        nnc_foreign_set_value(root, model, "head_width", number);
    } else {
        nnc_foreign_set_number(root, model, "head_width", count);
    }
}

/* Sets the fields that the name of a PyTorch class implies ("ForSequenceClassification" has a head). The value "labels"
 * stands for the number of labels that the configuration states, or for 2 if the configuration states no number. The
 * value "given_labels" also stands for the number of labels, but requires that the configuration states the number. */
static void apply_class(nnc_json root, nnc_model *model, nnc_json effects) {
    for (nnc_json at = nnc_json_first(effects); at.node != NULL; at = nnc_json_next(at)) {
        const char *text = nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
        if (strcmp(text, "labels") == 0 || strcmp(text, "given_labels") == 0) {
            set_labels(root, model, strcmp(text, "labels") == 0);
        } else {
            nnc_foreign_set_value(root, model, nnc_json_key(at), at);
        }
    }
}

/* Tests whether a class name ends in `end`. The ending "Model" matches only base models, whose names do not contain
 * "For": "LlamaModel", but not "ForRewardModel". */
static bool ends_so(const char *name, const char *end) {
    const bool base = strcmp(end, "Model") == 0;
    return nnc_ends_in(name, end) && !(base && strstr(name, "For") != NULL);
}

/* Reads the PyTorch class that the configuration names. The class must build the network of the architecture with a
 * known head: a base model has no head, a classifier has a different head. The function uses the first ending in the
 * list of the data file that fits the class. If the configuration names no class, the function uses the first ending of
 * the list. */
static void read_class(nnc_foreign_file *file, nnc_json root) {
    const nnc_json list = nnc_json_get(root, "architectures");
    const nnc_json at = nnc_json_first(list);
    const nnc_architecture *row = file->row;
    while (row->below != NULL && row->classes.node == NULL) { row = row->below; }
    const bool named = nnc_json_type_of(list) == NNC_JSON_LIST && nnc_json_type_of(at) == NNC_JSON_TEXT;
    char expected[256] = "one that ends in";
    for (nnc_json c = nnc_json_first(row->classes); c.node != NULL; c = nnc_json_next(c)) {
        const bool other = nnc_json_type_of(c) == NNC_JSON_BOOL;
        if (!named || ends_so(nnc_json_text(at), nnc_json_key(c))) {
            if (!other) {
                apply_class(root, file->model, c);
                return;
            }
            break;
        }
    }
    if (named && row->classes.node != NULL) {
        for (nnc_json c = nnc_json_first(row->classes); c.node != NULL; c = nnc_json_next(c)) {
            const size_t used = strlen(expected);
            if (nnc_json_type_of(c) != NNC_JSON_BOOL) {
                snprintf(expected + used, sizeof expected - used, " %s", nnc_json_key(c));
            }
        }
        nnc_json_mismatch(at, "a class with another head, or without one", expected);
    }
}

/* ---- reads the fields of one network ---- */

static void set_implied(nnc_foreign_file *file) {
    const nnc_architecture *row = NULL;
    while ((row = nnc_foreign_next(file->row, row)) != NULL) {
        nnc_foreign_set_value(file->at, file->model, NULL, row->implies);
    }
    nnc_foreign_set_value(file->at, file->model, NULL, file->implied);
}

/* Returns the architecture file that decides the kinds of layers. If `row` has the key "patterns", returns `row`;
 * otherwise returns the first file with the key "patterns" in the chain of "like" keys of `row`. */
static const nnc_architecture *with_patterns(const nnc_architecture *row) {
    while (row->below != NULL && row->pattern_count == 0) { row = row->below; }
    return row;
}

/* Sets the fields of the model. The function first sets fields that the architecture implies, then fields that the
 * PyTorch class in the file implies, then fields of the file's keys and patterns. */
static void fill(nnc_foreign_file *file) {
    const nnc_json root = file->at;
    if (!nnc_foreign_begin(file) || !nnc_json_go_on(root)) { return; }
    check_members(file, root, "", 0);
    set_implied(file);
    if (file->around == NULL && nnc_foreign_is_network(file->row) && nnc_json_root(root.doc).node == root.node) {
        read_class(file, root);
    }
    nnc_foreign_read_keys(file);
    const nnc_architecture *row = with_patterns(file->row);
    for (int32_t i = 0; i < row->pattern_count && root.doc->faults->count == 0; i++) {
        nnc_foreign_pattern_read(file, &row->patterns[i]);
    }
    if (file->row->levels.node != NULL && nnc_json_go_on(root)) { nnc_foreign_levels_read(file, file->row->levels); }
}

/* ---- reads files with several networks ---- */

/* Returns the architecture of one of several networks of a configuration. at: the object of the network. If the object
 * names an architecture by "model_type", returns this architecture; otherwise returns the architecture `like` that the
 * data file names. part: true = the network is a tower; false = the network is the text decoder. */
static const nnc_architecture *row_of(nnc_foreign_set *set, nnc_json at, nnc_json like, bool part) {
    const nnc_json type = nnc_json_get(at, "model_type");
    const bool named = nnc_json_type_of(type) == NNC_JSON_TEXT;
    const char *name = nnc_json_text(like);
    const nnc_architecture *said = named ? nnc_foreign_find(set, nnc_json_text(type)) : NULL;
    if (said != NULL && said->refuses[0] == '\0' && said->text.node == NULL && !said->base && said->part == part &&
        (part || nnc_foreign_family(said) == NNC_FAMILY_DECODER)) {
        return said;
    }
    if (said != NULL && said->refuses[0] != '\0' && said->text.node == NULL) {
        nnc_json_fault(type, NULL, "%s, found \"%.60s\"", said->refuses, nnc_json_text(type));
        return NULL;
    }
    const nnc_architecture *own = nnc_foreign_find(set, name);
    const bool generic = own != NULL && !own->part && named && said == NULL && strcmp(name, "llama") == 0;
    if (own == NULL || generic) {
        nnc_json_mismatch(type, "unknown architecture", "one of those in docs/models.md");
        return NULL;
    }
    return own;
}

/* A configuration can have a key of the text decoder inside and outside of the object of the text decoder. Checks that
 * the value inside the object and the value outside of the object are equal. */
static void check_twice(const nnc_foreign_file *file, nnc_json inside) {
    char a[64], b[64];
    for (nnc_json at = nnc_json_first(inside); at.node != NULL; at = nnc_json_next(at)) {
        const nnc_json outside = nnc_json_get(file->at, nnc_json_key(at));
        const char *one = nnc_foreign_text(at, a, sizeof a);
        const char *other = nnc_foreign_text(outside, b, sizeof b);
        if (nnc_foreign_is_given(outside) && one != NULL && other != NULL && strcmp(one, other) != 0 &&
            nnc_foreign_shapes(file->set, nnc_json_key(at))) {
            nnc_json_mismatch(outside, "differs from the value of the text model", one);
            return;
        }
    }
}

/* Refuses a configuration in which a key that decides dimensions of the text decoder is only outside of the object of
 * the text decoder. */
static void check_beside(nnc_foreign_file *file, nnc_json inside, const nnc_architecture *text) {
    for (nnc_json at = nnc_json_first(file->at); at.node != NULL && nnc_json_go_on(at); at = nnc_json_next(at)) {
        const char *key = nnc_json_key(at);
        if (!nnc_foreign_speaks_of(file->row, key) && nnc_foreign_speaks_of(text, key) && !nnc_foreign_is_empty(at) &&
            !nnc_foreign_given(inside, key) && nnc_foreign_shapes(file->set, key)) {
            nnc_json_fault(at, NULL,
                           "describes the text model, expected inside the object of the text model, found outside");
        }
    }
    file->around = text;
}

/* Reads whether head and embedding table share their weights (are tied). The key can be inside or outside of the object
 * of the text decoder. */
static void read_tied(nnc_foreign_file *file, nnc_json text) {
    const nnc_json outside = nnc_json_get(file->at, "tie_word_embeddings");
    if (text.node != file->at.node && nnc_json_type_of(outside) == NNC_JSON_BOOL &&
        !nnc_foreign_given(text, "tie_word_embeddings")) {
        file->model->decoder.tied_head = nnc_json_bool(outside);
    }
}

static void read_text(nnc_foreign_file *file) {
    const nnc_json part = nnc_json_first(file->row->text), like = nnc_json_get(part, "like");
    const char *key = nnc_json_key(part);
    const nnc_json at = nnc_foreign_get(file->at, key);
    const bool nested = nnc_json_type_of(at) == NNC_JSON_OBJECT;
    if (!nested && !file->row->flat) {
        nnc_json_fault(file->at, key, "missing, expected an object with the decoder, found nothing");
        return;
    }
    nnc_foreign_file text = { .at = nested ? at : file->at,
                              .set = file->set,
                              .row = nested ? row_of(file->set, at, like, false)
                                            : nnc_foreign_find(file->set, nnc_json_text(like)),
                              .around = nested ? NULL : file->row,
                              .model = file->model };
    if (text.row == NULL) {
        if (!nested && file->at.doc->faults->count == 0) {
            nnc_json_mismatch(like, "unknown architecture", "the id of a file in foreign/");
            nnc_foreign_pass_on(file->at.doc->faults, like);
        }
        return;
    }
    if (nested) {
        check_twice(file, at);
        check_beside(file, at, text.row);
        check_members(file, file->at, "", 0);
    }
    fill(&text);
    read_tied(file, text.at);
    snprintf(file->taken, sizeof file->taken, "%s", text.taken);
    snprintf(file->noted, sizeof file->noted, "%s", text.noted);
    snprintf(file->skipped, sizeof file->skipped, "%s", text.skipped);
}

/* Sets those dimensions of a tower that the configuration does not state; these dimensions are equal to dimensions of
 * the text decoder. */
static void take_from_text(nnc_json at, const nnc_model *model, nnc_model *part) {
    const nnc_decoder *d = &model->decoder;
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        { "text_hidden", d->hidden }, { "text_heads", d->heads },           { "text_kv_heads", d->kv_heads },
        { "text_layers", d->layers }, { "text_ffn_hidden", d->ffn_hidden },
    };
    for (size_t i = 0; i < NNC_COUNT_OF(numbers); i++) {
        if (nnc_field_of_key(part->graph.fields, numbers[i].name) != NULL) {
            nnc_foreign_set_number(at, part, numbers[i].name, numbers[i].value);
        }
    }
}

static void read_part(nnc_foreign_file *file, nnc_json said) {
    nnc_model *part = nnc_arena_alloc(file->at.doc->arena, sizeof *part);
    const char *key = nnc_json_key(said);
    const nnc_json at = nnc_foreign_get(file->at, key);
    nnc_model *model = file->model;
    if (part == NULL) {
        nnc_faults_no_memory(file->at.doc->faults);
        return;
    }
    if (!nnc_foreign_is_given(at) && nnc_json_get(said, "optional").node != NULL) {
        nnc_foreign_note(file->noted, sizeof file->noted, "the estimate has no tower, because the file has no %.60s",
                         key);
        return;
    }
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_fault(file->at, key, "missing, expected an object, found nothing");
        return;
    }
    memset(part, 0, sizeof *part);
    const nnc_json like = nnc_json_get(said, "like");
    /* true: the part has the architecture in the data file, even if the object of the part states another model_type */
    const bool always = nnc_json_get(said, "always").node != NULL;
    nnc_foreign_file inside = { .at = at,
                                .set = file->set,
                                .row = always ? nnc_foreign_find(file->set, nnc_json_text(like))
                                              : row_of(file->set, at, like, true),
                                .implied = nnc_json_get(said, "sets"),
                                .model = part };
    if (inside.row == NULL) { return; }
    fill(&inside);
    if (file->at.doc->faults->count > 0) { return; }
    if (part->graph.fields == NULL || model->tower_count >= (int32_t)NNC_COUNT_OF(model->towers)) {
        nnc_json_fault(at, NULL, "no tower, expected an architecture with a graph, found %.60s", inside.row->id);
        return;
    }
    take_from_text(at, model, part);
    model->towers[model->tower_count++] = part->graph;
    nnc_model_rules(at, part);
    if (inside.taken[0] != '\0') {
        nnc_foreign_note(file->taken, sizeof file->taken, "of %s %.140s", key, inside.taken);
    }
}

static void read_parts(nnc_foreign_file *file) {
    read_text(file);
    for (nnc_json part = nnc_json_first(file->row->parts); part.node != NULL && nnc_json_go_on(file->at);
         part = nnc_json_next(part)) {
        read_part(file, part);
    }
    if (file->at.doc->faults->count == 0 && file->model->tower_count > 0) {
        nnc_foreign_note(
            file->noted, sizeof file->noted,
            "the estimate has no images or sounds: --set tower_inputs=1 adds the work of one image or sound per "
            "sequence");
    }
}

/* ---- rules and notes that concern the whole file ---- */

/* Returns the key of the configuration that sets a field of the model, for error messages. If no single key sets the
 * field (for example the levels of a U-Net), returns the name of the field. */
static const char *key_of(const nnc_foreign_file *file, const char *field, char *name, size_t size) {
    snprintf(name, size, "%s", field);
    for (const nnc_architecture *row = file->row; row != NULL; row = row->below) {
        for (int32_t i = 0; i < row->key_count; i++) {
            const char *key = row->keys[i].key;
            if (strcmp(row->keys[i].to, field) == 0) {
                const nnc_json at = nnc_foreign_get(file->at, key);
                snprintf(name, size, "%.*s", at.node != NULL ? 63 : (int)strcspn(key, "|"),
                         at.node != NULL ? nnc_json_key(at) : key);
                return name;
            }
        }
    }
    return name;
}

/* Refuses a configuration whose number of heads does not divide `hidden` and that states no head width. The error names
 * keys of the configuration; the later check of the decoder family names fields of nncost. */
static void check_head_dim(const nnc_foreign_file *file, const nnc_decoder *d) {
    char heads[64], hidden[64], what[96];
    if (d->head_dim == 0 && d->heads > 0 && d->hidden % d->heads != 0) {
        snprintf(what, sizeof what, "does not divide %s", key_of(file, "hidden", hidden, sizeof hidden));
        nnc_json_mismatch(nnc_json_get(file->at, key_of(file, "heads", heads, sizeof heads)), what, "a divisor");
    }
}

/* Limits d->seq_len, the longest sequence of the network in tokens, to TRAINED_TOKENS. If the network has learned
 * positions but the configuration does not state their number, sets d->positions_max to the longest sequence length of
 * the network, as it was before the limit. Returns the longest sequence length of the network, as it was before the
 * limit. */
static int64_t limit_sequence(nnc_decoder *d) {
    const int64_t maximum = d->seq_len;
    if (nnc_positions_learned(d->positions) && d->positions_max == 0) { d->positions_max = maximum; }
    d->seq_len = maximum > TRAINED_TOKENS ? TRAINED_TOKENS : maximum;
    return maximum;
}

typedef struct note_list {
    nnc_arena *arena;
    const char *texts[8];
    int32_t count;
} note_list;

static void add_note(note_list *list, const char *format, ...) NNC_PRINTF(2, 3);
static void add_note(note_list *list, const char *format, ...) {
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    list->texts[list->count] = nnc_arena_strdup(list->arena, text);
    list->count += list->texts[list->count] != NULL && list->count < 7;
}

static const char *text_at(nnc_json root, const char *key) {
    const nnc_json at = nnc_json_get(root, key);
    return nnc_json_type_of(at) == NNC_JSON_TEXT ? nnc_json_text(at) : "";
}

/* Returns the storage format of weights with `bits` bits (4 or 8). floats: true = floating-point numbers, false =
 * integers. Returns NNC_STORED_COUNT if nncost has no format with this number of bits. */
static nnc_stored narrow_format(double bits, bool floats) {
    return bits == 8.0   ? floats ? NNC_STORED_FP8 : NNC_STORED_INT8
           : bits == 4.0 ? floats ? NNC_STORED_NVFP4 : NNC_STORED_INT4
                         : NNC_STORED_COUNT;
}

/* Returns the storage format of the weights from "config_groups", a list of groups of layers that compressed-tensors
 * and ModelOpt write. The first group decides. *group: set to the number of weights that share a scale, if the group
 * states it. */
static nnc_stored grouped_format(nnc_json config, int64_t *group) {
    const nnc_json weights = nnc_json_get(nnc_json_first(nnc_json_get(config, "config_groups")), "weights");
    const nnc_json size = nnc_json_get(weights, "group_size"), bits = nnc_json_get(weights, "num_bits");
    const bool floats = strcmp(text_at(weights, "type"), "float") == 0;
    if (nnc_json_type_of(bits) != NNC_JSON_NUMBER) { return NNC_STORED_COUNT; }
    if (nnc_json_type_of(size) == NNC_JSON_NUMBER && nnc_json_number(size) >= 1.0) {
        *group = (int64_t)nnc_json_number(size);
    }
    if (floats && strcmp(text_at(weights, "strategy"), "block") == 0) { return NNC_STORED_FP8_BLOCK; }
    if (strstr(text_at(config, "format"), "mxfp4") != NULL) { return NNC_STORED_MXFP4; }
    return narrow_format(nnc_json_number(bits), floats);
}

/* Returns the format of the weights in a "quantization_config" of Transformers; NNC_STORED_COUNT = a format that nncost
 * does not know. four_bit_experts: true = the experts, which have most weights, are stored in mxfp4. *group: set to the
 * number of weights that share a scale, if the configuration states this number. */
static nnc_stored stored_format(nnc_json config, bool four_bit_experts, int64_t *group) {
    static const struct {
        const char *algorithm;
        nnc_stored format;
    } algorithms[] = { { "NVFP4", NNC_STORED_NVFP4 }, { "FP8", NNC_STORED_FP8 }, { "W4A16_AWQ", NNC_STORED_INT4 } };
    const char *method = text_at(config, "quant_method"), *algorithm = text_at(config, "quant_algo");
    const nnc_json bits = nnc_json_get(config, "bits"), size = nnc_json_get(config, "group_size");
    if (strcmp(algorithm, "MIXED_PRECISION") == 0) { return NNC_STORED_COUNT; }
    if (strcmp(method, "mxfp4") == 0 || four_bit_experts) { return NNC_STORED_MXFP4; }
    if (strcmp(method, "fp8") == 0) {
        return nnc_json_get(config, "weight_block_size").node != NULL ? NNC_STORED_FP8_BLOCK : NNC_STORED_FP8;
    }
    if (strcmp(method, "fbgemm_fp8") == 0) { return NNC_STORED_FP8; }
    if (strcmp(method, "awq") == 0 || strcmp(method, "gptq") == 0) {
        const double width = nnc_json_type_of(bits) == NNC_JSON_NUMBER ? nnc_json_number(bits) : 4.0;
        const double grouped = nnc_json_type_of(size) == NNC_JSON_NUMBER ? nnc_json_number(size) : 0.0;
        *group = grouped >= 1.0 ? (int64_t)grouped : *group;
        return narrow_format(width, false);
    }
    for (size_t i = 0; i < NNC_COUNT_OF(algorithms); i++) {
        if (strcmp(algorithm, algorithms[i].algorithm) == 0) { return algorithms[i].format; }
    }
    return grouped_format(config, group);
}

/* Sets the storage format of the published weights from the "quantization_config" of the file or of the language model
 * in the file. */
static void note_quantization(note_list *list, nnc_json root, nnc_model *model) {
    static const char *const parts[] = { "text_config", "llm_config", "language_config" };
    nnc_json at = nnc_json_get(root, "quantization_config");
    for (size_t i = 0; i < NNC_COUNT_OF(parts) && at.node == NULL; i++) {
        at = nnc_json_get(nnc_json_get(root, parts[i]), "quantization_config");
    }
    if (nnc_json_type_of(at) == NNC_JSON_OBJECT) {
        char text[64];
        const nnc_json method = nnc_json_get(at, "quant_method");
        const char *how = nnc_foreign_text(method, text, sizeof text);
        const nnc_stored format =
            stored_format(at, strcmp(text_at(root, "expert_dtype"), "fp4") == 0, &model->published_group_size);
        const bool known = format != NNC_STORED_COUNT;
        model->published_weights = format;
        add_note(list,
                 "quantization_config (%.40s) states how the weights are stored: \"nncost serve\" assumes %s; a "
                 "training step uses --precision and --policy",
                 method.node != NULL && how != NULL ? how : "no method named",
                 known ? nnc_stored_name(format) : "16 bits, because nncost does not know this format");
    }
}

static void write_notes(const nnc_foreign_file *file, nnc_json root, int64_t maximum) {
    note_list list = { .arena = root.doc->arena };
    nnc_model *model = file->model;
    if (maximum > 0 && maximum != model->decoder.seq_len) {
        add_note(&list,
                 "sequence: %lld tokens, unless --seq-len sets another length; the file's %lld is the longest possible "
                 "length",
                 (long long)model->decoder.seq_len, (long long)maximum);
    }
    if (file->taken[0] != '\0') {
        add_note(&list, "not stated by the file, so nncost uses the defaults of %s: %s", file->row->id, file->taken);
    }
    if (file->noted[0] != '\0') { add_note(&list, "%s", file->noted); }
    for (const nnc_architecture *row = file->row; row != NULL; row = row->below) {
        if (row->says[0] != '\0') { add_note(&list, "%s", row->says); }
    }
    if (file->skipped[0] != '\0') { add_note(&list, "skipped by --lenient: %s", file->skipped); }
    note_quantization(&list, root, model);
    const char **texts = nnc_arena_array(list.arena, (size_t)list.count + 1, sizeof *texts);
    if (texts == NULL) {
        nnc_faults_no_memory(root.doc->faults);
        return;
    }
    memcpy(texts, list.texts, (size_t)list.count * sizeof *texts);
    model->notes = texts;
    model->note_count = list.count;
}

nnc_library nnc_foreign_library(nnc_json root) {
    static const char *const keys[] = { "activation_function", "hidden_act", "hidden_activation" };
    static const char *const composed[] = { "gelu_new", "gelu_fast", "quick_gelu", "gelu_accurate" };
    /* c_attn of GPT-2 and Qwen, query_key_value of BLOOM and ChatGLM, Wqkv of MPT, W_pack of Baichuan ... */
    static const char *const joined[] = { "gpt2",    "modernbert", "phi3",        "gpt_neox", "falcon",   "bloom",
                                          "chatglm", "mpt",        "gpt_bigcode", "qwen",     "baichuan", "internlm2" };
    /* w1 and w2 of modeling_qwen.py, gate_proj and up_proj of modeling_baichuan.py, w1 and w3 of
     * modeling_internlm2.py */
    static const char *const split[] = { "qwen", "baichuan", "internlm2" };
    const char *type = text_at(root, "model_type");
    const bool denoises = nnc_json_get(root, "_class_name").node != NULL;
    nnc_library library = { .by = denoises ? NNC_IMPLEMENTATION_DIFFUSERS : NNC_IMPLEMENTATION_TRANSFORMERS };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *text = text_at(root, keys[i]);
        for (size_t j = 0; j < sizeof composed / sizeof composed[0]; j++) {
            library.composed_gelu = library.composed_gelu || strcmp(text, composed[j]) == 0;
        }
    }
    for (size_t i = 0; i < sizeof joined / sizeof joined[0]; i++) {
        library.joined_qkv = library.joined_qkv || strcmp(type, joined[i]) == 0;
    }
    for (size_t i = 0; i < sizeof split / sizeof split[0]; i++) {
        library.split_gate = library.split_gate || strcmp(type, split[i]) == 0;
    }
    return library;
}

void nnc_library_set(const nnc_library *library, nnc_model *model) {
    model->implementation = library->by;
    model->composed_gelu = library->composed_gelu;
    model->joined_qkv = library->joined_qkv;
    model->split_gate = library->split_gate;
}

static void read(nnc_foreign_file *file, nnc_json root) {
    nnc_model *model = file->model;
    int64_t maximum = 0;
    if (file->row->text.node != NULL) {
        read_class(file, root);
        read_parts(file);
    } else {
        fill(file);
    }
    if (model->family == NNC_FAMILY_DECODER && root.doc->faults->count == 0) {
        check_head_dim(file, &model->decoder);
        maximum = limit_sequence(&model->decoder);
    }
    const nnc_library library = nnc_foreign_library(root);
    nnc_library_set(&library, model);
    write_notes(file, root, maximum);
}

bool nnc_foreign_read(nnc_json root, nnc_model *model) {
    nnc_foreign_set set;
    nnc_foreign_open(&set, root.doc->specs, root.doc->arena, root.doc->faults);
    nnc_foreign_file file = { .at = root, .set = &set, .model = model };
    file.row = find_row(&set, root);
    if (file.row != NULL) { read(&file, root); }
    nnc_foreign_digest(&set, root.doc);
    nnc_foreign_close(&set);
    return file.row != NULL && root.doc->faults->count == 0;
}

/* ---- validates a data file of an architecture ---- */

bool nnc_is_architecture(nnc_json root) { return nnc_json_has_schema(root, "nncost.foreign/1"); }

void nnc_architecture_read_open(nnc_json_doc *doc, nnc_specs *specs, const char *stem) {
    nnc_error err;
    /* The faults in `unused` are never read: the document also has the faults of the files in its chain of "like"
     * keys. */
    nnc_faults unused = { .err = &err };
    nnc_model *model = nnc_arena_alloc(doc->arena, sizeof *model);
    nnc_foreign_set set;
    if (model == NULL) {
        nnc_faults_no_memory(doc->faults);
        return;
    }
    memset(model, 0, sizeof *model);
    nnc_foreign_open(&set, specs, doc->arena, &unused);
    nnc_foreign_file file = { .at = nnc_json_root(doc), .set = &set, .model = model };
    file.row = nnc_foreign_read_open(&set, doc, stem);
    if (file.row != NULL && nnc_foreign_is_network(file.row) && file.row->text.node == NULL &&
        file.row->stands_for.node == NULL && file.row->refuses[0] == '\0') {
        (void)nnc_foreign_begin(&file);
    }
    nnc_foreign_close(&set);
}
