#include "input/read.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

enum { NAMES_MAX = 96 };

static void mismatch(nnc_json at, const nnc_field *field, const char *what)
{
    char expected[256];
    nnc_field_expected(field, expected, sizeof(expected));
    nnc_json_mismatch(at, what, expected);
}

static void read_number(nnc_json at, const nnc_field *field, void *place, int index)
{
    char expected[256];
    if (nnc_json_type_of(at) == NNC_JSON_NULL) {
        return; /* not recorded, as if absent */
    }
    if (nnc_json_type_of(at) != NNC_JSON_NUMBER) {
        mismatch(at, field, "wrong type");
        return;
    }
    const double value = nnc_json_number(at);
    const char *what = nnc_field_refuse(field, value, expected, sizeof(expected));
    if (what != NULL) {
        nnc_json_mismatch(at, what, expected);
    } else {
        nnc_field_store(field, place, index, value);
    }
}

static void read_bool(nnc_json at, const nnc_field *field, void *place, int index)
{
    if (nnc_json_type_of(at) != NNC_JSON_BOOL) {
        mismatch(at, field, "wrong type");
    } else {
        nnc_field_store(field, place, index, nnc_json_bool(at));
    }
}

static void read_name(nnc_json at, const nnc_field *field, void *place, int index)
{
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        mismatch(at, field, "wrong type");
        return;
    }
    const int value = nnc_names_find(field->names, nnc_json_text(at));
    if (value < 0) {
        mismatch(at, field, "unknown value");
    } else {
        nnc_field_store(field, place, index, value);
    }
}

static void read_text(nnc_json at, const nnc_field *field, void *place)
{
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        mismatch(at, field, "wrong type");
        return;
    }
    const size_t length = strlen(nnc_json_text(at));
    if (length == 0) {
        mismatch(at, field, "empty");
    } else if (field->size > 0 && length >= field->size) {
        mismatch(at, field, "too long");
    } else if (field->size > 0) {
        memcpy(place, nnc_json_text(at), length + 1);
    }
}

static void read_list(nnc_json at, const nnc_field *field, void *object)
{
    char *base = object;
    int32_t count = 0;
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        mismatch(at, field, "wrong type");
        return;
    }
    if (nnc_json_count(at) < 1 || nnc_json_count(at) > field->capacity) {
        mismatch(at, field, "wrong length");
        return;
    }
    nnc_field one = *field;
    one.type = nnc_field_element(field->type);
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        if (one.type == NNC_FIELD_BOOL) {
            read_bool(item, &one, base + field->offset, count++);
        } else if (one.type == NNC_FIELD_ENUM) {
            read_name(item, &one, base + field->offset, count++);
        } else if (nnc_json_type_of(item) == NNC_JSON_NULL) {
            mismatch(item, &one, "wrong type");
        } else {
            read_number(item, &one, base + field->offset, count++);
        }
    }
    memcpy(base + field->count_offset, &count, sizeof(count));
}

static const nnc_names dtypes = { nnc_dtype_name, NNC_DTYPE_COUNT };

/* The place of each number format in an object keyed by them. */
static nnc_dtype dtype_of_key(nnc_json at)
{
    const int found = nnc_names_find(dtypes, nnc_json_key(at));
    return found < 0 ? NNC_DTYPE_COUNT : (nnc_dtype)found;
}

static void refuse_key(nnc_json at, const char *what, const char *const *names, size_t count)
{
    const char *key = nnc_json_key(at);
    const char *near = nnc_nearest(key, names, count);
    nnc_json_fault(at, NULL, "unknown key, expected one of the %s's keys%s%s%s, found \"%.60s\"",
                   what, near != NULL ? ", perhaps \"" : "", near != NULL ? near : "",
                   near != NULL ? "\"" : "", key);
}

static bool is_note(nnc_json at)
{
    if (strcmp(nnc_json_key(at), "note") != 0) {
        return false;
    }
    if (nnc_json_type_of(at) != NNC_JSON_TEXT) {
        nnc_json_mismatch(at, "wrong type", "text");
    }
    return true;
}

static void read_by_dtype(nnc_json at, const nnc_field *field, void *place)
{
    const size_t size = field->size / NNC_DTYPE_COUNT;
    nnc_field one = *field;
    one.type = nnc_field_element(field->type);
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        mismatch(at, field, "wrong type");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        const nnc_dtype dtype = dtype_of_key(item);
        if (is_note(item)) {
            continue;
        }
        if (dtype == NNC_DTYPE_COUNT) {
            const char *formats[NNC_DTYPE_COUNT];
            for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
                formats[i] = nnc_dtype_name((nnc_dtype)i);
            }
            refuse_key(item, field->name, formats, NNC_DTYPE_COUNT);
        } else if (field->type == NNC_FIELD_RATES) {
            read_number(item, &one, place, (int)dtype);
        } else {
            const nnc_field_table inner = { field->name, field->fields, field->field_count };
            nnc_read_object(item, &inner, NULL, (char *)place + (size_t)dtype * size);
        }
    }
}

