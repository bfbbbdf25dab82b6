#include "input/field.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "input/read.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53: past it a double skips whole numbers */

nnc_field_type nnc_field_element(nnc_field_type type)
{
    switch (type) {
    case NNC_FIELD_RATES: return NNC_FIELD_F64;
    case NNC_FIELD_I32_LIST: return NNC_FIELD_I32;
    case NNC_FIELD_I64_LIST: return NNC_FIELD_I64;
    case NNC_FIELD_BOOL_LIST: return NNC_FIELD_BOOL;
    case NNC_FIELD_ENUM_LIST: return NNC_FIELD_ENUM;
    default: return type;
    }
}

static bool is_whole(const nnc_field *field)
{
    const nnc_field_type type = nnc_field_element(field->type);
    return type == NNC_FIELD_I32 || type == NNC_FIELD_I64;
}

static bool has_limits(const nnc_field *field)
{
    return field->min != 0 || field->max != 0;
}

/* "80 B", "1e9", "1e15 FLOP/s": from a million up, zeros are counted for the reader. */
static void limit_text(const nnc_field *field, double limit, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT], power[16] = "";
    const char *unit = field->unit != NULL ? field->unit : "";
    int zeros = 0;
    while (limit >= 1e6 && fmod(limit, pow(10, zeros + 1)) == 0) {
        zeros++;
    }
    if (zeros >= 6) {
        limit /= pow(10, zeros);
        snprintf(power, sizeof(power), "e%d", zeros);
    }
    snprintf(text, size, "%s%s%s%s", nnc_number_text(limit, number), power,
             unit[0] != '\0' ? " " : "", unit);
}

/* " (did you mean 312e12?)" of a figure that is out of range for having been given in another unit: the
 * power of a thousand that brings it nearest to what is usual. */
static void slip_text(const nnc_field *field, double value, char *text, size_t size)
{
    char number[NNC_NUMBER_TEXT];
    text[0] = '\0';
    if (!(field->usual > 0.0 && value > 0.0)) {
        return;
    }
    const int power = (int)round(log10(field->usual / value) / 3.0) * 3;
    nnc_number_text(value, number);
    if (power != 0 && strchr(number, 'e') == NULL) {
        snprintf(text, size, " (did you mean %se%d?)", number, power);
    }
}

const char *nnc_field_refuse(const nnc_field *field, double value, char *expected, size_t size)
{
    char limit[64], slip[64];
    if (is_whole(field) && value != floor(value)) {
        snprintf(expected, size, "a whole number");
        return "not a whole number";
    }
    if (!has_limits(field)) {
        const double most = nnc_field_element(field->type) == NNC_FIELD_I32 ? INT32_MAX : EXACT_MAX;
        if (is_whole(field) && fabs(value) > most) {
            snprintf(expected, size, "at most %.0f", most);
            return "out of range";
        }
        return NULL;
    }
    if (field->min == field->max && value != field->min) {
        nnc_field_expected(field, expected, size);
        return "out of range";
    }
    if (value < field->min || (field->above_min && value == field->min)) {
        limit_text(field, field->min, limit, sizeof(limit));
        slip_text(field, value, slip, sizeof slip);
        snprintf(expected, size, "%s %s%s", field->above_min ? "above" : "at least", limit, slip);
        return "out of range";
    }
    if (value > field->max) {
        limit_text(field, field->max, limit, sizeof(limit));
        slip_text(field, value, slip, sizeof slip);
        snprintf(expected, size, "at most %s%s", limit, slip);
        return "out of range";
    }
    return NULL;
}

void nnc_field_store(const nnc_field *field, void *place, int index, double value)
{
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL: ((bool *)place)[index] = value != 0; break;
    case NNC_FIELD_I32: ((int32_t *)place)[index] = (int32_t)value; break;
    case NNC_FIELD_I64: ((int64_t *)place)[index] = (int64_t)value; break;
    case NNC_FIELD_F64: ((double *)place)[index] = value; break;
    case NNC_FIELD_ENUM:
    case NNC_FIELD_RECOMPUTE:
    case NNC_FIELD_TRAIN:
    case NNC_FIELD_OFFLOAD: ((unsigned *)place)[index] = (unsigned)value; break;
    default: break;
    }
}

static void expect_number(const nnc_field *field, char *text, size_t size)
{
    const char *what = is_whole(field) ? "a whole number" : "a number";
    char min[64], max[64];
    limit_text(field, field->min, min, sizeof(min));
    limit_text(field, field->max, max, sizeof(max));
    if (!has_limits(field)) {
        snprintf(text, size, "%s", what);
    } else if (field->min == field->max) {
        /* A field with one value is one that this version does not vary. */
        snprintf(text, size, "%s in this version", min);
    } else if (field->above_min) {
        snprintf(text, size, "%s above %s, at most %s", what, min, max);
    } else {
        snprintf(text, size, "%s from %s to %s", what, min, max);
    }
}

static void expect_name(const nnc_field *field, const char *before, char *text, size_t size)
{
    if (field->names.count == 1) {
        snprintf(text, size, "%s in this version", field->names.of(0));
        return;
    }
    size_t used = (size_t)snprintf(text, size, "%s", before);
    for (int i = 0; i < field->names.count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, i > 0 ? ", %s" : "%s",
                                 field->names.of((unsigned)i));
    }
}

