/* Data files of architectures: foreign/MODEL_TYPE.json, read when a configuration names them.
 *
 * A file is found like a device or a model: folders of $NNCOST_PATH first, then the user's own, then the shipped one.
 * Only the file of the model_type and those that it is like are read, three small ones for a LLaMA. All files are read
 * in two cases alone, both on the way to a fault or rare: to name the nearest architecture, and to decide if an unknown
 * key shapes a network elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "input/folders.h"
#include "input/foreign/foreign_internal.h"
#include "input/place.h"

static const char SCHEMA[] = "nncost.foreign/1";

struct nnc_foreign_document {
    nnc_architecture row;
    nnc_json_doc doc;
    nnc_faults faults;
    nnc_error err;
    char *text;
    bool reading; /* waits for the file that it is like */
    bool good;
    struct nnc_foreign_document *next;
};
typedef struct nnc_foreign_document document;

/* ---- the tables of a file ---- */

#define KEY(member) NNC_FIELD(nnc_foreign_key, member)
static const nnc_field key_fields[] = {
    { KEY(key), .required = true, .help = "Key of the configuration." },
    { KEY(to), .help = "Field of the model that it sets." },
    { KEY(times), .help = "The number is a multiple of this field." },
    { KEY(uneven_to), .help = "Field of a list with a value for each level, where they differ." },
    { KEY(none_if_equal), .help = "A number equal to this field says nothing." },
    { KEY(plus), .min = -1000, .max = 1000, .help = "The field is larger by this." },
    { KEY(divide), .min = 1, .max = 1000, .help = "The field is the number over this." },
    { KEY(optional), .help = "An absent key sets nothing." },
    { KEY(fraction), .help = "The number need not be whole." },
    { KEY(counts_members), .help = "The field is how many members the value has." },
    { KEY(wins), .help = "Counts where another key has set the same field." },
    { KEY(is_set), .help = "The field is whether the value says anything." },
    { KEY(may_be_zero), .help = "The number may be 0." },
    { KEY(largest), .help = "The largest counts of keys that set the same field." },
    { KEY(same_each_level), .help = "The value may be a list that repeats one number." },
    { KEY(last_of_list), .help = "The last number of a list counts." },
    { KEY(may_be_shorter), .help = "A list for several fields may be shorter: the others are 0." },
    { KEY(backward), .help = "The last item of a list is for the first field." },
};
static const nnc_field_table key_table = { "key", key_fields, NNC_COUNT_OF(key_fields) };
static const char *const key_others[] = { "to_each",     "default", "null",
                                          "values",      "when",    "two_thirds_multiple_of",
                                          "less_listed", NULL };

#define PATTERN(member) NNC_FIELD(nnc_foreign_pattern, member)
static const nnc_field pattern_fields[] = {
    { PATTERN(to), .required = true, .help = "Field of the model: mixers or mlps." },
    { PATTERN(needs), .help = "Key without which layers are alike." },
    { PATTERN(list), .help = "Key of a word for each layer." },
    { PATTERN(letters), .help = "Key of letters that repeat." },
    { PATTERN(matrix), .help = "Key of lists of words and how often each repeats." },
    { PATTERN(only), .help = "Key of the numbers of layers that are `in`." },
    { PATTERN(in), .help = "Kind of the layers of the rule." },
    { PATTERN(out), .help = "Kind of the others." },
    { PATTERN(except), .help = "Key of the numbers of layers that are `out` all the same." },
    { PATTERN(last), .help = "Kind of the last layer." },
    { PATTERN(shift), .min = 0, .max = 1000, .help = "Added to the number of a layer." },
};
static const nnc_field_table pattern_table = { "pattern", pattern_fields,
                                               NNC_COUNT_OF(pattern_fields) };
static const char *const pattern_others[] = { "values", "when",   "from", "end",
                                              "every",  "offset", NULL };

