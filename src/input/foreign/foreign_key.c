/* One key: from what a file says, or what stands for it, to a field. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/foreign/foreign.h"

/* A list that repeats one number stands for it. false: a fault was noted. */
static bool first_of_equal(nnc_json *at)
{
    const nnc_json first = nnc_json_first(*at);
    if (first.node == NULL) {
        nnc_json_mismatch(*at, "empty", "a whole number");
        return false;
    }
    for (nnc_json item = first; item.node != NULL; item = nnc_json_next(item)) {
        if (nnc_json_type_of(item) != NNC_JSON_NUMBER ||
            nnc_json_number(item) != nnc_json_number(first)) {
            nnc_json_mismatch(item, "uneven list", "the same whole number at every level");
            return false;
        }
    }
    *at = first;
    return true;
}

/* Is it a list of more than one number repeated? */
static bool is_uneven(nnc_json at)
{
    const nnc_json first = nnc_json_first(at);
    bool even = nnc_json_type_of(at) == NNC_JSON_LIST && nnc_json_type_of(first) == NNC_JSON_NUMBER;
    for (nnc_json item = first; even && item.node != NULL; item = nnc_json_next(item)) {
        even = nnc_json_type_of(item) == NNC_JSON_NUMBER &&
               nnc_json_number(item) == nnc_json_number(first);
    }
    return nnc_json_type_of(at) == NNC_JSON_LIST && !even;
}

static void read_word(nnc_json at, const nnc_foreign_key *key, nnc_model *model)
{
    char value[96], known[160] = "one of ", own[64];
    const char *text = nnc_foreign_text(at, own, sizeof own);
    if (text != NULL && nnc_foreign_value(key->words, text, value, sizeof value) != NULL) {
        nnc_foreign_set(at, model, key->to, value);
        return;
    }
    for (const char *word = key->words; *word != '\0'; word += strcspn(word, " ")) {
        const size_t used = strlen(known);
        word += strspn(word, " ");
        snprintf(known + used, sizeof known - used, "%s%.*s", word > key->words ? ", " : "",
                 (int)strcspn(word, "= "), word);
    }
    nnc_json_mismatch(at, "unknown value", known);
}

/* A number that is a multiple or a part of ours. */
static void read_scaled(nnc_json at, const nnc_foreign_key *key, const nnc_field *field,
                        nnc_model *model)
{
    const nnc_field *times =
        key->times != NULL ? nnc_field_of_key(nnc_model_table_of(model), key->times) : NULL;
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1;
    const double product = number * (times != NULL ? nnc_foreign_number(times, model) : 1);
    const double ours = product / (key->divide > 1 ? key->divide : 1) + key->plus;
    if (number < 0 || (number == 0 && !key->zero)) {
        nnc_json_mismatch(at, "wrong value", key->zero ? "a number from 0" : "a number above 0");
    } else if (!key->share && number != floor(number)) {
        nnc_json_mismatch(at, "wrong value", "a whole number");
    } else if (key->divide > 1 && ours != (double)(int64_t)ours) {
        char expected[64];
        snprintf(expected, sizeof expected, "a multiple of %d", key->divide);
        nnc_json_mismatch(at, "does not divide", expected);
    } else if (!(ours <= field->max) || ours < (key->zero ? 0 : 1)) {
        nnc_json_mismatch(at, "out of range", "another number");
    } else {
        nnc_field_store(field, (char *)model + field->offset, 0, floor(ours));
    }
}

/* Two thirds, rounded up to a multiple. */
static void read_rounded(nnc_json at, nnc_json root, const nnc_foreign_key *key,
                         const nnc_field *field, nnc_model *model)
{
    char name[64];
    const char *equals = strchr(key->other, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - key->other), key->other);
    const nnc_json other = nnc_foreign_get(root, name);
    const double step = nnc_json_type_of(other) == NNC_JSON_NUMBER ? nnc_json_number(other)
                                                                   : strtod(equals + 1, NULL);
    const double number = nnc_json_type_of(at) == NNC_JSON_NUMBER ? nnc_json_number(at) : -1;
    if (!(number >= 1 && number <= field->max) || number != floor(number)) {
        nnc_json_mismatch(at, "wrong value", "a whole number above 0");
    } else if (!(step >= 1 && step <= 1e6) || step != floor(step)) {
        nnc_json_mismatch(other, "wrong value", "a whole number above 0");
    } else {
        nnc_field_store(field, (char *)model + field->offset, 0,
                        ceil(floor(2 * number / 3) / step) * step);
    }
}

/* A width equal to that of the stream needs no projection. */
static void clear_equal(const nnc_foreign_key *key, const nnc_field *field, nnc_model *model)
{
    const nnc_field *other = key->rule == NNC_FOREIGN_NONE
                                 ? nnc_field_of_key(nnc_model_table_of(model), key->other)
                                 : NULL;
    if (other != NULL && nnc_foreign_number(other, model) == nnc_foreign_number(field, model)) {
        nnc_field_store(field, (char *)model + field->offset, 0, 0);
    }
}

/* A number for a number's field stands for itself where the words do not name it. */
static bool is_plain_number(nnc_json at, const nnc_foreign_key *key, const nnc_field *field)
{
    char text[64];
    const char *value = nnc_foreign_text(at, text, sizeof text);
    return nnc_json_type_of(at) == NNC_JSON_NUMBER && field->type == NNC_FIELD_I64 &&
           nnc_foreign_word(key->words, value) == NULL;
}

