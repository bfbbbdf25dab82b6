/* nncost reads a key in five steps. First, nncost tests whether the entry of the key applies (`when`). Second, nncost
 * gets the value by one of the names of the key. Third, if the configuration has the key, nncost converts the value to
 * a value of the field. Fourth, if the configuration lacks the key, nncost uses the default. Fifth, nncost compares the
 * result with an earlier key that has set the same field. */
#include "base/base_internal.h"
#include "input/foreign/foreign_internal.h"

/* ---- reads values of a configuration ---- */

void nnc_foreign_note(char *list, size_t size, const char *format, ...) {
    char text[160];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    nnc_text_append(list, size, ", ", "%s", text);
}

void nnc_foreign_expected(char *text, size_t size, const char *begin, const char *between, nnc_json names) {
    char own[64];
    snprintf(text, size, "%s", begin);
    for (nnc_json at = nnc_json_first(names); at.node != NULL; at = nnc_json_next(at)) {
        const size_t used = strlen(text);
        const char *word =
            nnc_json_type_of(names) == NNC_JSON_OBJECT ? nnc_json_key(at) : nnc_foreign_text(at, own, sizeof own);
        snprintf(text + used, size - used, "%s%s", at.node == nnc_json_first(names).node ? "" : between,
                 word != NULL ? word : "?");
    }
}

bool nnc_foreign_is_given(nnc_json at) {
    return nnc_json_type_of(at) != NNC_JSON_ABSENT && nnc_json_type_of(at) != NNC_JSON_NULL;
}

bool nnc_foreign_given(nnc_json at, const char *key) { return nnc_foreign_is_given(nnc_json_get(at, key)); }

bool nnc_foreign_is_empty(nnc_json at) {
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return true;
    case NNC_JSON_BOOL: return !nnc_json_bool(at);
    case NNC_JSON_NUMBER: return nnc_json_number(at) == 0;
    case NNC_JSON_TEXT: return nnc_json_text(at)[0] == '\0';
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: return nnc_json_count(at) == 0;
    }
    return false;
}

const char *nnc_foreign_text(nnc_json at, char *text, size_t size) {
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return "null";
    case NNC_JSON_BOOL: return nnc_json_bool(at) ? "true" : "false";
    case NNC_JSON_NUMBER: snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number)); return text;
    case NNC_JSON_TEXT: return nnc_json_text(at);
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: break;
    }
    return NULL;
}

/* Tests whether two values of a configuration are equal when each value is written as text. */
static bool is_same(nnc_json a, nnc_json b) {
    char one[64], other[64];
    const char *first = nnc_foreign_text(a, one, sizeof one);
    const char *second = nnc_foreign_text(b, other, sizeof other);
    return first != NULL && second != NULL && strcmp(first, second) == 0;
}

/* Finds a key of the configuration, which can have several names, and returns its value. A dot in the name leads into
 * an object; '^' at the start of the name means that the key is at the top level of the configuration. */
static nnc_json get_one(nnc_json at, const char *name, size_t length) {
    char dotted[96];
    const char *rest;
    const int outside = name[0] == '^';
    snprintf(dotted, sizeof dotted, "%.*s", (int)length - outside, name + outside);
    const nnc_json found = nnc_json_follow(outside ? nnc_json_root(at.doc) : at, dotted, &rest);
    return *rest == '\0' ? found : (nnc_json){ at.doc, NULL };
}

nnc_json nnc_foreign_get(nnc_json at, const char *names) {
    nnc_json found = { at.doc, NULL };
    for (const char *name = names; *name != '\0'; name += *name == '|') {
        const size_t length = strcspn(name, "|");
        const nnc_json one = get_one(at, name, length);
        const bool given = nnc_foreign_is_given(one);
        if (given && nnc_foreign_is_given(found)) {
            if (!is_same(found, one)) {
                char what[96];
                snprintf(what, sizeof what, "differs from %s", nnc_json_key(found));
                nnc_json_mismatch(one, what, "the same");
            }
        } else if (given || found.node == NULL) {
            found = one;
        }
        name += length;
    }
    return found;
}