#define ROW(member) NNC_FIELD(nnc_architecture, member)
static const nnc_field row_fields[] = {
    { ROW(id), .required = true, .help = "The model_type, and the stem of the file." },
    { ROW(source), .required = true, .help = "Where keys and defaults are from." },
    { ROW(like), .help = "Architecture that it takes over, but for keys that it names." },
    { ROW(refuses), .help = "Why it is not read." },
    { ROW(says), .help = "A note on every configuration." },
    { ROW(graph), .help = "File of foreign/graphs/ with the network as a list of ops." },
    { ROW(family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT), .help = "Kind of network." },
    { ROW(base), .help = "No architecture: others are like it." },
    { ROW(part), .help = "No network by itself." },
    { ROW(alone), .help = "A part that may also stand alone." },
    { ROW(flat), .help = "The keys of `text` may stand in the file itself." },
};
static const nnc_field_table row_table = { "architecture", row_fields, NNC_COUNT_OF(row_fields) };
static const char *const row_others[] = { "schema",   "classes", "implies",    "keys", "only",
                                          "harmless", "needs",   "stands_for", "text", "parts",
                                          "patterns", "levels",  "values",     NULL };

/* ---- checks of values ---- */

static bool is_scalar(nnc_json at)
{
    const nnc_json_type type = nnc_json_type_of(at);
    return type == NNC_JSON_BOOL || type == NNC_JSON_NUMBER || type == NNC_JSON_TEXT;
}

static bool is_object(nnc_json at)
{
    return nnc_json_type_of(at) == NNC_JSON_OBJECT;
}

/* A scalar, or an object of scalars. Absent is good. */
static void check_value(nnc_json at)
{
    for (nnc_json one = nnc_json_first(at); is_object(at) && one.node != NULL;
         one = nnc_json_next(one)) {
        if (!is_scalar(one)) {
            nnc_json_mismatch(one, "wrong type", "a number, a switch or a word");
        }
    }
    if (at.node != NULL && !is_object(at) && !is_scalar(at)) {
        nnc_json_mismatch(at, "wrong type", "a number, a switch, a word or an object of fields");
    }
}

static void check_object(nnc_json at)
{
    if (at.node != NULL && !is_object(at)) {
        nnc_json_mismatch(at, "wrong type", "an object");
    }
}

/* An object whose members are values. */
static void check_values(nnc_json at)
{
    check_object(at);
    for (nnc_json one = nnc_json_first(at); is_object(at) && one.node != NULL;
         one = nnc_json_next(one)) {
        check_value(one);
    }
}

static void check_texts(nnc_json at)
{
    if (at.node != NULL && nnc_json_type_of(at) != NNC_JSON_LIST) {
        nnc_json_mismatch(at, "wrong type", "a list of texts");
        return;
    }
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) {
        if (nnc_json_type_of(one) != NNC_JSON_TEXT) {
            nnc_json_mismatch(one, "wrong type", "a text");
        }
    }
}

/* An object with these members alone, "key" a text among them. */
static void check_members(nnc_json at, const char *what, const char *const *others)
{
    typedef struct named {
        char key[64];
    } named;
    static const nnc_field fields[] = { { NNC_FIELD(named, key), .required = true } };
    const nnc_field_table table = { what, fields, 1 };
    named into;
    if (at.node != NULL) {
        nnc_read_object(at, &table, others, &into);
    }
}

static void check_when(nnc_json at)
{
    static const char *const others[] = { "is", "is_not", "default", NULL };
    check_members(at, "condition", others);
    const nnc_json is = nnc_json_get(at, "is"), is_not = nnc_json_get(at, "is_not");
    const nnc_json_type type = nnc_json_type_of(is.node != NULL ? is : is_not);
    if (is_object(at) && ((is.node != NULL) == (is_not.node != NULL) || type == NNC_JSON_LIST ||
                          type == NNC_JSON_OBJECT)) {
        nnc_json_mismatch(at, "wrong value", "one of \"is\" and \"is_not\", a word or a number");
    }
}

/* A number, or {"key": K, "default": NUMBER}. */
static void check_number(nnc_json at)
{
    static const char *const others[] = { "default", NULL };
    const nnc_json number = is_object(at) ? nnc_json_get(at, "default") : at;
    if (is_object(at)) {
        check_members(at, "number", others);
    }
    if (number.node != NULL && nnc_json_type_of(number) != NNC_JSON_NUMBER) {
        nnc_json_mismatch(number, "wrong type", "a number, or a key and its default");
    }
}

