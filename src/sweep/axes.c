#include "sweep/axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "input/field.h"

#define ROWS_MAX INT64_C(1000000000000000)

/* The values of a list while it is read. */
typedef struct value_list {
    nnc_arena *arena;
    const char *where, *whole; /* for messages */
    const char **values;
    int32_t count, capacity;
    const nnc_field *field; /* whose values they are; NULL = plain numbers */
    bool numeric, doubles;  /* ranges are read; by doubling unless they say how */
} value_list;

static nnc_status no_memory(const value_list *list, nnc_error *err)
{
    return nnc_fail(err, NNC_NO_MEMORY, list->where, "out of memory");
}

static nnc_status add(value_list *list, const char *text, nnc_error *err)
{
    if (list->count == NNC_SWEEP_VALUES_MAX) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where, "too many values, expected at most %d",
                        NNC_SWEEP_VALUES_MAX);
    }
    const char **values = nnc_arena_grow(list->arena, list->values, list->count, &list->capacity,
                                         sizeof *list->values);
    if (values == NULL) {
        return no_memory(list, err);
    }
    list->values = values;
    list->values[list->count] = nnc_arena_strdup(list->arena, text);
    return list->values[list->count++] != NULL ? NNC_OK : no_memory(list, err);
}

/* first..last, first..last+step, first..last*factor */
typedef struct range {
    double first, last, by;
    bool times;
} range;

static bool read_part(const nnc_field *field, const char *text, size_t length, double *value)
{
    char part[NNC_NUMBER_TEXT * 2];
    if (length >= sizeof part) {
        return false;
    }
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    return field != NULL ? nnc_read_quantity(part, field->unit, field->type != NNC_FIELD_F64, value)
                         : nnc_read_double(part, value);
}

/* The sign of an exponent, "1e+3", is no step. */
static size_t end_length(const char *text)
{
    size_t length = strcspn(text, "*+");
    if (text[length] == '+' && length > 0 && strchr("eE", text[length - 1]) != NULL) {
        length += 1 + strcspn(text + length + 1, "*+");
    }
    return length;
}

static bool read_range(const value_list *list, const char *text, range *r)
{
    const nnc_field *field = list->field;
    const char *dots = strstr(text, "..");
    const char *end = dots + 2;
    const size_t length = end_length(end);
    const bool plain = end[length] == '\0';
    *r = (range){ .by = plain && list->doubles ? 2.0 : 1.0,
                  .times = plain ? list->doubles : end[length] == '*' };
    return read_part(field, text, (size_t)(dots - text), &r->first) &&
           read_part(field, end, length, &r->last) &&
           (plain ||
            read_part(r->times ? NULL : field, end + length + 1, strlen(end + length + 1), &r->by));
}

static nnc_status add_range(value_list *list, const char *text, nnc_error *err)
{
    range r;
    if (!read_range(list, text, &r)) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where,
                        "not a range, expected FIRST..LAST, FIRST..LAST+STEP or "
                        "FIRST..LAST*FACTOR, found \"%s\"",
                        text);
    }
    const bool rises = r.times ? r.by > 1.0 && r.first > 0.0 : r.by > 0.0;
    if (!rises || r.last < r.first) {
        return nnc_fail(err, NNC_BAD_USAGE, list->where, "the range does not rise, found \"%s\"",
                        text);
    }
    /* A last value that a step meets but for rounding counts. */
    const double last = r.last + (r.times ? r.last : r.by) * 1e-9;
    nnc_status status = NNC_OK;
    double value = r.first;
    for (int32_t i = 1; value <= last && status == NNC_OK; i++) {
        char number[NNC_NUMBER_TEXT];
        status = add(list, nnc_number_text(value, number), err);
        value = r.times ? value * r.by : r.first + i * r.by;
    }
    return status;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static nnc_status refuse_twice(const value_list *list, nnc_error *err)
{
    const size_t count = (size_t)list->count;
    const char **sorted = nnc_arena_array(list->arena, count, sizeof *sorted);
    if (sorted == NULL) {
        return no_memory(list, err);
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = list->values[i];
    }
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(sorted[i], sorted[i - 1]) == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, list->where, "\"%s\" twice in the list \"%s\"",
                            sorted[i], list->whole);
        }
    }
    return NNC_OK;
}

static nnc_status read_list(value_list *read, const char *list, nnc_error *err)
{
    char *text = nnc_arena_strdup(read->arena, list);
    nnc_status status = NNC_OK;
    if (text == NULL) {
        return no_memory(read, err);
    }
    for (bool more = true; more && status == NNC_OK;) {
        const size_t length = strcspn(text, ",");
        more = text[length] == ',';
        text[length] = '\0';
        if (length == 0) {
            return nnc_fail(err, NNC_BAD_USAGE, read->where, "empty value in the list \"%s\"",
                            list);
        }
        const bool is_range = read->numeric && strstr(text, "..") != NULL;
        status = is_range ? add_range(read, text, err) : add(read, text, err);
        text += length + 1;
    }
    return status == NNC_OK && read->count > 1 ? refuse_twice(read, err) : status;
}

nnc_status nnc_sweep_list(nnc_arena *arena, const char *where, const char *list, bool numeric,
                          const char ***values, int32_t *count, nnc_error *err)
{
    return nnc_sweep_list_of(arena, where, list, NULL, numeric, values, count, err);
}

nnc_status nnc_sweep_list_of(nnc_arena *arena, const char *where, const char *list,
                             const nnc_field *field, bool numeric, const char ***values,
                             int32_t *count, nnc_error *err)
{
    value_list read = {
        .arena = arena, .where = where, .whole = list, .field = field, .numeric = numeric
    };
    const nnc_status status = read_list(&read, list, err);
    *values = read.values;
    *count = read.count;
    return status;
}

nnc_status nnc_sweep_sizes(nnc_arena *arena, const char *where, const char *list,
                           const char ***values, int32_t *count, nnc_error *err)
{
    value_list read = {
        .arena = arena, .where = where, .whole = list, .numeric = true, .doubles = true
    };
    const nnc_status status = read_list(&read, list, err);
    *values = read.values;
    *count = read.count;
    return status;
}

nnc_status nnc_sweep_count(nnc_sweep_axes *axes, nnc_error *err)
{
    const nnc_sweep_axis *leaders[NNC_SWEEP_AXES_MAX] = { NULL };
    axes->rows = 1;
    axes->group_count = 0;
    for (int32_t i = 0; i < axes->axis_count; i++) {
        const nnc_sweep_axis *axis = &axes->axes[i];
        const nnc_sweep_axis *leader = leaders[axis->group];
        if (leader != NULL) {
            if (leader->count != axis->count) {
                return nnc_fail(err, NNC_BAD_USAGE, "--link",
                                "lists of different lengths, %s has %d values and %s has %d",
                                leader->name, (int)leader->count, axis->name, (int)axis->count);
            }
            continue;
        }
        leaders[axis->group] = axis;
        axes->lengths[axes->group_count++] = axis->count;
        if (!nnc_mul_i64(axes->rows, axis->count, &axes->rows) || axes->rows > ROWS_MAX) {
            return nnc_fail(err, NNC_BAD_USAGE, axis->name,
                            "too many combinations, expected at most %.0e", (double)ROWS_MAX);
        }
    }
    return NNC_OK;
}

void nnc_sweep_place(const nnc_sweep_axes *axes, int64_t row, int32_t *places)
{
    for (int32_t group = axes->group_count - 1; group >= 0; group--) {
        const int64_t length = axes->lengths[group];
        places[group] = (int32_t)(row % length);
        row /= length;
    }
}
