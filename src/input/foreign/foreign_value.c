/* Values of a configuration: by the names of their keys, as texts, into fields. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/foreign/foreign.h"

void nnc_foreign_note(char *list, size_t size, const char *format, ...)
{
    char text[160];
    const size_t used = strlen(list);
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (used + 3 < size) {
        snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", text);
    }
}

bool nnc_foreign_given(nnc_json at, const char *key)
{
    const nnc_json_type type = nnc_json_type_of(nnc_json_get(at, key));
    return type != NNC_JSON_ABSENT && type != NNC_JSON_NULL;
}

const char *nnc_foreign_text(nnc_json at, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    switch (nnc_json_type_of(at)) {
    case NNC_JSON_ABSENT:
    case NNC_JSON_NULL: return "null";
    case NNC_JSON_BOOL: return nnc_json_bool(at) ? "true" : "false";
    case NNC_JSON_NUMBER:
        snprintf(text, size, "%s", nnc_number_text(nnc_json_number(at), number));
        return text;
    case NNC_JSON_TEXT: return nnc_json_text(at);
    case NNC_JSON_LIST:
    case NNC_JSON_OBJECT: break;
    }
    return NULL;
}

/* Of one name; that of a key inside objects has dots. */
static nnc_json get_one(nnc_json at, const char *name, size_t length)
{
    char dotted[96];
    const char *rest;
    const int outside = name[0] == '^';
    snprintf(dotted, sizeof dotted, "%.*s", (int)length - outside, name + outside);
    const nnc_json found = nnc_json_follow(outside ? nnc_json_root(at.doc) : at, dotted, &rest);
    return *rest == '\0' ? found : (nnc_json){ at.doc, NULL };
}

nnc_json nnc_foreign_get(nnc_json at, const char *names)
{
    nnc_json found = { at.doc, NULL };
    for (const char *name = names; *name != '\0'; name += *name == '|') {
        char a[64], b[64];
        const size_t length = strcspn(name, "|");
        const nnc_json one = get_one(at, name, length);
        const bool given =
            nnc_json_type_of(one) != NNC_JSON_ABSENT && nnc_json_type_of(one) != NNC_JSON_NULL;
        if (given && found.node != NULL && nnc_json_type_of(found) != NNC_JSON_NULL) {
            const char *first = nnc_foreign_text(found, a, sizeof a);
            const char *second = nnc_foreign_text(one, b, sizeof b);
            if (first == NULL || second == NULL || strcmp(first, second) != 0) {
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

double nnc_foreign_number(const nnc_field *field, const nnc_model *model)
{
    const void *place = (const char *)model + field->offset;
    const nnc_decoder *d = &model->decoder;
    if (place == (const void *)&d->head_dim && d->head_dim == 0 && d->heads > 0) {
        return floor((double)d->hidden / (double)d->heads);
    }
    return field->type == NNC_FIELD_I64   ? (double)*(const int64_t *)place
           : field->type == NNC_FIELD_F64 ? *(const double *)place
                                          : 0;
}

static void set_one(nnc_json at, nnc_model *model, const char *to, const char *text)
{
    nnc_error why;
    const nnc_field_table *table = nnc_model_table_of(model);
    char name[64], number[NNC_NUMBER_TEXT];
    const char *equals = strchr(text, '='), *times = strchr(text, '*');
    if (equals != NULL) {
        snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
        to = name;
        text = equals + 1;
    }
    const nnc_field *own = nnc_field_of_key(table, to);
    const bool word =
        own != NULL && own->type == NNC_FIELD_ENUM; /* "head" is a value, not a field */
    const nnc_field *from = word ? NULL : nnc_field_of_key(table, times != NULL ? times + 1 : text);
    if (from != NULL) {
        const double value =
            (times != NULL ? strtod(text, NULL) : 1) * nnc_foreign_number(from, model);
        text = nnc_number_text(from->type == NNC_FIELD_I64 ? floor(value) : value, number);
    }
    if (text[0] != '\0' && nnc_field_set(table, model, to, text, &why) != NNC_OK) {
        nnc_json_fault(at, NULL, "%.80s: %.300s", why.where, why.what);
    }
}

void nnc_foreign_set(nnc_json at, nnc_model *model, const char *to, const char *text)
{
    while (*text != '\0') {
        char one[96];
        const size_t size = strcspn(text, ",");
        snprintf(one, sizeof one, "%.*s", (int)size, text);
        set_one(at, model, to, one);
        text += size + (text[size] == ',');
    }
}

bool nnc_foreign_ends(const char *name, const char *end, size_t length)
{
    const size_t size = strlen(name);
    return size >= length && memcmp(name + size - length, end, length) == 0;
}

bool nnc_foreign_speaks(nnc_json at, const char *when)
{
    char key[64], wanted[64], text[64];
    if (when == NULL) {
        return true;
    }
    snprintf(key, sizeof key, "%.*s", (int)strcspn(when, "="), when);
    when += strlen(key) + 1;
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(when, "/"), when);
    const char *absent = strchr(when, '/');
    nnc_json value = nnc_foreign_get(at, key);
    const bool other = wanted[0] == '!';
    if (strcmp(key, "architectures") == 0 &&
        nnc_json_type_of(nnc_json_first(value)) == NNC_JSON_TEXT) {
        return nnc_foreign_ends(nnc_json_text(nnc_json_first(value)), wanted + other,
                                strlen(wanted) - other) != other;
    }
    const char *found = nnc_json_type_of(value) == NNC_JSON_ABSENT && absent != NULL
                            ? absent + 1
                            : nnc_foreign_text(value, text, sizeof text);
    return found != NULL && (strcmp(found, wanted + other) == 0) != other;
}