static void check_less(nnc_json at)
{
    static const char *const others[] = { "default", NULL };
    const nnc_json list = nnc_json_get(at, "default");
    check_members(at, "list", others);
    if (at.node != NULL && nnc_json_type_of(list) != NNC_JSON_LIST) {
        nnc_json_fault(at, "default", "wrong type, expected a list of layers, found another");
    }
    for (nnc_json one = nnc_json_first(list); one.node != NULL; one = nnc_json_next(one)) {
        if (nnc_json_type_of(one) != NNC_JSON_NUMBER) {
            nnc_json_mismatch(one, "wrong type", "the number of a layer, from 0");
        }
    }
}

/* ---- reading a file ---- */

/* An object of words and values, or the name of one in foreign/any.json. */
static nnc_json values_of(nnc_foreign_set *set, nnc_json at)
{
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        check_values(at);
        return at;
    }
    const nnc_json none = { at.doc, NULL };
    const nnc_json all = set->any != NULL ? set->any->values : none;
    const nnc_json found = nnc_json_get(all, nnc_json_text(at));
    if (!is_object(found)) {
        char expected[160] = "";
        nnc_foreign_expected(expected, sizeof expected, "an object, or one of ", ", ", all);
        nnc_json_mismatch(at, "unknown list of words", expected);
        return none;
    }
    return found;
}

static void read_key(nnc_foreign_set *set, nnc_json at, nnc_foreign_key *key)
{
    key->to_each = nnc_json_get(at, "to_each");
    key->absent = nnc_json_get(at, "default");
    key->null = nnc_json_get(at, "null");
    key->values = values_of(set, nnc_json_get(at, "values"));
    key->when = nnc_json_get(at, "when");
    key->two_thirds_multiple_of = nnc_json_get(at, "two_thirds_multiple_of");
    key->less_listed = nnc_json_get(at, "less_listed");
    check_texts(key->to_each);
    check_value(key->null);
    check_when(key->when);
    check_number(key->two_thirds_multiple_of);
    check_less(key->less_listed);
    const bool several = key->to_each.node != NULL;
    if (several && key->absent.node != NULL &&
        (nnc_json_type_of(key->absent) != NNC_JSON_LIST ||
         nnc_json_count(key->absent) != nnc_json_count(key->to_each))) {
        nnc_json_mismatch(key->absent, "wrong length",
                          "a list with a value for each field of to_each");
    }
    for (nnc_json one = nnc_json_first(key->absent); several && one.node != NULL;
         one = nnc_json_next(one)) {
        check_value(one);
    }
    if (!several) {
        check_value(key->absent);
    }
    if (!several && key->to[0] == '\0' && key->values.node == NULL) {
        nnc_json_fault(at, "to",
                       "missing, expected a field, to_each, or values that name fields, "
                       "found nothing");
    }
    if (key->optional && key->absent.node != NULL) {
        nnc_json_fault(at, "optional",
                       "does not go with a default, expected one of them, found both");
    }
}

static void read_keys(nnc_foreign_set *set, nnc_json root, nnc_architecture *row)
{
    static const nnc_foreign_key unsaid;
    const nnc_json list = nnc_json_get(root, "keys");
    nnc_foreign_key *keys =
        nnc_read_objects(list, &key_table, key_others, sizeof *keys, &unsaid, &row->key_count);
    int32_t i = 0;
    row->keys = keys;
    for (nnc_json at = nnc_json_first(list); i < row->key_count && nnc_json_go_on(root);
         at = nnc_json_next(at)) {
        read_key(set, at, &keys[i++]);
    }
}

static void read_pattern(nnc_foreign_set *set, nnc_json at, nnc_foreign_pattern *p)
{
    p->values = values_of(set, nnc_json_get(at, "values"));
    p->when = nnc_json_get(at, "when");
    p->from = nnc_json_get(at, "from");
    p->end = nnc_json_get(at, "end");
    p->every = nnc_json_get(at, "every");
    p->offset = nnc_json_get(at, "offset");
    check_when(p->when);
    check_number(p->from);
    check_number(p->end);
    check_number(p->every);
    check_number(p->offset);
    const bool worded = p->list[0] != '\0' || p->letters[0] != '\0' || p->matrix[0] != '\0';
    if (worded && !is_object(p->values)) {
        nnc_json_fault(at, "values", "missing, expected the kind of each word, found nothing");
    }
    if ((p->in[0] == '\0') != (p->out[0] == '\0') || (p->in[0] == '\0' && p->only[0] != '\0')) {
        nnc_json_fault(at, NULL,
                       "half a rule, expected both \"in\" and \"out\", found one or none");
    }
}

