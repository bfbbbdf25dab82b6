/* Reads data files of architectures: foreign/MODEL_TYPE.json, read when a configuration names the model_type. A file is
 * searched first in the folders of $NNCOST_PATH, then in the user's folder, then in the shipped folder, as devices and
 * models are. nncost reads only the file of the model_type and the files in its chain of "like" keys (three small files
 * for LLaMA). nncost reads the data files of all architectures only in two situations: to name the nearest architecture
 * in an error, and to find out whether an unknown key decides dimensions of another network. */
#include "base/base_internal.h"
#include "input/foreign/foreign_internal.h"

static const char SCHEMA[] = "nncost.foreign/1";

struct nnc_foreign_document {
    nnc_architecture row;
    nnc_json_doc doc;
    nnc_faults faults;
    nnc_error err;
    char *text;
    /* true: reading of this file has begun and not ended, for example because the file that its key "like" names is
     * being read */
    bool reading;
    bool good;
    struct nnc_foreign_document *next;
};
typedef struct nnc_foreign_document document;

/* ---- checks of values ---- */

/* Type of a function that checks a value of a data file, and notes a fault if the value is not valid. An absent value
 * is not checked. */
typedef void check_fn(nnc_json at);

static bool is_object(nnc_json at) { return nnc_json_type_of(at) == NNC_JSON_OBJECT; }

static void check_each(nnc_json at, check_fn *check) {
    for (nnc_json one = nnc_json_first(at); one.node != NULL; one = nnc_json_next(one)) { check(one); }
}

static void check_text(nnc_json at) { (void)nnc_json_expect(at, NNC_JSON_TEXT, "a text"); }

static void check_layer(nnc_json at) { (void)nnc_json_expect(at, NNC_JSON_NUMBER, "the number of a layer, from 0"); }

static void check_scalar(nnc_json at) {
    const nnc_json_type type = nnc_json_type_of(at);
    if (type != NNC_JSON_BOOL && type != NNC_JSON_NUMBER && type != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong type", "a number, a switch, a word or an object of fields");
    }
}

static void check_value(nnc_json at) {
    if (is_object(at)) {
        check_each(at, check_scalar);
    } else {
        check_scalar(at);
    }
}

static void check_object(nnc_json at) { (void)nnc_json_expect(at, NNC_JSON_OBJECT, "an object"); }

static void check_fields(nnc_json at) {
    if (nnc_json_expect(at, NNC_JSON_OBJECT, "an object of fields")) { check_each(at, check_scalar); }
}

static void check_values(nnc_json at) {
    if (nnc_json_expect(at, NNC_JSON_OBJECT, "an object of values")) { check_each(at, check_value); }
}

static void check_texts(nnc_json at) {
    if (nnc_json_expect(at, NNC_JSON_LIST, "a list of texts")) { check_each(at, check_text); }
}

/* Checks an object of a data file. The object must have the member "key" with a string as its value. The members that
 * an object may have are those that `others` lists, and the member "key". Returns false if the value is not an
 * object. */
static bool check_keyed(nnc_json at, const char *what, const char *const *others) {
    typedef struct keyed {
        char key[64];
    } keyed;
    static const nnc_field fields[] = { { NNC_FIELD(keyed, key), .required = true } };
    const nnc_field_table table = { what, fields, 1 };
    keyed into;
    nnc_read_object(at, &table, others, &into);
    return is_object(at);
}

static void check_when(nnc_json at) {
    static const char *const others[] = { "is", "is_not", "default", NULL };
    const nnc_json is = nnc_json_get(at, "is"), is_not = nnc_json_get(at, "is_not");
    if (check_keyed(at, "condition", others)) {
        if ((is.node != NULL) == (is_not.node != NULL)) {
            nnc_json_mismatch(at, "wrong value", "one of \"is\" and \"is_not\"");
        } else {
            check_scalar(is.node != NULL ? is : is_not);
        }
    }
}

/* Checks a value of a data file. The value must be a number, or an object {"key": K, "default": NUMBER} that takes the
 * number from the key K of a configuration. */