bool nnc_foreign_speaks(nnc_json at, nnc_json when) {
    char text[64], own[64];
    if (when.node == NULL) { return true; }
    const char *key = nnc_json_text(nnc_json_get(when, "key"));
    const nnc_json is = nnc_json_get(when, "is"), unsaid = nnc_json_get(when, "default");
    const bool other = is.node == NULL;
    const char *wanted = nnc_foreign_text(other ? nnc_json_get(when, "is_not") : is, own, sizeof own);
    nnc_json value = nnc_foreign_get(at, key);
    if (strcmp(key, "architectures") == 0 && nnc_json_type_of(nnc_json_first(value)) == NNC_JSON_TEXT) {
        return nnc_ends_in(nnc_json_text(nnc_json_first(value)), wanted) != other;
    }
    const bool absent = nnc_json_type_of(value) == NNC_JSON_ABSENT && unsaid.node != NULL;
    const char *found = nnc_foreign_text(absent ? unsaid : value, text, sizeof text);
    return found != NULL && (strcmp(found, wanted) == 0) != other;
}

/* ---- sets fields to values of a data file ---- */

/* Returns the number in a field of the model. If the field is the head width and the configuration does not give the
 * head width, returns hidden / heads. */
static double foreign_number(const nnc_field *field, const nnc_model *model) {
    const void *place = (const char *)model + field->offset;
    const nnc_decoder *d = &model->decoder;
    if (place == (const void *)&d->head_dim && d->head_dim == 0 && d->heads > 0) {
        return floor((double)d->hidden / (double)d->heads);
    }
    return field->type == NNC_FIELD_I64   ? (double)*(const int64_t *)place
           : field->type == NNC_FIELD_F64 ? *(const double *)place
                                          : 0;
}

/* Returns the field that a string of a data file names, either alone ("hidden") or in a multiple ("4*hidden"); NULL =
 * the string names no field. */
static const nnc_field *source_field(const nnc_field_table *table, const nnc_field *target, const char *text) {
    const char *times = strchr(text, '*');
    const bool word = target != NULL && target->type == NNC_FIELD_ENUM; /* a string for an enum field, such as "head",
                                                                         * is a value and never the name of another
                                                                         * field */
    return word ? NULL : nnc_field_of_key(table, times != NULL ? times + 1 : text);
}

static void set_text(nnc_json at, nnc_model *model, const char *to, const char *text, nnc_json value) {
    nnc_error why;
    char number[NNC_NUMBER_TEXT];
    const nnc_field_table *table = nnc_model_table_of(model);
    const nnc_field *from = source_field(table, nnc_field_of_key(table, to), text);
    if (from != NULL) {
        const double times = strchr(text, '*') != NULL ? strtod(text, NULL) : 1;
        const double product = times * foreign_number(from, model);
        text = nnc_number_text(from->type == NNC_FIELD_I64 ? floor(product) : product, number);
    }
    if (nnc_field_set(table, model, to, text, &why) == NNC_OK) { return; }
    if (from != NULL || value.node == NULL) {
        nnc_json_fault(at, NULL, "%.80s: %.300s", why.where, why.what);
    } else if (at.doc->faults->count == 0) {
        nnc_json_fault(value, NULL, "%.80s: %.300s", why.where, why.what);
        nnc_foreign_pass_on(at.doc->faults, value);
    }
}

void nnc_foreign_set_value(nnc_json at, nnc_model *model, const char *to, nnc_json value) {
    char own[64];
    if (value.node == NULL) { return; }
    if (nnc_json_type_of(value) != NNC_JSON_OBJECT) {
        set_text(at, model, to, nnc_foreign_text(value, own, sizeof own), value);
        return;
    }
    for (nnc_json one = nnc_json_first(value); one.node != NULL; one = nnc_json_next(one)) {
        set_text(at, model, nnc_json_key(one), nnc_foreign_text(one, own, sizeof own), one);
    }
}