static void read_patterns(nnc_foreign_set *set, nnc_json root, nnc_architecture *row)
{
    static const nnc_foreign_pattern unsaid;
    const nnc_json list = nnc_json_get(root, "patterns");
    nnc_foreign_pattern *patterns = nnc_read_objects(
        list, &pattern_table, pattern_others, sizeof *patterns, &unsaid, &row->pattern_count);
    int32_t i = 0;
    row->patterns = patterns;
    for (nnc_json at = nnc_json_first(list); i < row->pattern_count && nnc_json_go_on(root);
         at = nnc_json_next(at)) {
        read_pattern(set, at, &patterns[i++]);
    }
}

static void check_classes(nnc_json classes)
{
    check_object(classes);
    for (nnc_json at = nnc_json_first(classes); at.node != NULL; at = nnc_json_next(at)) {
        const bool another = nnc_json_type_of(at) == NNC_JSON_BOOL && !nnc_json_bool(at);
        if (!another && !is_object(at)) {
            nnc_json_mismatch(
                at, "wrong type",
                "an object of fields, or false for a class that builds another network");
        } else if (!another) {
            check_value(at);
        }
    }
}

/* {KEY: {"like": ARCHITECTURE, "sets": {FIELD: VALUE}}} */
static void check_parts(nnc_json parts)
{
    check_object(parts);
    for (nnc_json at = nnc_json_first(parts); is_object(parts) && at.node != NULL;
         at = nnc_json_next(at)) {
        const nnc_json like = nnc_json_get(at, "like"), sets = nnc_json_get(at, "sets");
        if (nnc_json_type_of(like) != NNC_JSON_TEXT) {
            nnc_json_fault(at, "like",
                           "missing, expected the architecture of the part, found nothing");
        }
        check_object(sets);
        check_value(sets);
    }
}

static void check_levels(nnc_json at)
{
    static const char *const texts[] = { "down", "up" };
    check_object(at);
    check_texts(nnc_json_get(at, "heads"));
    for (size_t i = 0; is_object(at) && i < NNC_COUNT_OF(texts); i++) {
        if (nnc_json_type_of(nnc_json_get(at, texts[i])) != NNC_JSON_TEXT) {
            nnc_json_fault(at, texts[i],
                           "missing, expected the class of a block with attention, "
                           "found nothing");
        }
    }
    if (nnc_json_get(at, "heads").node != NULL && nnc_json_count(nnc_json_get(at, "heads")) != 2) {
        nnc_json_mismatch(nnc_json_get(at, "heads"), "wrong length", "two keys of head counts");
    }
    check_value(nnc_json_get(at, "default_heads"));
}

static void check_stands_for(nnc_json at)
{
    static const char *const others[] = { "is", NULL };
    check_members(at, "choice", others);
    if (at.node != NULL && !is_object(nnc_json_get(at, "is"))) {
        nnc_json_fault(at, "is", "missing, expected an architecture for each value, found nothing");
    }
    for (nnc_json one = nnc_json_first(nnc_json_get(at, "is")); one.node != NULL;
         one = nnc_json_next(one)) {
        if (nnc_json_type_of(one) != NNC_JSON_TEXT) {
            nnc_json_mismatch(one, "wrong type", "an architecture");
        }
    }
}

static void read_row(nnc_foreign_set *set, nnc_json root, const char *stem, nnc_architecture *row)
{
    row->family = NNC_FAMILY_COUNT;
    nnc_read_object(root, &row_table, row_others, row);
    nnc_read_identity(root, SCHEMA, stem);
    row->classes = nnc_json_get(root, "classes");
    row->implies = nnc_json_get(root, "implies");
    row->only = nnc_json_get(root, "only");
    row->harmless = nnc_json_get(root, "harmless");
    row->needs = nnc_json_get(root, "needs");
    row->stands_for = nnc_json_get(root, "stands_for");
    row->text = nnc_json_get(root, "text");
    row->parts = nnc_json_get(root, "parts");
    row->levels = nnc_json_get(root, "levels");
    row->values = nnc_json_get(root, "values");
    check_classes(row->classes);
    check_object(row->implies);
    check_value(row->implies);
    check_object(row->only);
    check_texts(row->harmless);
    check_texts(row->needs);
    check_stands_for(row->stands_for);
    check_parts(row->text);
    check_parts(row->parts);
    check_levels(row->levels);
    read_keys(set, root, row);
    read_patterns(set, root, row);
}