static void check_number(nnc_json at) {
    static const char *const others[] = { "default", NULL };
    const nnc_json number = is_object(at) && check_keyed(at, "number", others) ? nnc_json_get(at, "default") : at;
    if (number.node != NULL) { (void)nnc_json_expect(number, NNC_JSON_NUMBER, "a number, or a key and its default"); }
}

static void check_less(nnc_json at) {
    static const char *const others[] = { "default", NULL };
    if (check_keyed(at, "list", others) &&
        nnc_json_expect(nnc_json_get(at, "default"), NNC_JSON_LIST, "a default, a list of layers")) {
        check_each(nnc_json_get(at, "default"), check_layer);
    }
}

static void check_class(nnc_json at) {
    const bool another = nnc_json_type_of(at) == NNC_JSON_BOOL && !nnc_json_bool(at);
    if (!another &&
        nnc_json_expect(at, NNC_JSON_OBJECT, "an object of fields, or false for a class that builds another network")) {
        check_each(at, check_scalar);
    }
}

static void check_classes(nnc_json at) {
    check_object(at);
    check_each(at, check_class);
}

/* Checks {"like": ARCHITECTURE, "sets": {FIELD: VALUE}, "optional": true, "always": true}. optional: a configuration
 * may lack the part; always: the model_type of the part is ignored. */
static void check_part(nnc_json at) {
    const nnc_json like = nnc_json_get(at, "like"), sets = nnc_json_get(at, "sets");
    if (nnc_json_type_of(like) != NNC_JSON_TEXT) {
        nnc_json_fault(at, "like", "missing, expected the architecture of the part, found nothing");
    }
    if (sets.node != NULL) { check_fields(sets); }
}

static void check_parts(nnc_json at) {
    check_object(at);
    check_each(at, check_part);
}

static void check_levels(nnc_json at) {
    const nnc_json heads = nnc_json_get(at, "heads"), fallback = nnc_json_get(at, "default_heads");
    check_object(at);
    if (nnc_json_type_of(nnc_json_get(at, "down")) != NNC_JSON_TEXT ||
        nnc_json_type_of(nnc_json_get(at, "up")) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "no classes of blocks with attention", "\"down\" and \"up\"");
    }
    if (heads.node != NULL) {
        check_texts(heads);
        if (nnc_json_count(heads) != 2) { nnc_json_mismatch(heads, "wrong length", "two keys of head counts"); }
    }
    if (fallback.node != NULL) { check_value(fallback); }
}

static void check_stands_for(nnc_json at) {
    static const char *const others[] = { "is", NULL };
    if (check_keyed(at, "choice", others) &&
        nnc_json_expect(nnc_json_get(at, "is"), NNC_JSON_OBJECT, "an architecture for each value")) {
        check_each(nnc_json_get(at, "is"), check_text);
    }
}

/* ---- tables of the members of a data file; docs/models.md describes each member ---- */

/* A member of an object in a data file. The value of the member is stored as a JSON value. check: the function that
 * checks the value; NULL = the caller checks it. */
typedef struct member {
    const char *name;
    size_t offset; /* offset of the nnc_json in the struct in which the value is stored; 0 = the value is not stored */
    check_fn *check;
} member;

typedef struct object_table {
    nnc_field_table fields;
    const member *members; /* the members that the object may have; a member with the name NULL ends the list */
} object_table;