void nnc_foreign_set_number(nnc_json at, nnc_model *model, const char *to, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    set_text(at, model, to, text, (nnc_json){ at.doc, NULL });
}

/* ---- reads a key that the configuration has ---- */

static void store(const nnc_field *field, nnc_model *model, double number) {
    nnc_field_store(field, (char *)model + field->offset, 0, number);
}

static const nnc_field *field_of(const nnc_model *model, const char *name) {
    return name[0] != '\0' ? nnc_field_of_key(nnc_model_table_of(model), name) : NULL;
}

/* Goes through the items of a list, and returns the first one that is not a number or differs from item 0; an absent
 * value = all items are the same number. */
static nnc_json first_uneven(nnc_json list) {
    const nnc_json first = nnc_json_first(list);
    nnc_json at = first;
    while (at.node != NULL && nnc_json_type_of(at) == NNC_JSON_NUMBER &&
           nnc_json_number(at) == nnc_json_number(first)) {
        at = nnc_json_next(at);
    }
    return first.node != NULL ? at : list;
}

/* Replaces a list that repeats one number by this number. If the input is not valid, notes a fault and returns
 * false. */
static bool first_of_equal(nnc_json *at) {
    const nnc_json uneven = first_uneven(*at);
    if (uneven.node == at->node) {
        nnc_json_mismatch(*at, "empty", "a whole number");
    } else if (uneven.node != NULL) {
        nnc_json_mismatch(uneven, "uneven list", "the same whole number at every level");
    }
    *at = nnc_json_first(*at);
    return uneven.node == NULL;
}

static void read_word(nnc_json at, const nnc_foreign_key *key, nnc_model *model) {
    char known[160], own[64];
    const char *text = nnc_foreign_text(at, own, sizeof own);
    const nnc_json ours = text != NULL ? nnc_json_get(key->values, text) : (nnc_json){ at.doc, NULL };
    if (ours.node != NULL) {
        nnc_foreign_set_value(at, model, key->to, ours);
        return;
    }
    nnc_foreign_expected(known, sizeof known, "one of ", ", ", key->values);
    nnc_json_mismatch(at, "unknown value", known);
}

/* Reads a number of the configuration and sets the field to number x `times` / `divide` + `plus`. `times` is a field or
 * a number. */
static void read_scaled(nnc_json at, const nnc_foreign_key *key, const nnc_field *field, nnc_model *model) {
    const nnc_field *times = field_of(model, key->times);
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1;
    const double factor = times != NULL ? foreign_number(times, model) : strtod(key->times, NULL);
    const double product = number * (key->times[0] != '\0' ? factor : 1);
    const double ours = product / (key->divide > 1 ? key->divide : 1) + key->plus;
    if (number < 0 || (number == 0 && !key->may_be_zero)) {
        nnc_json_mismatch(at, "wrong value", key->may_be_zero ? "a number from 0" : "a number above 0");
    } else if (!key->fraction && number != floor(number)) {
        nnc_json_mismatch(at, "wrong value", "a whole number");
    } else if (key->divide > 1 && ours != (double)(int64_t)ours) {
        char expected[64];
        snprintf(expected, sizeof expected, "a multiple of %d", key->divide);
        nnc_json_mismatch(at, "does not divide", expected);
    } else if (!(ours <= field->max) || ours < (key->may_be_zero ? 0 : 1)) {
        nnc_json_mismatch(at, "out of range", "another number");
    } else {
        store(field, model, floor(ours));
    }
}