void nnc_foreign_pass_on(nnc_faults *faults, nnc_json in_file)
{
    if (in_file.doc->faults != faults) {
        nnc_faults_note(faults, in_file.doc->faults->err);
    }
}

static document *find_document(const nnc_foreign_set *set, const char *name)
{
    document *d = set->documents;
    while (d != NULL && strcmp(d->row.id, name) != 0) {
        d = d->next;
    }
    return d;
}

/* The architecture of a file that was read; NULL with its fault noted where it has one. */
static const nnc_architecture *take(nnc_foreign_set *set, const document *d)
{
    if (!d->good && !set->quiet && set->faults->count == 0) {
        nnc_faults_note(set->faults, &d->err);
    }
    return d->good ? &d->row : NULL;
}

/* The id that is nearest to a name; NULL = none is near. */
static const char *nearest_id(nnc_foreign_set *set, const char *name)
{
    int32_t count = 0;
    const nnc_architecture *const *all = nnc_foreign_all(set, &count);
    const char **names = nnc_arena_array(set->arena, (size_t)count + 1, sizeof *names);
    for (int32_t i = 0; names != NULL && i < count; i++) {
        names[i] = all[i]->id;
    }
    return names != NULL ? nnc_nearest(name, names, (size_t)count) : NULL;
}

/* The architecture that this one is like. Calls itself through nnc_foreign_find as long as the chain is; a circle ends
 * at a file that is being read. */
static void read_like(nnc_foreign_set *set, nnc_json root, nnc_architecture *row)
{
    const nnc_json at = nnc_json_get(root, "like");
    const document *waiting = find_document(set, row->like);
    if (waiting != NULL && waiting->reading) {
        nnc_json_mismatch(at, "a circle", "a file that is not like this one in turn");
        return;
    }
    row->below = nnc_foreign_find(set, row->like);
    const document *below = find_document(set, row->like);
    if (below != NULL && !below->good) {
        nnc_faults_note(root.doc->faults, &below->err);
    } else if (row->below == NULL) {
        const char *near = set->quiet ? NULL : nearest_id(set, row->like);
        char expected[160];
        snprintf(expected, sizeof expected, "the id of a file in foreign/%s%s%s",
                 near != NULL ? ", nearest \"" : "", near != NULL ? near : "",
                 near != NULL ? "\"" : "");
        nnc_json_mismatch(at, "unknown architecture", expected);
    }
}

/* stem: the name of the file; NULL = any. */
static void read_root(nnc_foreign_set *set, nnc_json root, const char *stem, nnc_architecture *row)
{
    if (!is_object(root)) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    read_row(set, root, stem, row);
    if (root.doc->faults->count == 0 && row->like[0] != '\0') {
        read_like(set, root, row);
    }
}

static void read_document(nnc_foreign_set *set, const char *path, const char *name, document *d)
{
    size_t size = 0;
    d->faults = (nnc_faults){ .name = path, .err = &d->err };
    if (nnc_specs_read(set->specs, path, &d->text, &size, &d->err) != NNC_OK) {
        d->faults.count = 1;
        return;
    }
    d->doc =
        (nnc_json_doc){ .faults = &d->faults, .arena = set->arena, .text = d->text, .size = size };
    if (nnc_json_parse(&d->doc)) {
        read_root(set, nnc_json_root(&d->doc), name, &d->row);
    }
    snprintf(d->row.id, sizeof d->row.id, "%s", name); /* by which it is found, whatever it says */
}

const nnc_architecture *nnc_foreign_read_open(nnc_foreign_set *set, nnc_json_doc *doc,
                                              const char *stem)
{
    nnc_architecture *row = nnc_arena_alloc(set->arena, sizeof *row);
    if (row == NULL) {
        nnc_faults_no_memory(doc->faults);
        return NULL;
    }
    memset(row, 0, sizeof *row);
    read_root(set, nnc_json_root(doc), stem, row);
    return doc->faults->count == 0 ? row : NULL;
}