#define KEY(member) NNC_FIELD(nnc_foreign_key, member)
static const nnc_field key_fields[] = {
    { KEY(key), .required = true, .help = "Key of the configuration." },
    { KEY(to), .help = "Field of the model that the key sets." },
    { KEY(times), .help = "Field of the model by which the number of the key is multiplied." },
    { KEY(uneven_to), .help = "List field that the key sets instead if the values of the levels differ." },
    { KEY(none_if_equal), .help = "Field of the model. If the number of the key equals this field, the key sets the "
                                  "field `to` to 0." },
    { KEY(plus), .min = -1000, .max = 1000, .help = "This number is added to the number of the key." },
    { KEY(divide), .min = 1, .max = 1000, .help = "The number of the key is divided by this number." },
    { KEY(optional), .help = "Whether the key may be absent; an absent key sets no field." },
    { KEY(fraction), .help = "Whether the number may be a fraction." },
    { KEY(counts_members), .help = "Whether the field is the number of members of the value." },
    { KEY(wins), .help = "Whether the key replaces the value of an earlier key that set the same field." },
    { KEY(is_set), .help = "Whether the field is a switch: on if the value is not empty, else off." },
    { KEY(may_be_zero), .help = "Whether the number may be 0." },
    { KEY(largest), .help = "Whether the largest value is used if several keys set the same field." },
    { KEY(same_each_level), .help = "Whether the value may be a list that repeats one number." },
    { KEY(last_of_list), .help = "Whether the last number of a list is used." },
    { KEY(may_be_shorter),
      .help = "Whether a list for several fields may have fewer items; fields without an item are 0." },
    { KEY(backward), .help = "Whether a list is read from its last item: the last item is for the first field." },
};
#define KEY_MEMBER(name) #name, offsetof(nnc_foreign_key, name)
static const member key_members[] = {
    { KEY_MEMBER(to_each), check_texts },    { "default", offsetof(nnc_foreign_key, absent), NULL },
    { KEY_MEMBER(null), check_value },       { KEY_MEMBER(values), NULL },
    { KEY_MEMBER(when), check_when },        { KEY_MEMBER(two_thirds_multiple_of), check_number },
    { KEY_MEMBER(less_listed), check_less }, { NULL, 0, NULL },
};
static const object_table key_table = { { "key", key_fields, NNC_COUNT_OF(key_fields) }, key_members };

#define PATTERN(member) NNC_FIELD(nnc_foreign_pattern, member)
static const nnc_field pattern_fields[] = {
    { PATTERN(to), .required = true, .help = "Field of the model: mixers or mlps." },
    { PATTERN(needs), .help = "Key of the configuration; if this key is absent or null, all layers have the same "
                              "kind." },
    { PATTERN(list), .help = "Key of a list with a word for each layer." },
    { PATTERN(member), .help = "Member of the objects in the list that has the word of the layer." },
    { PATTERN(divides), .help = "Field of the model that is divided by the number of the member; the quotient must "
                                "be equal in all layers." },
    { PATTERN(two_thirds_multiple_of), .min = 0, .max = 1e6,
      .help = "The width of the layer is the number of the member x two thirds of hidden, rounded up to a multiple "
              "of this number." },
    { PATTERN(letters), .help = "Key of a text with a letter for each layer, or with letters that repeat." },
    { PATTERN(matrix), .help = "Key of a list; each item has a list of words and the number of its repeats." },
    { PATTERN(only), .help = "Key that lists the numbers of the layers of kind `in`." },
    { PATTERN(first), .min = 0, .max = 1, .help = "Number of the first layer in the lists of `only` and `except`." },
    { PATTERN(in), .help = "Kind of the layers to which the rule applies." },
    { PATTERN(out), .help = "Kind of the layers to which the rule does not apply." },
    { PATTERN(except), .help = "Key that lists the numbers of layers that have the kind `out` although the rule "
                               "gives them the kind `in`." },
    { PATTERN(last), .help = "Kind of the last layer." },
    { PATTERN(agrees), .help = "The entry must give the same kinds of layers as an earlier entry; otherwise nncost "
                               "refuses the configuration." },
    { PATTERN(shift), .min = 0, .max = 1000,
      .help = "This number is added to the number of a layer before the rule is applied." },
};
#define PATTERN_MEMBER(name) #name, offsetof(nnc_foreign_pattern, name)
static const member pattern_members[] = {
    { PATTERN_MEMBER(values), NULL },
    { PATTERN_MEMBER(when), check_when },
    { PATTERN_MEMBER(from), check_number },
    { PATTERN_MEMBER(end), check_number },
    { PATTERN_MEMBER(every), check_number },
    { PATTERN_MEMBER(offset), check_number },
    { NULL, 0, NULL },
};
static const object_table pattern_table = { { "pattern", pattern_fields, NNC_COUNT_OF(pattern_fields) },
                                            pattern_members };