/* Sets a field to two thirds of a number of the configuration, rounded up to a multiple of another key's value. */
static void read_two_thirds(nnc_json at, nnc_json root, const nnc_foreign_key *key, const nnc_field *field,
                            nnc_model *model) {
    const nnc_json name = nnc_json_get(key->two_thirds_multiple_of, "key");
    const nnc_json unsaid = nnc_json_get(key->two_thirds_multiple_of, "default");
    const nnc_json other = name.node != NULL ? nnc_foreign_get(root, nnc_json_text(name)) : name;
    const nnc_json by = nnc_json_type_of(other) == NNC_JSON_NUMBER ? other : unsaid;
    const double step = by.node != NULL ? nnc_json_number(by) : 1;
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1;
    if (!(number >= 1 && number <= field->max) || number != floor(number)) {
        nnc_json_mismatch(at, "wrong value", "a whole number above 0");
    } else if (!(step >= 1 && step <= 1e6) || step != floor(step)) {
        nnc_json_mismatch(other, "wrong value", "a whole number above 0");
    } else {
        store(field, model, ceil(floor(2 * number / 3) / step) * step);
    }
}

/* Counts the layer indices in a list of the configuration. An index that is no layer of the model is not counted. If
 * the configuration lacks the list, counts in the default list of the data file. */
static int64_t count_listed(nnc_json root, nnc_json less, int64_t layers) {
    const nnc_json own = nnc_foreign_get(root, nnc_json_text(nnc_json_get(less, "key")));
    const bool absent = nnc_json_type_of(own) == NNC_JSON_ABSENT;
    const nnc_json list = absent ? nnc_json_get(less, "default") : own;
    int64_t count = 0;
    for (nnc_json at = nnc_json_first(list); nnc_json_type_of(list) == NNC_JSON_LIST && at.node != NULL;
         at = nnc_json_next(at)) {
        const bool whole = nnc_json_type_of(at) == NNC_JSON_NUMBER && nnc_json_number(at) >= 0;
        if (!whole) { nnc_json_mismatch(at, "wrong value", "the number of a layer, from 0"); }
        count += whole && nnc_json_number(at) < (double)layers;
    }
    return count;
}

/* Reads a number into a field. With `less_listed`, subtracts the number of layers in the list that `less_listed`
 * names. Sets the field to 0 if the number equals the field `none_if_equal`. */
static void read_plain(nnc_json at, nnc_json root, const nnc_foreign_key *key, const nnc_field *field,
                       nnc_model *model) {
    nnc_read_field(at, field, model);
    if (key->less_listed.node != NULL && nnc_json_go_on(at)) {
        const int64_t number = (int64_t)foreign_number(field, model);
        const int64_t rest = number - count_listed(root, key->less_listed, number);
        store(field, model, (double)rest);
        if (rest < 1) { nnc_json_mismatch(at, "no layer is left", "more than are listed"); }
    }
    const nnc_field *other = field_of(model, key->none_if_equal);
    if (other != NULL && foreign_number(other, model) == foreign_number(field, model)) { store(field, model, 0); }
}

/* Tests whether a number of the configuration is stored unchanged: the field is a whole number, and the data file does
 * not translate this number by `values`. */
