#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "metrics/metrics_internal.h"

static const nnc_cell no_value = { .kind = NNC_CELL_NULL };

/* Base of a row's offsets; NULL when the pointer to it is NULL. */
static const char *base_of(const nnc_metric *row, const void *record)
{
    const char *at = record;
    if (row->hop > 0 && at != NULL) {
        memcpy(&at, &at[row->hop - 1], sizeof at);
    }
    return at;
}

static int64_t whole_at(const char *at, size_t size)
{
    int64_t wide = 0;
    int32_t narrow = 0;
    if (size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    assert(size == sizeof narrow);
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

nnc_cell nnc_number_cell(double number)
{
    return isfinite(number) ? (nnc_cell){ .kind = NNC_CELL_NUMBER, .number = number } : no_value;
}

nnc_cell nnc_text_cell(const char *text)
{
    return text != NULL ? (nnc_cell){ .kind = NNC_CELL_TEXT, .text = text } : no_value;
}

nnc_cell nnc_metric_read(const nnc_metric *row, const nnc_place *place, int32_t index,
                         char text[NNC_METRIC_TEXT_MAX])
{
    if (row->get != NULL) {
        return row->get(place, text);
    }
    const char *at = base_of(row, place->record);
    if (at == NULL) {
        return no_value;
    }
    const size_t size = row->each_count > 0 ? sizeof(int64_t) : row->size; /* int64_t or double */
    at += row->offset + (size_t)index * size;
    const char *pointer = NULL;
    double number = 0;
    int64_t whole = 0;
    bool flag = false;
    switch (row->type) {
    case NNC_METRIC_NUMBER: memcpy(&number, at, sizeof number); return nnc_number_cell(number);
    case NNC_METRIC_WHOLE:
        whole = whole_at(at, size);
        return row->blank_zero && whole == 0 ? no_value
                                             : (nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = whole };
    case NNC_METRIC_BOOL:
        memcpy(&flag, at, sizeof flag);
        return (nnc_cell){ .kind = NNC_CELL_BOOL, .flag = flag };
    case NNC_METRIC_TEXT: memcpy(&pointer, at, sizeof pointer); return nnc_text_cell(pointer);
    case NNC_METRIC_CHARS: return nnc_text_cell(at);
    case NNC_METRIC_ENUM:
        whole = whole_at(at, size);
        return whole >= 0 && whole < row->names.count
                   ? nnc_text_cell(row->names.of((unsigned)whole))
                   : no_value;
    default: return no_value;
    }
}

nnc_place nnc_metric_inside(const nnc_metric *row, const nnc_place *place)
{
    const char *base = base_of(row, place->record);
    nnc_place inside = *place;
    inside.record = base != NULL ? base + row->offset : NULL;
    return inside;
}

nnc_lines nnc_metric_lines(const nnc_metric *row, const nnc_place *place)
{
    const char *base = base_of(row, place->record);
    nnc_lines lines = { .metrics = row->rows, .owner = place->record };
    if (base != NULL) {
        lines.count = whole_at(base + row->count_offset, row->count_size);
        lines.records = base + row->offset;
        if (!row->in_place) {
            memcpy(&lines.records, base + row->offset, sizeof lines.records);
        }
    }
    return lines;
}

nnc_place nnc_line_place(const nnc_lines *lines, int64_t index)
{
    return (nnc_place){ .record = (const char *)lines->records +
                                  (size_t)index * lines->metrics->record_size,
                        .owner = lines->owner,
                        .index = index };
}

bool nnc_line_listed(const nnc_lines *lines, const nnc_place *place)
{
    return lines->metrics->listed == NULL || lines->metrics->listed(place);
}

/* ---- columns ---- */

/* Collects columns: the first pass counts them, the second fills the list. */
typedef struct finder {
    nnc_arena *arena;
    nnc_column *list; /* NULL: only count */
    int32_t count;
    const nnc_metric *inside[NNC_COLUMN_DEPTH];
    int depth;
    bool failed;
} finder;

static void add_column(finder *f, const char *prefix, const nnc_metric *row, int32_t index)
{
    char name[192], number[16];
    nnc_column *column = f->list != NULL ? &f->list[f->count] : NULL;
    f->count++;
    if (column == NULL) {
        return;
    }
    snprintf(number, sizeof number, "%" PRId32, index);
    snprintf(name, sizeof name, "%s%s%s%s", prefix, row->name, row->each_count > 0 ? "." : "",
             row->each_count == 0                 ? ""
             : nnc_metric_rare(row)->each != NULL ? nnc_metric_rare(row)->each((unsigned)index)
                                                  : number);
    *column = (nnc_column){
        .name = nnc_arena_strdup(f->arena, name), .metric = row, .index = index, .depth = f->depth
    };
    memcpy(column->inside, f->inside, sizeof f->inside);
    f->failed = f->failed || column->name == NULL;
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void find_columns(finder *f, const nnc_metrics *metrics, const char *prefix)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const int32_t values = row->each_count > 0 ? row->each_count : 1;
        if (row->type == NNC_METRIC_OBJECT) {
            char inner[96];
            assert(f->depth < NNC_COLUMN_DEPTH);
            snprintf(inner, sizeof inner, "%s%s%s", prefix, row->name != NULL ? row->name : "",
                     row->name != NULL ? "." : "");
            f->inside[f->depth++] = row;
            find_columns(f, row->rows, inner);
            f->depth--;
        } else if (row->name != NULL && row->type != NNC_METRIC_LIST &&
                   row->type != NNC_METRIC_TEXTS) {
            for (int32_t k = 0; k < values; k++) {
                add_column(f, prefix, row, k);
            }
        }
    }
}

nnc_status nnc_columns_of(const nnc_metrics *metrics, nnc_arena *arena, nnc_columns *columns)
{
    finder f = { .arena = arena };
    *columns = (nnc_columns){ .count = 0 };
    find_columns(&f, metrics, "");
    f.list = nnc_arena_array(arena, (size_t)f.count + 1, sizeof *f.list);
    if (f.list == NULL) {
        return NNC_NO_MEMORY;
    }
    f.count = 0;
    find_columns(&f, metrics, "");
    if (f.failed) {
        return NNC_NO_MEMORY;
    }
    *columns = (nnc_columns){ f.list, f.count };
    return NNC_OK;
}

bool nnc_column_is_full(const nnc_column *column)
{
    bool full = column->metric->full;
    for (int i = 0; i < column->depth; i++) {
        full = full || column->inside[i]->full;
    }
    return full;
}

nnc_cell nnc_column_read(const nnc_column *column, nnc_place place, char text[NNC_METRIC_TEXT_MAX])
{
    for (int i = 0; i < column->depth; i++) {
        place = nnc_metric_inside(column->inside[i], &place);
    }
    return nnc_metric_read(column->metric, &place, column->index, text);
}

/* ---- names ---- */

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
const nnc_metric *nnc_metric_find(const nnc_metrics *metrics, const char *name)
{
    const nnc_metric *found = NULL;
    for (size_t i = 0; i < metrics->count && found == NULL; i++) {
        const nnc_metric *row = &metrics->rows[i];
        const size_t length = row->name != NULL ? strlen(row->name) : 0;
        const bool begins = row->name != NULL && strncmp(name, row->name, length) == 0;
        if (row->type == NNC_METRIC_OBJECT && row->name == NULL) {
            found = nnc_metric_find(row->rows, name);
        } else if (row->type == NNC_METRIC_OBJECT && begins && name[length] == '.') {
            found = nnc_metric_find(row->rows, name + length + 1);
        } else if (begins && name[length] == (row->each_count > 0 ? '.' : '\0')) {
            found = row;
        }
    }
    return found;
}

/* Does `full` end with a dot and `word`? */
static bool ends_so(const char *full, const char *word)
{
    const size_t whole = strlen(full), part = strlen(word);
    return part > 0 && whole > part && full[whole - part - 1] == '.' &&
           strcmp(full + whole - part, word) == 0;
}

/* An input of the plan gives way to a result of the same name: "tokens" is "work.tokens". */
static bool gives_way(const char *full)
{
    return strncmp(full, "plan.", strlen("plan.")) == 0;
}

nnc_name_match nnc_name_find(const void *names, size_t stride, int32_t count, const char *word)
{
    nnc_name_match match = { -1, -1 };
    const char *full = NULL, *found = NULL;
    for (int32_t i = 0; i < count; i++) {
        memcpy(&full, (const char *)names + (size_t)i * stride, sizeof full);
        if (strcmp(full, word) == 0) {
            return (nnc_name_match){ i, -1 };
        }
        if (!ends_so(full, word) || (found != NULL && gives_way(full) && !gives_way(found))) {
            continue;
        }
        if (found == NULL || (gives_way(found) && !gives_way(full))) {
            match = (nnc_name_match){ i, -1 };
            found = full;
        } else {
            match.other = match.other < 0 ? i : match.other;
        }
    }
    return match;
}
