#include "input/record_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/field.h"

/* Whole numbers that a double holds exactly. */
#define WHOLE_MAX 9007199254740992.0

/* By the type of a row. */
static const struct {
    nnc_json_type type;
    const char *expected;
} wanted[] = {
    [NNC_METRIC_NUMBER] = { NNC_JSON_NUMBER, "a number" },
    [NNC_METRIC_WHOLE] = { NNC_JSON_NUMBER, "a whole number" },
    [NNC_METRIC_BOOL] = { NNC_JSON_BOOL, "true or false" },
    [NNC_METRIC_TEXT] = { NNC_JSON_TEXT, "text" },
    [NNC_METRIC_CHARS] = { NNC_JSON_TEXT, "text" },
    [NNC_METRIC_ENUM] = { NNC_JSON_TEXT, "text" },
    [NNC_METRIC_OBJECT] = { NNC_JSON_OBJECT, "an object" },
    [NNC_METRIC_LIST] = { NNC_JSON_LIST, "a list" },
};

/* What offsets of a row count from. */
static char *base_of(const nnc_metric *row, void *record)
{
    char *at = record;
    if (row->hop > 0) {
        memcpy(&at, &at[row->hop - 1], sizeof at);
    }
    return at;
}

static void put_whole(char *at, size_t size, int64_t whole)
{
    const int32_t narrow = (int32_t)whole;
    memcpy(at, size == sizeof whole ? (const void *)&whole : (const void *)&narrow, size);
}

static void read_whole(nnc_json value, char *at, size_t size)
{
    const double number = nnc_json_number(value);
    const double most = size == sizeof(int64_t) ? WHOLE_MAX : (double)INT32_MAX;
    if (!(number >= 0.0 && number <= most && floor(number) >= number)) {
        nnc_json_mismatch(value, "out of range", "a whole number as nncost writes it");
        return;
    }
    put_whole(at, size, (int64_t)number);
}

static void read_text(nnc_json value, const nnc_metric *row, char *at)
{
    if (row->type == NNC_METRIC_CHARS) {
        snprintf(at, row->size, "%s", nnc_json_text(value));
        return;
    }
    const char *copy = nnc_arena_strdup(value.doc->arena, nnc_json_text(value));
    if (copy == NULL) {
        nnc_faults_no_memory(value.doc->faults);
    }
    memcpy(at, &copy, sizeof copy);
}

static void read_enum(nnc_json value, const nnc_metric *row, char *at)
{
    const int index = nnc_names_find(row->names, nnc_json_text(value));
    if (index < 0) {
        const nnc_field like = { .type = NNC_FIELD_ENUM, .names = row->names };
        char expected[256];
        nnc_field_expected(&like, expected, sizeof expected);
        nnc_json_mismatch(value, "unknown value", expected);
        return;
    }
    put_whole(at, row->size, index);
}

/* What is being read: its members so far are there already. */
typedef struct reading {
    nnc_json object;
    void *record;
    const void *owner;
    nnc_record_take *take;
} reading;

static void read_rows(const reading *r, const nnc_metrics *metrics);

/* Objects nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void read_list(const reading *r, const nnc_metric *row, nnc_json list, char *base)
{
    const size_t size = row->rows->record_size;
    const int64_t count = nnc_json_count(list);
    char *at = base + row->offset;
    if (row->in_place && (size_t)count > row->size / size) {
        nnc_json_fault(list, NULL, "too long, expected at most %d entries",
                       (int)(row->size / size));
        return;
    }
    if (!row->in_place) {
        char *made = nnc_arena_array(list.doc->arena, (size_t)count + 1, size);
        if (made == NULL) {
            nnc_faults_no_memory(list.doc->faults);
            return;
        }
        memcpy(at, &made, sizeof made);
        at = made;
    }
    put_whole(base + row->count_offset, row->count_size, count);
    for (nnc_json item = nnc_json_first(list); item.node != NULL && nnc_json_go_on(item);
         item = nnc_json_next(item), at += size) {
        const reading inside = { item, at, r->record, r->take };
        read_rows(&inside, row->rows);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_value(const reading *r, const nnc_metric *row, nnc_json value)
{
    char *base = base_of(row, r->record), *at = base + row->offset;
    const double number = nnc_json_number(value);
    const bool flag = nnc_json_bool(value);
    const reading inside = { value, at, r->owner, r->take };
    switch (row->type) {
    case NNC_METRIC_NUMBER: memcpy(at, &number, sizeof number); break;
    case NNC_METRIC_WHOLE: read_whole(value, at, row->size); break;
    case NNC_METRIC_BOOL: memcpy(at, &flag, sizeof flag); break;
    case NNC_METRIC_ENUM: read_enum(value, row, at); break;
    case NNC_METRIC_OBJECT: read_rows(&inside, row->rows); break;
    case NNC_METRIC_LIST: read_list(r, row, value, base); break;
    default: read_text(value, row, at); break;
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_row(const reading *r, const nnc_metric *row)
{
    const nnc_json value = nnc_json_get(r->object, row->name);
    const nnc_json_type type = nnc_json_type_of(value);
    const nnc_place place = { .record = r->record, .owner = r->owner };
    const double none = (double)NAN;
    if (r->take(r->object, row, value, r->record) || row->get != NULL) {
        return;
    }
    if (type == NNC_JSON_ABSENT) {
        if (nnc_metric_rare(row)->when == NULL || nnc_metric_rare(row)->when(&place)) {
            nnc_json_fault(r->object, row->name, "missing, expected %s, found nothing",
                           wanted[row->type].expected);
        }
    } else if (type == wanted[row->type].type) {
        read_value(r, row, value);
    } else if (type != NNC_JSON_NULL ||
               (row->type != NNC_METRIC_NUMBER && nnc_metric_rare(row)->unless == NULL)) {
        nnc_json_mismatch(value, "wrong type", wanted[row->type].expected);
    } else if (row->type == NNC_METRIC_NUMBER) {
        memcpy(base_of(row, r->record) + row->offset, &none, sizeof none);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void read_rows(const reading *r, const nnc_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count && nnc_json_go_on(r->object); i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->name == NULL && row->rows != NULL) {
            const reading same = { r->object, base_of(row, r->record) + row->offset, r->owner,
                                   r->take };
            read_rows(&same, row->rows);
        } else if (row->name != NULL) {
            read_row(r, row);
        }
    }
}

void nnc_record_read(nnc_json object, const nnc_metrics *metrics, void *record,
                     nnc_record_take *take)
{
    const reading all = { object, record, NULL, take };
    read_rows(&all, metrics);
}