static bool is_plain_number(nnc_json at, const nnc_foreign_key *key, const nnc_field *field) {
    char text[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    return nnc_json_type_of(at) == NNC_JSON_NUMBER && field->type == NNC_FIELD_I64 &&
           nnc_json_get(key->values, value).node == NULL;
}

static void read_given(nnc_json at, nnc_json root, const nnc_foreign_key *key, const nnc_field *field,
                       nnc_model *model) {
    if (key->two_thirds_multiple_of.node != NULL) {
        read_two_thirds(at, root, key, field, model);
    } else if (key->uneven_to[0] != '\0' && nnc_json_type_of(at) == NNC_JSON_LIST && first_uneven(at).node != NULL) {
        nnc_read_field(at, field_of(model, key->uneven_to), model);
    } else if (key->same_each_level && nnc_json_type_of(at) == NNC_JSON_LIST && !first_of_equal(&at)) {
        return;
    } else if (key->values.node != NULL && !is_plain_number(at, key, field)) {
        read_word(at, key, model);
    } else if (key->counts_members) {
        store(field, model, nnc_json_count(at));
    } else if (key->is_set) {
        store(field, model, !nnc_foreign_is_empty(at));
    } else if (key->times[0] != '\0' || key->divide > 1 || key->plus != 0) {
        read_scaled(at, key, field, model);
    } else {
        read_plain(at, root, key, field, model);
    }
}

/* ---- uses the default of a key that the configuration lacks ---- */

/* Tests whether a key may be null. There are three kinds of key that may be null: an optional key, a key that sets the
 * dropout, and a key whose default is computed from fields or sets nothing. For any other key, null is a fault, because
 * the library of the model cannot build a network with null in this key. */
static bool is_derived(const nnc_model *model, const nnc_foreign_key *key) {
    const nnc_field *target = field_of(model, key->to);
    return key->optional || strcmp(key->to, "dropout") == 0 ||
           (nnc_json_type_of(key->absent) == NNC_JSON_OBJECT && nnc_json_count(key->absent) == 0) ||
           (target != NULL && nnc_json_type_of(key->absent) == NNC_JSON_TEXT && target->names.of == NULL &&
            source_field(nnc_model_table_of(model), NULL, nnc_json_text(key->absent)) != NULL);
}

/* Writes the members of an object of a data file as text: fields and their values, such as
 * "qkv_bias=on,out_bias=on". */
static void write_fields(nnc_json value, char *text, size_t size) {
    char own[64];
    text[0] = '\0';
    for (nnc_json one = nnc_json_first(value); one.node != NULL; one = nnc_json_next(one)) {
        const bool flag = nnc_json_type_of(one) == NNC_JSON_BOOL;
        nnc_text_append(text, size, ",", "%s=%s", nnc_json_key(one),
                        flag ? (nnc_json_bool(one) ? "on" : "off") : nnc_foreign_text(one, own, sizeof own));
    }
}

/* Adds the name of a key that the configuration lacks, with the default that was used, to the text file->taken. A
 * dropout is not added, because it does not change the network. */
static void note_taken(nnc_foreign_file *file, const char *name, const nnc_foreign_key *key, const nnc_field *field,
                       const nnc_model *model) {
    char text[128];
    const bool fields = nnc_json_type_of(key->absent) == NNC_JSON_OBJECT;
    if (key->optional || strcmp(key->to, "dropout") == 0 || (fields && nnc_json_count(key->absent) == 0)) { return; }
    if (key->to[0] != '\0') {
        nnc_field_text(field, model, text, sizeof text);
        nnc_foreign_note(file->taken, sizeof file->taken, "%s %s", name, text);
    } else {
        write_fields(key->absent, text, sizeof text);
        nnc_foreign_note(file->taken, sizeof file->taken, "%s: %s", name, text);
    }
}

static void read_absent(nnc_foreign_file *file, nnc_json at, const nnc_foreign_key *key, const nnc_field *field,
                        nnc_model *model) {
    char name[64], expected[160];
    const bool null = at.node != NULL && key->null.node != NULL;
    const bool stands = key->optional || key->absent.node != NULL;
    const nnc_json where = at.node != NULL ? at : file->at;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key->key, "|"), key->key);
    if (key->to[0] != '\0') {
        nnc_field_expected(field, expected, sizeof(expected));
    } else {
        nnc_foreign_expected(expected, sizeof expected, "one of ", ", ", key->values);
    }
    if (null) {
        nnc_foreign_set_value(where, model, key->to, key->null);
    } else if (!stands) {
        nnc_json_fault(file->at, name, "missing, expected %s, found nothing", expected);
    } else if (at.node != NULL && !is_derived(model, key)) {
        nnc_json_mismatch(at, "says nothing", expected);
    } else {
        if (!key->optional) { nnc_foreign_set_value(where, model, key->to, key->absent); }
        note_taken(file, name, key, field, model);
    }
}

/* ---- reads lists that set several fields ---- */

/* Returns a value of the configuration as text. If the value is a list, joins its words with '+':
 * "ResBlock+AttnBlock". */
static const char *joined(nnc_json at, char *text, size_t size) {
    if (nnc_json_type_of(at) != NNC_JSON_LIST) { return nnc_foreign_text(at, text, size); }
    nnc_foreign_expected(text, size, "", "+", at);
    return text;
}