/* Can it be the name of a file? */
static bool is_usable(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strlen(name) < sizeof((nnc_architecture *)0)->id &&
           strpbrk(name, "/\\\"\n") == NULL;
}

const nnc_architecture *nnc_foreign_find(nnc_foreign_set *set, const char *name)
{
    char below[96];
    const char *path = NULL;
    document *d = find_document(set, name);
    if (d != NULL) {
        return take(set, d);
    }
    snprintf(below, sizeof below, "foreign/%.70s.json", name);
    if (!is_usable(name) || set->specs == NULL ||
        nnc_specs_file(set->specs, below, &path, NULL) != NNC_OK || path == NULL) {
        return NULL;
    }
    d = nnc_arena_alloc(set->arena, sizeof *d);
    if (d == NULL) {
        nnc_faults_no_memory(set->faults);
        return NULL;
    }
    memset(d, 0, sizeof *d);
    d->next = set->documents;
    d->reading = true;
    snprintf(d->row.id, sizeof d->row.id, "%s", name);
    set->documents = d;
    read_document(set, path, name, d);
    d->reading = false;
    d->good = d->faults.count == 0;
    return take(set, d);
}

void nnc_foreign_open(nnc_foreign_set *set, nnc_specs *specs, nnc_arena *arena, nnc_faults *faults)
{
    *set = (nnc_foreign_set){ .specs = specs, .arena = arena, .faults = faults };
    set->any = nnc_foreign_find(set, "any");
}

void nnc_foreign_close(nnc_foreign_set *set)
{
    for (document *d = set->documents; d != NULL; d = d->next) {
        nnc_json_free(&d->doc);
        free(d->text);
    }
    set->documents = NULL;
}

const nnc_architecture *const *nnc_foreign_all(nnc_foreign_set *set, int32_t *count)
{
    nnc_id_list list = { .count = 0 };
    const bool quiet = set->quiet;
    *count = 0;
    if (set->specs == NULL || !nnc_specs_list_folder(set->specs, "foreign", &list)) {
        return NULL;
    }
    const nnc_architecture **all = nnc_arena_array(set->arena, (size_t)list.count + 1, sizeof *all);
    set->quiet = true;
    for (int32_t i = 0; all != NULL && i < list.count; i++) {
        all[*count] = nnc_foreign_find(set, list.ids[i]);
        *count += all[*count] != NULL;
    }
    set->quiet = quiet;
    return all;
}

/* ---- which keys a file speaks of ---- */

const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain,
                                         const nnc_architecture *previous)
{
    if (chain == previous) {
        return NULL;
    }
    while (chain->below != previous) {
        chain = chain->below;
    }
    return chain;
}

nnc_family nnc_foreign_family(const nnc_architecture *row)
{
    while (row->family == NNC_FAMILY_COUNT && row->below != NULL) {
        row = row->below;
    }
    return row->family;
}

bool nnc_foreign_listed(nnc_json list, const char *text)
{
    const size_t length = strlen(text);
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const char *one = nnc_json_text(at);
        const size_t size = strlen(one);
        const bool same = one[0] == '*' ? nnc_foreign_ends(text, one + 1) && length >= size
                          : size > 0 && one[size - 1] == '*' ? strncmp(one, text, size - 1) == 0
                                                             : strcmp(one, text) == 0;
        if (same) {
            return true;
        }
    }
    return false;
}

/* Is the key one of the names "n_embd|hidden_size", or the object that one of them is in? */
static bool names(const char *list, const char *key)
{
    const size_t length = strlen(key);
    for (const char *at = list; *at != '\0' && length > 0; at += *at == '|') {
        const size_t size = strcspn(at, "|");
        if (size >= length && memcmp(at, key, length) == 0 &&
            (size == length || at[length] == '.')) {
            return true;
        }
        at += size;
    }
    return false;
}

/* The same of the "key" of an object. */
static bool names_within(nnc_json at, const char *key)
{
    const nnc_json name = nnc_json_get(at, "key");
    return nnc_json_type_of(name) == NNC_JSON_TEXT && names(nnc_json_text(name), key);
}