/* The value of a key that is there. */
static void read_given(nnc_json at, nnc_json root, const nnc_foreign_key *key,
                       const nnc_field *field, nnc_model *model)
{
    if (key->rule == NNC_FOREIGN_MULTIPLE) {
        read_rounded(at, root, key, field, model);
        return;
    }
    if (key->rule == NNC_FOREIGN_LIST && is_uneven(at)) {
        const nnc_field *list = nnc_field_of_key(nnc_model_table_of(model), key->other);
        nnc_read_field(at, list, model);
        return;
    }
    if (key->levels && nnc_json_type_of(at) == NNC_JSON_LIST && !first_of_equal(&at)) {
        return;
    }
    if (key->words != NULL && !is_plain_number(at, key, field)) {
        read_word(at, key, model);
        return;
    }
    if (key->members) {
        nnc_field_store(field, (char *)model + field->offset, 0, nnc_json_count(at));
    } else if (key->flag) {
        nnc_field_store(field, (char *)model + field->offset, 0, !nnc_foreign_is_empty(at));
    } else if (key->times != NULL || key->divide > 1 || key->plus != 0) {
        read_scaled(at, key, field, model);
    } else {
        nnc_read_field(at, field, model);
        if (key->rule == NNC_FOREIGN_LESS && nnc_json_go_on(at)) {
            const int64_t number = (int64_t)nnc_foreign_number(field, model);
            const int64_t rest = number - nnc_foreign_listed_below(root, key->other, number);
            nnc_field_store(field, (char *)model + field->offset, 0, (double)rest);
            if (rest < 1) {
                nnc_json_mismatch(at, "no layer is left", "more than are listed");
            }
        }
        clear_equal(key, field, model);
    }
}

/* Does the default follow from other fields, or set nothing? Where it is a number or a word of its own, null
 * is none: the class would not build. */
static bool is_derived(const nnc_model *model, const nnc_foreign_key *key)
{
    const char *times = strchr(key->absent, '*');
    const nnc_field_table *table = nnc_model_table_of(model);
    const nnc_field *target = key->to != NULL ? nnc_field_of_key(table, key->to) : NULL;
    return key->absent[0] == '\0' || (key->to != NULL && strcmp(key->to, "dropout") == 0) ||
           (target != NULL && target->names.of == NULL &&
            nnc_field_of_key(table, times != NULL ? times + 1 : key->absent) != NULL);
}

/* What stands for a key that is not there. */
static void read_absent(nnc_foreign_file *file, nnc_json at, const nnc_foreign_key *key,
                        const nnc_field *field, nnc_model *model)
{
    char name[64];
    const bool null = at.node != NULL && key->null != NULL;
    const char *value = null ? key->null : key->absent;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(key->key, "|"), key->key);
    if (!null && value != NULL && at.node != NULL && !is_derived(model, key)) {
        char expected[128] = "a value";
        if (key->to != NULL) {
            nnc_field_expected(field, expected, sizeof(expected));
        }
        nnc_json_mismatch(at, "says nothing", expected);
        return;
    }
    if (value == NULL) {
        char expected[128];
        nnc_field_expected(field, expected, sizeof(expected));
        nnc_json_fault(file->at, name, "missing, expected %s, found nothing", expected);
        return;
    }
    nnc_foreign_set(at.node != NULL ? at : file->at, model, key->to, value);
    if (value[0] != '\0' && !null && key->to != NULL && strcmp(key->to, "dropout") != 0) {
        char text[64];
        nnc_field_text(field, model, text, sizeof text);
        nnc_foreign_note(file->taken, sizeof file->taken, "%s %s", name, text);
    } else if (value[0] != '\0' && !null && key->to == NULL) {
        nnc_foreign_note(file->taken, sizeof file->taken, "%s: %s", name, value);
    }
}

void nnc_foreign_read_key(nnc_foreign_file *file, const nnc_foreign_key *key,
                          const nnc_foreign_key *again)
{
    if (key->to != NULL && strchr(key->to, ',') != NULL) {
        nnc_foreign_read_several(file, key);
        return;
    }
    const nnc_field *own = nnc_foreign_field_of(file, key);
    if (own == NULL || !nnc_foreign_speaks(file->at, key->when)) {
        return;
    }
    nnc_json at = nnc_foreign_get(file->at, key->key);
    nnc_field one = *own, *field = &one;
    if (one.type == NNC_FIELD_I64 &&
        !key->zero) { /* where 0 says "none" to us, theirs have no key */
        one.min = 1;
        one.unit = NULL;
    }
    if (key->last && nnc_json_type_of(at) == NNC_JSON_LIST) {
        for (nnc_json next = nnc_json_first(at); next.node != NULL; next = nnc_json_next(next)) {
            at = next;
        }
    }
    const bool given =
        nnc_json_type_of(at) != NNC_JSON_ABSENT && nnc_json_type_of(at) != NNC_JSON_NULL;
    nnc_model read = *file->model;
    if (given) {
        read_given(at, file->at, key, field, &read);
    } else if (key->absent != NULL || again == NULL) {
        read_absent(file, at, key, field, &read);
    }
    if (again != NULL && key->most) {
        *file->model = nnc_foreign_number(field, &read) > nnc_foreign_number(field, file->model)
                           ? read
                           : *file->model;
        return;
    }
    if (again != NULL && !key->wins &&
        memcmp((const char *)&read + field->offset, (const char *)file->model + field->offset,
               field->size) != 0) {
        char what[96];
        snprintf(what, sizeof what, "differs from %s", given ? again->key : key->key);
        nnc_json_mismatch(given ? at : nnc_foreign_get(file->at, again->key), what, "the same");
    }
    *file->model = read;
}