/* Reads one item of a list of the configuration into a field. The item is a number, or a word that the data file
 * translates by `values`. */
static void read_item(nnc_json at, const nnc_foreign_key *key, const char *name, nnc_field field, nnc_model *model) {
    char text[256], known[256];
    field.min = key->may_be_zero ? 0 : 1;
    if (key->values.node == NULL) {
        nnc_read_field(at, &field, model);
        return;
    }
    const char *word = joined(at, text, sizeof text);
    const nnc_json ours = nnc_json_get(key->values, word != NULL ? word : "");
    if (ours.node != NULL) {
        nnc_foreign_set_value(at, model, name, ours);
    } else {
        nnc_foreign_expected(known, sizeof known, "one of ", ", ", key->values);
        nnc_json_mismatch(at, "unknown value", known);
    }
}

static nnc_json item_at(nnc_json list, int index) {
    nnc_json at = nnc_json_first(list);
    for (; at.node != NULL && index > 0; index--) { at = nnc_json_next(at); }
    return index < 0 ? (nnc_json){ list.doc, NULL } : at;
}

/* Tests whether a list of a configuration has the right type and length; if not, notes a fault and returns false. A
 * list may be absent if it has a default. */
static bool check_list(const nnc_foreign_file *file, const nnc_foreign_key *key, nnc_json list) {
    char text[64];
    const int wanted = nnc_json_count(key->to_each);
    const nnc_json_type type = nnc_json_type_of(list);
    const int count = type == NNC_JSON_LIST ? nnc_json_count(list) : wanted;
    if (type == NNC_JSON_ABSENT && key->absent.node == NULL) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(key->key, "|"), key->key);
        return nnc_json_fault(file->at, text, "missing, expected a list of numbers, found nothing");
    }
    if (type != NNC_JSON_ABSENT && type != NNC_JSON_LIST && !(key->same_each_level && type == NNC_JSON_NUMBER)) {
        return nnc_json_mismatch(list, "wrong type", "a list of numbers");
    }
    if (count > wanted || (count < wanted && !key->may_be_shorter)) {
        snprintf(text, sizeof text, "a list of %d numbers%s", wanted, key->may_be_shorter ? " or fewer" : "");
        return nnc_json_mismatch(list, "wrong length", text);
    }
    return true;
}

/* Reads a key whose value is a list and sets the fields in `to_each`: each field gets one item of the list. If the
 * configuration lacks the key, each field gets one item of the default. */
static void read_several(nnc_foreign_file *file, const nnc_foreign_key *key) {
    static const char zero[] = "0";
    char text[128];
    const nnc_json list = nnc_foreign_get(file->at, key->key);
    const bool given = nnc_json_type_of(list) != NNC_JSON_ABSENT;
    const bool each = nnc_json_type_of(list) == NNC_JSON_LIST;
    if (!check_list(file, key, list)) { return; }
    if (!given) {
        nnc_foreign_expected(text, sizeof text, "", ",", key->absent);
        nnc_foreign_note(file->taken, sizeof file->taken, "%s %s", key->key, text);
    }
    int index = 0;
    nnc_json unsaid = nnc_json_first(key->absent);
    for (nnc_json to = nnc_json_first(key->to_each); to.node != NULL && nnc_json_go_on(file->at);
         to = nnc_json_next(to), index++) {
        const char *name = nnc_json_text(to);
        const int place = key->backward ? nnc_json_count(list) - 1 - index : index;
        const nnc_json at = each ? item_at(list, place) : list;
        if (given && at.node != NULL) {
            read_item(at, key, name, *field_of(file->model, name), file->model);
        } else if (given) {
            set_text(file->at, file->model, name, zero, (nnc_json){ file->at.doc, NULL });
        } else {
            nnc_foreign_set_value(file->at, file->model, name, unsaid);
        }
        unsaid = unsaid.node != NULL ? nnc_json_next(unsaid) : unsaid;
    }
}