#define ROW(member) NNC_FIELD(nnc_architecture, member)
static const nnc_field row_fields[] = {
    { ROW(id), .required = true, .help = "Value of model_type; also the name of the file without \".json\"." },
    { ROW(source), .required = true, .help = "Source of keys and defaults." },
    { ROW(like), .help = "Architecture whose rules this file inherits, except for keys that this file mentions." },
    { ROW(refuses), .help = "Reason why nncost refuses configurations of this architecture." },
    { ROW(says), .help = "Note that is printed for every configuration of this architecture." },
    { ROW(graph), .help = "File of foreign/graphs/ with the network as a list of ops." },
    { ROW(family), NNC_FIELD_NAMES(nnc_family, NNC_FAMILY_COUNT), .help = "Kind of network." },
    { ROW(base), .help = "Whether the file is only a base from which other files inherit." },
    { ROW(part), .help = "Whether the file describes a part of a network." },
    { ROW(alone), .help = "Whether the part may also be a network of its own." },
    { ROW(flat), .help = "Whether the keys of `text` may be at the top level of the configuration." },
};
#define ROW_MEMBER(name) #name, offsetof(nnc_architecture, name)
static const member row_members[] = {
    { "schema", 0, NULL },
    { "keys", 0, NULL },
    { "patterns", 0, NULL },
    { ROW_MEMBER(classes), check_classes },
    { ROW_MEMBER(implies), check_fields },
    { ROW_MEMBER(only), check_object },
    { ROW_MEMBER(harmless), check_texts },
    { ROW_MEMBER(needs), check_texts },
    { ROW_MEMBER(stands_for), check_stands_for },
    { ROW_MEMBER(text), check_parts },
    { ROW_MEMBER(parts), check_parts },
    { ROW_MEMBER(levels), check_levels },
    { ROW_MEMBER(values), check_object },
    { NULL, 0, NULL },
};
static const object_table row_table = { { "architecture", row_fields, NNC_COUNT_OF(row_fields) }, row_members };

/* ---- reading a file ---- */

static void read_object(nnc_json at, const object_table *table, void *object) {
    enum { MEMBERS_MAX = 24 };
    const char *names[MEMBERS_MAX] = { NULL };
    for (int i = 0; i < MEMBERS_MAX - 1 && table->members[i].name != NULL; i++) {
        const member *m = &table->members[i];
        const nnc_json value = nnc_json_get(at, m->name);
        names[i] = m->name;
        if (m->offset > 0) { memcpy((char *)object + m->offset, &value, sizeof value); }
        if (m->check != NULL && value.node != NULL) { m->check(value); }
    }
    nnc_read_object(at, &table->fields, names, object);
}

/* Reads a list of objects into an array of structs. Struct members for which an object has no value are 0. If the list
 * is absent, returns NULL and sets *count to 0. */
static void *read_objects(nnc_json list, const object_table *table, size_t size, int32_t *count) {
    *count = 0;
    if (list.node == NULL || !nnc_json_expect(list, NNC_JSON_LIST, "a list of objects")) { return NULL; }
    const size_t all = (size_t)nnc_json_count(list) + 1;
    char *array = nnc_arena_array(list.doc->arena, all, size);
    if (array == NULL) {
        nnc_faults_no_memory(list.doc->faults);
        return NULL;
    }
    memset(array, 0, all * size);
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        read_object(at, table, array + (size_t)(*count)++ * size);
    }
    return array;
}

/* Returns an object that maps words to values. If `at` is a string, returns the object with the name `at` in
 * foreign/any.json; otherwise returns `at` itself. */
static nnc_json values_of(nnc_foreign_set *set, nnc_json at) {
    const nnc_json none = { at.doc, NULL };
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        if (at.node != NULL) { check_values(at); }
        return at;
    }
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

