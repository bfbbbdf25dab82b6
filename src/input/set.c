/* Fields by dotted name: finding one, and setting it from text. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/flags.h"
#include "input/read.h"

static const nnc_field *find_here(const nnc_field *fields, size_t count, const char *text,
                                  size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (nnc_same_name(fields[i].name, text, length) ||
            nnc_same_name(fields[i].alias, text, length)) {
            return &fields[i];
        }
    }
    return NULL;
}

static nnc_dtype dtype_named(const char *text, size_t length)
{
    int i = 0;
    while (i < NNC_DTYPE_COUNT && !nnc_same_name(nnc_dtype_name((nnc_dtype)i), text, length)) {
        i++;
    }
    return (nnc_dtype)i;
}

/* The table a dotted name got to, and what was looked for there. */
typedef struct search {
    const char *what;
    const nnc_field *fields;
    size_t count;
    const char *rest;
} search;

static const nnc_field *find(search *s, void **object, nnc_dtype *dtype)
{
    *dtype = NNC_DTYPE_COUNT;
    for (;;) {
        const size_t length = strcspn(s->rest, ".");
        const nnc_field *field = find_here(s->fields, s->count, s->rest, length);
        if (field == NULL || s->rest[length] == '\0') {
            return field;
        }
        const char *next = s->rest + length + 1;
        char *base = (char *)*object + field->offset;
        if (field->type == NNC_FIELD_RATES || field->type == NNC_FIELD_OBJECT_BY_DTYPE) {
            const size_t part = strcspn(next, ".");
            *dtype = dtype_named(next, part);
            const bool last = next[part] == '\0';
            if (*dtype == NNC_DTYPE_COUNT || (!last && field->type == NNC_FIELD_RATES)) {
                *s = (search){ field->name, NULL, 0, next };
                return NULL;
            }
            if (last) {
                return field;
            }
            base += (size_t)*dtype * (field->size / NNC_DTYPE_COUNT);
            next += part + 1;
        } else if (field->type != NNC_FIELD_OBJECT) {
            *s = (search){ field->name, NULL, 0, next };
            return NULL;
        }
        *object = base;
        *s = (search){ field->name, field->fields, field->field_count, next };
    }
}

const nnc_field *nnc_field_find(const nnc_field_table *table, const char *dotted, void **object,
                                nnc_dtype *dtype)
{
    search s = { table->what, table->fields, table->count, dotted };
    return find(&s, object, dtype);
}

const char *nnc_field_help(const nnc_field_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->fields[i].name, name) == 0) {
            return table->fields[i].help;
        }
    }
    return NULL;
}

static nnc_status fail_unknown(const search *s, const char *dotted, nnc_error *err)
{
    const char *names[NNC_DTYPE_COUNT + 64];
    size_t count = 0;
    for (size_t i = 0; i < s->count && count < 64; i++) {
        names[count++] = s->fields[i].name;
    }
    if (s->fields == NULL) {
        for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
            names[count++] = nnc_dtype_name((nnc_dtype)i);
        }
    }
    const char *near = nnc_nearest(s->rest, names, count);
    return nnc_fail(err, NNC_BAD_USAGE, dotted,
                    "unknown field, expected one of the %s's fields%s%s%s, found \"%s\"", s->what,
                    near != NULL ? ", perhaps \"" : "", near != NULL ? near : "",
                    near != NULL ? "\"" : "", s->rest);
}

static bool read_bool(const char *text, double *value)
{
    static const char *const words[] = { "off", "on", "false", "true", "0", "1" };
    for (int i = 0; i < 6; i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    }
    return false;
}

static bool read_flags(const nnc_flag *names, const char *text, double *value)
{
    unsigned flags;
    const bool read = nnc_flags_read(names, text, &flags);
    *value = flags;
    return read;
}

/* Of money, a currency may stand behind it: whoever knows the device compares it. */
static bool read_number(const nnc_field *field, const char *text, double *value)
{
    char currency[NNC_CURRENCY_TEXT];
    const bool is_money = field->unit == NULL && (strstr(field->name, "price") != NULL ||
                                                  strcmp(field->name, "cost") == 0);
    return is_money ? nnc_read_money(text, value, currency)
                    : nnc_read_quantity(text, field->unit, field->type != NNC_FIELD_F64, value);
}