/* ---- reads one key, and all keys of an architecture ---- */

static nnc_json last_of(nnc_json list) {
    nnc_json last = list;
    for (nnc_json at = nnc_json_first(list); at.node != NULL; at = nnc_json_next(at)) { last = at; }
    return last;
}

/* Notes the fault that two keys set one field to different values. at: the value of that key which the configuration
 * has; absent = the configuration has none of the two keys, and the defaults of the two keys differ. */
static void refuse_difference(const nnc_foreign_file *file, const nnc_foreign_key *key, const nnc_foreign_key *again,
                              nnc_json at, bool given) {
    char what[96];
    if (at.node == NULL) {
        nnc_json_fault(file->at, key->key,
                       "its default differs from that of %s, expected one of them \"optional\" in "
                       "foreign/%s.json, found two defaults",
                       again->key, file->row->id);
        return;
    }
    snprintf(what, sizeof what, "differs from %s", given ? again->key : key->key);
    nnc_json_mismatch(at, what, "the same");
}

void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key, const nnc_foreign_key *again) {
    static const nnc_field none = { .name = "" };
    if (key->to_each.node != NULL) {
        read_several(file, key);
        return;
    }
    if (!nnc_foreign_speaks(file->at, key->when)) { return; }
    nnc_json at = nnc_foreign_get(file->at, key->key);
    nnc_field one = key->to[0] != '\0' ? *field_of(file->model, key->to) : none, *field = &one;
    /* refuses the value 0, because the field has the value 0 if the key is absent */
    if (one.type == NNC_FIELD_I64 && !key->may_be_zero) {
        one.min = 1;
        one.unit = NULL;
    }
    if (key->last_of_list && nnc_json_type_of(at) == NNC_JSON_LIST) { at = last_of(at); }
    const bool given = nnc_foreign_is_given(at);
    nnc_model read = *file->model;
    if (given) {
        read_given(at, file->at, key, field, &read);
    } else if (key->optional || key->absent.node != NULL || again == NULL) {
        read_absent(file, at, key, field, &read);
    }
    if (again != NULL && key->largest) {
        *file->model = foreign_number(field, &read) > foreign_number(field, file->model) ? read : *file->model;
        return;
    }
    const nnc_json before = again != NULL ? nnc_foreign_get(file->at, again->key) : (nnc_json){ 0 };
    const bool silent = again != NULL && again->optional && !nnc_foreign_is_given(before);
    if (again != NULL && !silent && !key->wins &&
        memcmp((const char *)&read + field->offset, (const char *)file->model + field->offset, field->size) != 0) {
        refuse_difference(file, key, again, given ? at : before, given);
    }
    *file->model = read;
}

/* Returns an earlier entry of the data file, or of the files in its chain of `like` keys, that sets the same field as
 * `key`; NULL = no such entry. */
static const nnc_foreign_key *earlier(const nnc_foreign_file *file, const nnc_foreign_key *key) {
    const nnc_architecture *row = NULL;
    while (key->to[0] != '\0' && (row = nnc_foreign_next(file->row, row)) != NULL) {
        for (int32_t i = 0; i < row->key_count; i++) {
            const nnc_foreign_key *k = &row->keys[i];
            if (k == key) { return NULL; }
            if (strcmp(k->to, key->to) == 0 && nnc_foreign_speaks(file->at, k->when) &&
                !nnc_foreign_overridden(file->row, row, k->key)) {
                return k;
            }
        }
    }
    return NULL;
}

void nnc_foreign_read_keys(nnc_foreign_file *file) {
    const nnc_architecture *row = NULL;
    while ((row = nnc_foreign_next(file->row, row)) != NULL) {
        for (int32_t i = 0; i < row->key_count && nnc_json_go_on(file->at); i++) {
            if (!nnc_foreign_overridden(file->row, row, row->keys[i].key)) {
                nnc_foreign_read_key(file, &row->keys[i], earlier(file, &row->keys[i]));
            }
        }
    }
}