static bool pattern_reads(const nnc_foreign_pattern *p, const char *key)
{
    const char *const texts[] = { p->needs, p->list, p->letters, p->matrix, p->only, p->except };
    const nnc_json objects[] = { p->when, p->from, p->end, p->every, p->offset };
    bool reads = false;
    for (size_t i = 0; i < NNC_COUNT_OF(texts); i++) {
        reads = reads || names(texts[i], key);
    }
    for (size_t i = 0; i < NNC_COUNT_OF(objects); i++) {
        reads = reads || names_within(objects[i], key);
    }
    return reads;
}

static bool levels_read(nnc_json levels, const char *key)
{
    static const char *const keys[] = { "block_out_channels", "down_block_types", "up_block_types",
                                        NULL };
    return levels.node != NULL &&
           (nnc_is_one_of(key, keys) || nnc_foreign_listed(nnc_json_get(levels, "heads"), key));
}

/* Does the file itself read the key into a field? */
static bool reads(const nnc_architecture *row, const char *key)
{
    bool found = levels_read(row->levels, key);
    for (int32_t i = 0; !found && i < row->key_count; i++) {
        const nnc_foreign_key *k = &row->keys[i];
        found = names(k->key, key) || names_within(k->when, key) ||
                names_within(k->two_thirds_multiple_of, key);
    }
    for (int32_t i = 0; !found && i < row->pattern_count; i++) {
        found = pattern_reads(&row->patterns[i], key);
    }
    return found;
}

bool nnc_foreign_mentions(const nnc_architecture *row, const char *key)
{
    return reads(row, key) || nnc_json_get(row->text, key).node != NULL ||
           nnc_json_get(row->parts, key).node != NULL ||
           nnc_json_get(row->only, key).node != NULL || nnc_foreign_listed(row->harmless, key);
}

bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key)
{
    while (row != NULL && !nnc_foreign_mentions(row, key)) {
        row = row->below;
    }
    return row != NULL;
}

bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row,
                            const char *list)
{
    for (; asked != row; asked = asked->below) {
        char key[64];
        for (const char *at = list; *at != '\0'; at += *at == '|') {
            const size_t size = strcspn(at, "|");
            snprintf(key, sizeof key, "%.*s", (int)size, at);
            if (nnc_foreign_mentions(asked, key)) {
                return true;
            }
            at += size;
        }
    }
    return false;
}

/* Can the file speak of the key? Its text is searched, which is far cheaper than reading it. */
static bool may_speak_of(nnc_foreign_set *set, const char *id, const char *key)
{
    char below[96], *text = NULL;
    const char *path = NULL;
    size_t size = 0;
    snprintf(below, sizeof below, "foreign/%.70s.json", id);
    const bool read = nnc_specs_file(set->specs, below, &path, NULL) == NNC_OK && path != NULL &&
                      nnc_specs_read(set->specs, path, &text, &size, NULL) == NNC_OK;
    const bool found = read && (strstr(text, key) != NULL || strstr(text, "\"levels\"") != NULL);
    free(text);
    return found;
}

bool nnc_foreign_shapes(nnc_foreign_set *set, const char *key)
{
    nnc_id_list list = { .count = 0 };
    const bool quiet = set->quiet;
    bool shapes = false;
    if (set->specs == NULL || !nnc_specs_list_folder(set->specs, "foreign", &list)) {
        return false;
    }
    set->quiet = true;
    for (int32_t i = 0; !shapes && i < list.count; i++) {
        const nnc_architecture *row =
            may_speak_of(set, list.ids[i], key) ? nnc_foreign_find(set, list.ids[i]) : NULL;
        shapes = row != NULL && (reads(row, key) || nnc_json_get(row->only, key).node != NULL);
    }
    set->quiet = quiet;
    return shapes;
}

/* Do members of a list begin with "key."? */
static bool begins_inside(const char *one, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(one, key, length) == 0 && one[length] == '.';
}

bool nnc_foreign_speaks_inside(const nnc_architecture *row, const char *key)
{
    bool inside = false;
    for (int32_t i = 0; !inside && i < row->key_count; i++) {
        inside = begins_inside(row->keys[i].key, key);
    }
    for (nnc_json at = nnc_json_first(row->only); !inside && at.node != NULL;
         at = nnc_json_next(at)) {
        inside = begins_inside(nnc_json_key(at), key);
    }
    for (nnc_json at = nnc_json_first(row->harmless); !inside && at.node != NULL;
         at = nnc_json_next(at)) {
        inside = begins_inside(nnc_json_text(at), key);
    }
    return inside;
}