/* One value, an element of a list included. Returns what is wrong, NULL = nothing. */
static const char *parse(const nnc_field *field, const char *text, double *value, char *expected,
                         size_t size)
{
    const char *what = NULL;
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: what = read_bool(text, value) ? NULL : "not a switch"; break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64:
        if (read_number(field, text, value)) {
            return nnc_field_refuse(field, *value, expected, size);
        }
        what = "not a number";
        break;
    case NNC_FIELD_ENUM:
        *value = nnc_names_find_typed(field->names, text);
        what = *value < 0 ? "unknown value" : NULL;
        break;
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_TRAIN:
        what = read_flags(nnc_flags_of(field->type), text, value) ? NULL : "unknown value";
        break;
    default: what = "not a single value"; break;
    }
    if (what != NULL) { /* a sweep sets millions of values, and few are wrong */
        nnc_field_expected(field, expected, size);
    }
    return what;
}

static const char *set_list(const nnc_field *field, void *object, const char *text, char *expected,
                            size_t size)
{
    double values[NNC_PATTERN_MAX]; /* the longest list there is */
    int32_t count = 0;
    for (const char *at = text; at != NULL;) {
        char part[64];
        at += strspn(at, " ");
        const size_t length = strcspn(at, ",");
        if (count == field->capacity || count == NNC_PATTERN_MAX || length >= sizeof(part)) {
            nnc_field_expected(field, expected, size);
            return "too long";
        }
        memcpy(part, at, length);
        part[length] = '\0';
        const char *what = parse(field, part, &values[count++], expected, size);
        if (what != NULL) {
            return what;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    for (int32_t i = 0; i < count; i++) {
        nnc_field_store(field, (char *)object + field->offset, i, values[i]);
    }
    memcpy((char *)object + field->count_offset, &count, sizeof(count));
    return NULL;
}

static const char *set_text(const nnc_field *field, void *object, const char *text, char *expected,
                            size_t size)
{
    const size_t length = strlen(text);
    if (field->size == 0 || length == 0 || length >= field->size) {
        nnc_field_expected(field, expected, size);
        return field->size == 0 ? "not kept" : length == 0 ? "empty" : "too long";
    }
    memcpy((char *)object + field->offset, text, length + 1);
    return NULL;
}

nnc_status nnc_field_at(const nnc_field_table *table, const char *dotted, void **object,
                        const nnc_field **field, nnc_dtype *dtype, nnc_error *err)
{
    search s = { table->what, table->fields, table->count, dotted };
    *field = find(&s, object, dtype);
    return *field != NULL ? NNC_OK : fail_unknown(&s, dotted, err);
}

nnc_status nnc_field_set(const nnc_field_table *table, void *object, const char *dotted,
                         const char *value, nnc_error *err)
{
    char expected[256];
    const char *what;
    double number = 0;
    nnc_dtype dtype;
    const nnc_field *field = NULL;
    NNC_TRY(nnc_field_at(table, dotted, &object, &field, &dtype, err));
    if (field->type == NNC_FIELD_TEXT) {
        what = set_text(field, object, value, expected, sizeof(expected));
    } else if (field->capacity > 0) {
        what = set_list(field, object, value, expected, sizeof(expected));
    } else if (field->type == NNC_FIELD_RATES && dtype == NNC_DTYPE_COUNT) {
        what = "not a single value";
        nnc_field_expected(field, expected, sizeof(expected));
    } else {
        what = parse(field, value, &number, expected, sizeof(expected));
        if (what == NULL) {
            nnc_field_store(field, (char *)object + field->offset,
                            field->type == NNC_FIELD_RATES ? (int)dtype : 0, number);
        }
    }
    if (what != NULL) {
        const char *quote = nnc_read_double(value, &number) ? "" : "\"";
        return nnc_fail(err, NNC_BAD_USAGE, dotted, "%s, expected %s, found %s%s%s", what, expected,
                        quote, value, quote);
    }
    return NNC_OK;
}