void nnc_field_expected(const nnc_field *field, char *text, size_t size)
{
    switch (field->type) {
    case NNC_FIELD_BOOL: snprintf(text, size, "true or false"); break;
    case NNC_FIELD_I32:
    case NNC_FIELD_I64:
    case NNC_FIELD_F64: expect_number(field, text, size); break;
    case NNC_FIELD_ENUM: expect_name(field, "one of ", text, size); break;
    case NNC_FIELD_ENUM_LIST: expect_name(field, "a list out of ", text, size); break;
    case NNC_FIELD_TEXT:
        if (field->size > 0) {
            snprintf(text, size, "text of 1 to %" PRIu32 " bytes", field->size - 1);
        } else {
            snprintf(text, size, "text");
        }
        break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
        snprintf(text, size, "a list of 1 to %d whole numbers", field->capacity);
        break;
    case NNC_FIELD_BOOL_LIST:
        snprintf(text, size, "a list of 1 to %d times true or false", field->capacity);
        break;
    case NNC_FIELD_RECOMPUTE:
        snprintf(text, size,
                 "none, selective, full, or some of attention,norm,activation,mla_up_proj,moe_act,"
                 "shared_experts,mlp,moe");
        break;
    case NNC_FIELD_OFFLOAD:
        snprintf(text, size, "none, or some of optimizer,activations,weights");
        break;
    case NNC_FIELD_TRAIN:
        snprintf(text, size,
                 "all, or some of embedding,attention,mlp,norm,conv,time,head,towers,adapters");
        break;
    case NNC_FIELD_RATES:
    case NNC_FIELD_OBJECT_BY_DTYPE: snprintf(text, size, "an object keyed by number format"); break;
    case NNC_FIELD_OBJECT: snprintf(text, size, "an object"); break;
    }
}

static void append(char *text, size_t size, size_t *used, const char *part)
{
    const int n = *used < size
                      ? snprintf(text + *used, size - *used, "%s%s", *used > 0 ? ", " : "", part)
                      : 0;
    *used += n > 0 ? (size_t)n : 0;
}

/* One value of a field, the one at `index` of a list. */
static void value_text(const nnc_field *field, const void *place, int index, char *text,
                       size_t size)
{
    char number[NNC_NUMBER_TEXT];
    double value = (double)NAN;
    switch (nnc_field_element(field->type)) {
    case NNC_FIELD_BOOL:
        snprintf(text, size, "%s", ((const bool *)place)[index] ? "on" : "off");
        return;
    case NNC_FIELD_ENUM: {
        const unsigned name = ((const unsigned *)place)[index];
        snprintf(text, size, "%s",
                 name < (unsigned)field->names.count ? field->names.of(name) : "-");
        return;
    }
    case NNC_FIELD_I32: value = ((const int32_t *)place)[index]; break;
    case NNC_FIELD_I64: value = (double)((const int64_t *)place)[index]; break;
    case NNC_FIELD_F64: value = ((const double *)place)[index]; break;
    default: break;
    }
    value = field->zero_unknown && value == 0.0 ? (double)NAN : value;
    snprintf(text, size, "%s", isnan(value) ? "-" : nnc_number_text(value, number));
}

static void rates_text(const nnc_field *field, const double *rates, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < NNC_DTYPE_COUNT; i++) {
        if (!isnan(rates[i])) {
            char number[NNC_NUMBER_TEXT], part[64];
            value_text(field, rates, i, number, sizeof(number));
            snprintf(part, sizeof(part), "%s %s", nnc_dtype_name((nnc_dtype)i), number);
            append(text, size, &used, part);
        }
    }
    if (used == 0) {
        snprintf(text, size, "-");
    }
}

static void list_text(const nnc_field *field, const void *object, char *text, size_t size)
{
    const char *base = object;
    size_t used = 0;
    int32_t count;
    memcpy(&count, base + field->count_offset, sizeof(count));
    for (int32_t i = 0; i < count; i++) {
        char part[NNC_NUMBER_TEXT];
        value_text(field, base + field->offset, i, part, sizeof(part));
        append(text, size, &used, part);
    }
    if (used == 0) {
        snprintf(text, size, "-");
    }
}

void nnc_field_text(const nnc_field *field, const void *object, char *text, size_t size)
{
    const void *place = (const char *)object + field->offset;
    switch (field->type) {
    case NNC_FIELD_TEXT:
        snprintf(text, size, "%s",
                 field->size > 0 && *(const char *)place != '\0' ? (const char *)place : "-");
        break;
    case NNC_FIELD_RATES: rates_text(field, place, text, size); break;
    case NNC_FIELD_I32_LIST:
    case NNC_FIELD_I64_LIST:
    case NNC_FIELD_BOOL_LIST:
    case NNC_FIELD_ENUM_LIST: list_text(field, object, text, size); break;
    case NNC_FIELD_RECOMPUTE: nnc_recompute_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_TRAIN: nnc_train_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_OFFLOAD: nnc_offload_text(*(const unsigned *)place, text, size); break;
    case NNC_FIELD_OBJECT:
    case NNC_FIELD_OBJECT_BY_DTYPE: snprintf(text, size, "-"); break;
    default: value_text(field, place, 0, text, size); break;
    }
}

char *nnc_option_name(const char *field, char text[NNC_OPTION_NAME])
{
    size_t size = 2;
    memcpy(text, "--", size);
    for (; *field != '\0' && size < NNC_OPTION_NAME - 1;
         field++) { /* every command names all of its options */
        text[size++] = (char)(*field == '_' ? '-' : *field);
    }
    text[size] = '\0';
    return text;
}