/* Checks rules between the members of one entry of "keys". */
static void check_key(nnc_json at, const nnc_foreign_key *key) {
    const bool several = key->to_each.node != NULL;
    if (key->absent.node == NULL) {
        /* the entry has no default value, so there is no value to check */
    } else if (!several) {
        check_value(key->absent);
    } else if (nnc_json_type_of(key->absent) != NNC_JSON_LIST ||
               nnc_json_count(key->absent) != nnc_json_count(key->to_each)) {
        nnc_json_mismatch(key->absent, "wrong length", "a list with a value for each field of to_each");
    } else {
        check_each(key->absent, check_scalar);
    }
    if (!several && key->to[0] == '\0' && key->values.node == NULL) {
        nnc_json_fault(at, "to", "missing, expected a field, to_each, or values that name fields, found nothing");
    }
    if (key->optional && key->absent.node != NULL) {
        nnc_json_fault(at, "optional", "cannot be used together with a default, expected one of them, found both");
    }
}

static void check_pattern(nnc_json at, const nnc_foreign_pattern *p) {
    const bool counts = p->divides[0] != '\0' || p->two_thirds_multiple_of > 0;
    const bool worded = p->list[0] != '\0' || p->letters[0] != '\0' || p->matrix[0] != '\0';
    if (counts && p->member[0] == '\0') {
        nnc_json_fault(at, "member", "missing, expected the member with the number, found nothing");
    }
    if (worded && !counts && !is_object(p->values)) {
        nnc_json_fault(at, "values", "missing, expected the kind of each word, found nothing");
    }
    if ((p->in[0] == '\0') != (p->out[0] == '\0') || (p->in[0] == '\0' && p->only[0] != '\0')) {
        nnc_json_fault(at, NULL, "incomplete rule, expected both \"in\" and \"out\", found one of them or none");
    }
}

static void read_row(nnc_foreign_set *set, nnc_json root, const char *stem, nnc_architecture *row) {
    const nnc_json keys = nnc_json_get(root, "keys"), patterns = nnc_json_get(root, "patterns");
    row->family = NNC_FAMILY_COUNT;
    read_object(root, &row_table, row);
    nnc_read_identity(root, SCHEMA, stem);
    nnc_foreign_key *k = read_objects(keys, &key_table, sizeof *k, &row->key_count);
    row->keys = k;
    for (nnc_json at = nnc_json_first(keys); k != NULL && at.node != NULL; at = nnc_json_next(at)) {
        k->values = values_of(set, k->values);
        check_key(at, k++);
    }
    nnc_foreign_pattern *p = read_objects(patterns, &pattern_table, sizeof *p, &row->pattern_count);
    row->patterns = p;
    for (nnc_json at = nnc_json_first(patterns); p != NULL && at.node != NULL; at = nnc_json_next(at)) {
        p->values = values_of(set, p->values);
        check_pattern(at, p++);
    }
}

void nnc_foreign_pass_on(nnc_faults *faults, nnc_json in_file) {
    if (in_file.doc->faults != faults) { nnc_faults_note(faults, in_file.doc->faults->err); }
}

static document *find_document(const nnc_foreign_set *set, const char *name) {
    document *d = set->documents;
    while (d != NULL && strcmp(d->row.id, name) != 0) { d = d->next; }
    return d;
}

/* Returns the architecture of a data file that was read; NULL = the file has a fault. If set->faults is empty, notes
 * the fault in set->faults. If set->quiet is true, notes the fault only if memory ran out. */
static const nnc_architecture *take(nnc_foreign_set *set, const document *d) {
    const bool loud = !set->quiet || d->err.status == NNC_NO_MEMORY;
    if (!d->good && loud && set->faults->count == 0) { nnc_faults_note(set->faults, &d->err); }
    return d->good ? &d->row : NULL;
}

/* Reads the architecture that the key "like" names. The function calls itself, through nnc_foreign_find, once for each
 * file in the chain of "like" keys. If the key names a file that is already being read, the chain is a circle, which is
 * a fault. */