void nnc_read_field(nnc_json at, const nnc_field *field, void *object)
{
    void *place = (char *)object + field->offset;
    switch (field->type) {
    case NNC_FIELD_BOOL: read_bool(at, field, place, 0); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: read_number(at, field, place, 0); break;
    case NNC_FIELD_ENUM: read_name(at, field, place, 0); break;
    case NNC_FIELD_TEXT: read_text(at, field, place); break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST:
    case NNC_FIELD_ENUM_LIST: read_list(at, field, object); break;
    case NNC_FIELD_RATES:
    case NNC_FIELD_OBJECT_BY_DTYPE: read_by_dtype(at, field, place); break;
    case NNC_FIELD_OBJECT: {
        const nnc_field_table inner = { field->name, field->fields, field->field_count };
        nnc_read_object(at, &inner, NULL, place);
        break;
    }
    case NNC_FIELD_OFFLOAD:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_RECOMPUTE: mismatch(at, field, "not kept in files"); break;
    }
}

bool nnc_is_one_of(const char *key, const char *const *keys)
{
    for (; keys != NULL && *keys != NULL; keys++) {
        if (strcmp(*keys, key) == 0) {
            return true;
        }
    }
    return false;
}

const nnc_field *nnc_field_of_key(const nnc_field_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->fields[i].name, key) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

void nnc_refuse_unknown(nnc_json at, const nnc_field_table *table, const char *const *others)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < table->count && count < NAMES_MAX; i++) {
        names[count++] = table->fields[i].name;
    }
    for (; others != NULL && *others != NULL && count < NAMES_MAX; others++) {
        names[count++] = *others;
    }
    refuse_key(at, table->what, names, count);
}

static void require(nnc_json at, const nnc_field *field)
{
    const nnc_json value = nnc_json_get(at, field->name);
    if (nnc_json_type_of(value) == NNC_JSON_ABSENT || nnc_json_type_of(value) == NNC_JSON_NULL) {
        char expected[256];
        nnc_field_expected(field, expected, sizeof(expected));
        nnc_json_fault(at, field->name, "missing, expected %s, found nothing", expected);
    }
}

/* Calls itself through nnc_read_field as deep as tables nest: device, efficiency, gemm. */
void nnc_read_object(nnc_json at, const nnc_field_table *table, const char *const *others,
                     void *object)
{
    if (nnc_json_type_of(at) != NNC_JSON_OBJECT) {
        nnc_json_mismatch(at, "wrong type", "an object");
        return;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item)) {
        const nnc_field *field = nnc_field_of_key(table, nnc_json_key(item));
        if (field != NULL) {
            nnc_read_field(item, field, object);
        } else if (!is_note(item) && !nnc_is_one_of(nnc_json_key(item), others) &&
                   (others != NULL || strcmp(nnc_json_key(item), "same_as") != 0)) {
            nnc_refuse_unknown(item, table, others);
        }
    }
    for (size_t i = 0; i < table->count && nnc_json_go_on(at); i++) {
        if (table->fields[i].required) {
            require(at, &table->fields[i]);
        }
    }
}

void *nnc_read_objects(nnc_json at, const nnc_field_table *table, const char *const *others,
                       size_t size, const void *unsaid, int32_t *count)
{
    *count = 0;
    if (nnc_json_type_of(at) == NNC_JSON_ABSENT) {
        return NULL;
    }
    if (nnc_json_type_of(at) != NNC_JSON_LIST) {
        char expected[64];
        snprintf(expected, sizeof(expected), "a list of %ss", table->what);
        nnc_json_mismatch(at, "wrong type", expected);
        return NULL;
    }
    char *list = nnc_arena_array(at.doc->arena, (size_t)nnc_json_count(at) + 1, size);
    if (list == NULL) {
        nnc_faults_no_memory(at.doc->faults);
        return NULL;
    }
    for (nnc_json item = nnc_json_first(at); item.node != NULL; item = nnc_json_next(item)) {
        char *object = list + (size_t)(*count)++ * size;
        memcpy(object, unsaid, size);
        nnc_read_object(item, table, others, object);
    }
    return list;
}

/* What is wrong with the whole number of a field; NULL = nothing, or it is none. */
static const char *refuse_whole(const nnc_field *field, const void *object, double *value,
                                char *expected, size_t size)
{
    const char *place = (const char *)object + field->offset;
    if (field->type == NNC_FIELD_I32) {
        *value = *(const int32_t *)(const void *)place;
    } else if (field->type == NNC_FIELD_I64) {
        *value = (double)*(const int64_t *)(const void *)place;
    } else {
        return NULL;
    }
    const bool absent = *value == 0 && !field->required;
    return absent ? NULL : nnc_field_refuse(field, *value, expected, size);
}

bool nnc_check_ranges(nnc_json at, const nnc_field_table *table, const void *object)
{
    bool suits = true;
    for (size_t i = 0; i < table->count && nnc_json_go_on(at); i++) {
        const nnc_field *field = &table->fields[i];
        char expected[256];
        double value = 0;
        const char *what = refuse_whole(field, object, &value, expected, sizeof(expected));
        if (what != NULL) {
            char found[NNC_NUMBER_TEXT];
            nnc_json_fault(at, field->name, "%s, expected %s, found %s", what, expected,
                           nnc_number_text(value, found));
            suits = false;
        }
    }
    return suits;
}