static void read_like(nnc_foreign_set *set, nnc_json root, nnc_architecture *row) {
    const nnc_json at = nnc_json_get(root, "like");
    const document *waiting = find_document(set, row->like);
    if (waiting != NULL && waiting->reading) {
        nnc_json_mismatch(at, "a circle", "a file that does not inherit from this file");
        return;
    }
    row->below = nnc_foreign_find(set, row->like);
    const document *below = find_document(set, row->like);
    if (below != NULL && !below->good) {
        nnc_faults_note(root.doc->faults, &below->err);
    } else if (row->below == NULL) {
        int32_t count;
        const char *near = set->quiet ? NULL : nnc_foreign_nearest(set, row->like, false, &count);
        char expected[160];
        snprintf(expected, sizeof expected, "the id of a file in foreign/%s%s%s", near != NULL ? ", nearest \"" : "",
                 near != NULL ? near : "", near != NULL ? "\"" : "");
        nnc_json_mismatch(at, "unknown architecture", expected);
    }
}

/* Reads an architecture from the JSON root of its data file. stem: the id that the file must state (its file name
 * without the ending); NULL = the file may state any id. */
static void read_root(nnc_foreign_set *set, nnc_json root, const char *stem, nnc_architecture *row) {
    if (!is_object(root)) {
        nnc_json_mismatch(root, "wrong type", "an object");
        return;
    }
    read_row(set, root, stem, row);
    if (root.doc->faults->count == 0 && row->like[0] != '\0') { read_like(set, root, row); }
}

static void read_document(nnc_foreign_set *set, const char *path, const char *name, document *d) {
    size_t size = 0;
    d->faults = (nnc_faults){ .name = path, .err = &d->err };
    if (nnc_specs_read(set->specs, path, &d->text, &size, &d->err) != NNC_OK) {
        d->faults.count = 1;
        return;
    }
    d->doc = (nnc_json_doc){ .faults = &d->faults, .arena = set->arena, .text = d->text, .size = size };
    if (nnc_specs_parse(set->specs, &d->doc)) { read_root(set, nnc_json_root(&d->doc), name, &d->row); }
    snprintf(d->row.id, sizeof d->row.id, "%s", name); /* the id of a row is the name under which the file is found,
                                                        * even if the key "id" of the file has another value */
}

const nnc_architecture *nnc_foreign_read_open(nnc_foreign_set *set, nnc_json_doc *doc, const char *stem) {
    nnc_architecture *row = nnc_arena_alloc(set->arena, sizeof *row);
    if (row == NULL) {
        nnc_faults_no_memory(doc->faults);
        return NULL;
    }
    memset(row, 0, sizeof *row);
    read_root(set, nnc_json_root(doc), stem, row);
    return doc->faults->count == 0 ? row : NULL;
}

/* Tests whether a text can be the name of a data file, without its folder and its ending. */
static bool is_usable(const char *name) {
    return name[0] != '\0' && name[0] != '.' && strlen(name) < sizeof((nnc_architecture *)0)->id &&
           strpbrk(name, "/\\\"\n") == NULL;
}

const nnc_architecture *nnc_foreign_find(nnc_foreign_set *set, const char *name) {
    char below[96];
    const char *path = NULL;
    document *d = find_document(set, name);
    if (d != NULL) { return take(set, d); }
    snprintf(below, sizeof below, "foreign/%.70s.json", name);
    if (!is_usable(name) || set->specs == NULL) { return NULL; }
    const bool found = nnc_specs_file(set->specs, below, &path, NULL) == NNC_OK;
    if (found && path == NULL) { return NULL; }
    d = found ? nnc_arena_alloc(set->arena, sizeof *d) : NULL;
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

void nnc_foreign_open(nnc_foreign_set *set, nnc_specs *specs, nnc_arena *arena, nnc_faults *faults) {
    *set = (nnc_foreign_set){ .specs = specs, .arena = arena, .faults = faults };
    set->any = nnc_foreign_find(set, "any");
}

void nnc_foreign_digest(const nnc_foreign_set *set, const nnc_json_doc *doc) {
    for (const document *d = set->documents; d != NULL; d = d->next) {
        if (d->good) { nnc_json_digest_add(doc, nnc_json_root(&d->doc)); }
    }
}

void nnc_foreign_close(nnc_foreign_set *set) {
    for (document *d = set->documents; d != NULL; d = d->next) {
        nnc_json_free(&d->doc);
        free(d->text);
    }
    set->documents = NULL;
}

const nnc_architecture *const *nnc_foreign_all(nnc_foreign_set *set, int32_t *count) {
    nnc_id_list list = { .count = 0 };
    const bool quiet = set->quiet;
    *count = 0;
    if (set->specs == NULL) { return NULL; }
    const nnc_architecture **all = nnc_specs_list_folder(set->specs, "foreign", &list)
                                       ? nnc_arena_array(set->arena, (size_t)list.count + 1, sizeof *all)
                                       : NULL;
    if (all == NULL) { nnc_faults_no_memory(set->faults); }
    set->quiet = true;
    for (int32_t i = 0; all != NULL && i < list.count; i++) {
        all[*count] = nnc_foreign_find(set, list.ids[i]);
        *count += all[*count] != NULL;
    }
    set->quiet = quiet;
    return all;
}

const char *nnc_foreign_nearest(nnc_foreign_set *set, const char *name, bool networks, int32_t *count) {
    const nnc_architecture *const *all = nnc_foreign_all(set, count);
    const char **names = nnc_arena_array(set->arena, (size_t)*count + 1, sizeof *names);
    size_t used = 0;
    for (int32_t i = 0; names != NULL && i < *count; i++) {
        names[used] = all[i]->id;
        used += !networks || nnc_foreign_is_network(all[i]);
    }
    return names != NULL ? nnc_nearest(name, names, used) : NULL;
}

/* ---- finds the keys that a data file mentions ---- */

const nnc_architecture *nnc_foreign_next(const nnc_architecture *chain, const nnc_architecture *previous) {
    if (chain == previous) { return NULL; }
    while (chain->below != previous) { chain = chain->below; }
    return chain;
}

nnc_family nnc_foreign_family(const nnc_architecture *row) {
    while (row->family == NNC_FAMILY_COUNT && row->below != NULL) { row = row->below; }
    return row->family;
}

bool nnc_foreign_listed(nnc_json list, const char *text) {
    const size_t length = strlen(text);
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) {
        const char *one = nnc_json_text(at);
        const size_t size = strlen(one);
        const bool same = one[0] == '*'                      ? nnc_ends_in(text, one + 1) && length >= size
                          : size > 0 && one[size - 1] == '*' ? strncmp(one, text, size - 1) == 0
                                                             : strcmp(one, text) == 0;
        if (same) { return true; }
    }
    return false;
}

/* Tests whether a list of names, such as "n_embd|hidden_size", contains a key. If the list contains
 * "attn_config.alibi", a key inside the object attn_config, it also contains the key "attn_config". */
static bool names(const char *list, const char *key) {
    const size_t length = strlen(key);
    for (const char *at = list; *at != '\0' && length > 0; at += *at == '|') {
        const size_t size = strcspn(at, "|");
        if (size >= length && memcmp(at, key, length) == 0 && (size == length || at[length] == '.')) { return true; }
        at += size;
    }
    return false;
}

/* Tests whether an object has the member "key", and whether the list of names in this member, such as
 * "n_embd|hidden_size", contains the name `key`. */
static bool names_within(nnc_json at, const char *key) {
    const nnc_json name = nnc_json_get(at, "key");
    return nnc_json_type_of(name) == NNC_JSON_TEXT && names(nnc_json_text(name), key);
}

static bool pattern_reads(const nnc_foreign_pattern *p, const char *key) {
    const char *const texts[] = { p->needs, p->list, p->letters, p->matrix, p->only, p->except };
    const nnc_json objects[] = { p->when, p->from, p->end, p->every, p->offset };
    bool reads = false;
    for (size_t i = 0; i < NNC_COUNT_OF(texts); i++) { reads = reads || names(texts[i], key); }
    for (size_t i = 0; i < NNC_COUNT_OF(objects); i++) { reads = reads || names_within(objects[i], key); }
    return reads;
}

static bool levels_read(nnc_json levels, const char *key) {
    static const char *const keys[] = { "block_out_channels", "down_block_types", "up_block_types", NULL };
    return levels.node != NULL && (nnc_is_one_of(key, keys) || nnc_foreign_listed(nnc_json_get(levels, "heads"), key));
}

/* Tests whether a rule of an architecture file reads a key to set a field. The files in the chain of its key "like" are
 * not tested. */
static bool reads(const nnc_architecture *row, const char *key) {
    bool found = levels_read(row->levels, key);
    for (int32_t i = 0; !found && i < row->key_count; i++) {
        const nnc_foreign_key *k = &row->keys[i];
        found = names(k->key, key) || names_within(k->when, key) || names_within(k->two_thirds_multiple_of, key);
    }
    for (int32_t i = 0; !found && i < row->pattern_count; i++) { found = pattern_reads(&row->patterns[i], key); }
    return found;
}

bool nnc_foreign_mentions(const nnc_architecture *row, const char *key) {
    return reads(row, key) || nnc_json_get(row->text, key).node != NULL || nnc_json_get(row->parts, key).node != NULL ||
           nnc_json_get(row->only, key).node != NULL || nnc_foreign_listed(row->harmless, key);
}

bool nnc_foreign_speaks_of(const nnc_architecture *row, const char *key) {
    while (row != NULL && !nnc_foreign_mentions(row, key)) { row = row->below; }
    return row != NULL;
}

bool nnc_foreign_overridden(const nnc_architecture *asked, const nnc_architecture *row, const char *list) {
    for (; asked != row; asked = asked->below) {
        char key[64];
        for (const char *at = list; *at != '\0'; at += *at == '|') {
            const size_t size = strcspn(at, "|");
            snprintf(key, sizeof key, "%.*s", (int)size, at);
            if (nnc_foreign_mentions(asked, key)) { return true; }
            at += size;
        }
    }
    return false;
}

/* Tests whether a data file may mention a key. The function searches the text of the file for the key, which is much
 * faster than parsing the file. */
static bool may_speak_of(nnc_foreign_set *set, const char *id, const char *key) {
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

bool nnc_foreign_shapes(nnc_foreign_set *set, const char *key) {
    nnc_id_list list = { .count = 0 };
    const bool quiet = set->quiet;
    bool shapes = false;
    if (set->specs == NULL || !nnc_specs_list_folder(set->specs, "foreign", &list)) { return false; }
    set->quiet = true;
    for (int32_t i = 0; !shapes && i < list.count; i++) {
        const nnc_architecture *row = may_speak_of(set, list.ids[i], key) ? nnc_foreign_find(set, list.ids[i]) : NULL;
        shapes = row != NULL && (reads(row, key) || nnc_json_get(row->only, key).node != NULL);
    }
    set->quiet = quiet;
    return shapes;
}

/* Tests whether a name begins with the text `key` followed by a dot. */
static bool begins_inside(const char *one, const char *key) {
    const size_t length = strlen(key);
    return strncmp(one, key, length) == 0 && one[length] == '.';
}

bool nnc_foreign_speaks_inside(const nnc_architecture *row, const char *key) {
    bool inside = false;
    for (int32_t i = 0; !inside && i < row->key_count; i++) { inside = begins_inside(row->keys[i].key, key); }
    for (nnc_json at = nnc_json_first(row->only); !inside && at.node != NULL; at = nnc_json_next(at)) {
        inside = begins_inside(nnc_json_key(at), key);
    }
    for (nnc_json at = nnc_json_first(row->harmless); !inside && at.node != NULL; at = nnc_json_next(at)) {
        inside = begins_inside(nnc_json_text(at), key);
    }
    return inside;
}
