/* The JSON writer: a document value by value, or all members of a record by its metrics table. */
#include <assert.h>

#include "render/render_internal.h"

void nnc_put_json_cell(nnc_buffer *out, const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NULL: nnc_buffer_text(out, "null"); break;
    case NNC_CELL_NUMBER: nnc_buffer_number(out, cell->number); break;
    case NNC_CELL_WHOLE: nnc_buffer_whole(out, cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_text(out, cell->flag ? "true" : "false"); break;
    case NNC_CELL_TEXT: nnc_put_json_text(out, cell->text); break;
    }
}

/* Writes the comma, the line break and the key before a value. */
static void begin_value(nnc_record *record, const char *key)
{
    const bool own_line =
        record->spread || record->depth == 1 || (record->depth == 2 && record->list[2]);
    const bool first = record->members[record->depth]++ == 0;
    nnc_buffer_text(record->out, first ? "" : ",");
    if (own_line) {
        nnc_buffer_byte(record->out, '\n');
        nnc_buffer_blanks(record->out, 2 * record->depth);
    } else {
        nnc_buffer_text(record->out, first ? "" : " ");
    }
    if (key != NULL) {
        nnc_put_json_text(record->out, key);
        nnc_buffer_text(record->out, ": ");
    }
}

nnc_record nnc_record_begin(nnc_buffer *out, const char *schema)
{
    nnc_record record = { .out = out, .depth = 1 };
    nnc_buffer_byte(out, '{');
    nnc_record_text(&record, "schema", schema);
    return record;
}

void nnc_record_end(nnc_record *record)
{
    assert(record->depth == 1);
    nnc_buffer_text(record->out, "\n}\n");
}

static void open_level(nnc_record *record, const char *key, bool list)
{
    assert(record->depth + 1 < NNC_RECORD_DEPTH);
    begin_value(record, key);
    nnc_buffer_byte(record->out, list ? '[' : '{');
    record->depth++;
    record->members[record->depth] = 0;
    record->list[record->depth] = list;
}

void nnc_record_object(nnc_record *record, const char *key)
{
    open_level(record, key, false);
}

void nnc_record_list(nnc_record *record, const char *key)
{
    open_level(record, key, true);
}

void nnc_record_close(nnc_record *record)
{
    const bool list = record->list[record->depth];
    if ((record->spread || (list && record->depth == 2)) && record->members[record->depth] > 0) {
        nnc_buffer_byte(record->out, '\n');
        nnc_buffer_blanks(record->out, 2 * record->depth - 2);
    }
    nnc_buffer_byte(record->out, list ? ']' : '}');
    record->depth--;
}

static void put_cell(nnc_record *record, const char *key, const nnc_cell *cell)
{
    begin_value(record, key);
    if (cell->kind == NNC_CELL_NUMBER && record->exact) {
        nnc_buffer_print(record->out, "%.17g", cell->number);
    } else {
        nnc_put_json_cell(record->out, cell);
    }
}

void nnc_record_text(nnc_record *record, const char *key, const char *text)
{
    const nnc_cell cell = nnc_text_cell(text);
    put_cell(record, key, &cell);
}

void nnc_record_number(nnc_record *record, const char *key, double value)
{
    const nnc_cell cell = nnc_number_cell(value);
    put_cell(record, key, &cell);
}

void nnc_record_whole(nnc_record *record, const char *key, int64_t value)
{
    put_cell(record, key, &(nnc_cell){ .kind = NNC_CELL_WHOLE, .whole = value });
}

void nnc_record_bool(nnc_record *record, const char *key, bool value)
{
    put_cell(record, key, &(nnc_cell){ .kind = NNC_CELL_BOOL, .flag = value });
}

void nnc_record_json(nnc_record *record, const char *key, const char *json)
{
    begin_value(record, key);
    nnc_buffer_text(record->out, json);
}

void nnc_record_null(nnc_record *record, const char *key)
{
    put_cell(record, key, &(nnc_cell){ .kind = NNC_CELL_NULL });
}

/* ---- records by their metrics table ---- */

/* An array becomes an object when its values have names, else a list. */
static void put_array(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    char text[NNC_METRIC_TEXT_MAX];
    open_level(record, row->name, nnc_metric_rare(row)->each == NULL);
    for (int32_t i = 0; i < row->each_count; i++) {
        const nnc_cell cell = nnc_metric_read(row, place, i, text);
        if (!row->sparse || cell.kind != NNC_CELL_WHOLE || cell.whole > 0) {
            put_cell(record,
                     nnc_metric_rare(row)->each != NULL ? nnc_metric_rare(row)->each((unsigned)i)
                                                        : NULL,
                     &cell);
        }
    }
    nnc_record_close(record);
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
static void put_list(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    const nnc_lines lines = nnc_metric_lines(row, place);
    const char *const *texts = lines.records;
    if (lines.count == 0 && row->null_empty) {
        nnc_record_null(record, row->name);
        return;
    }
    nnc_record_list(record, row->name);
    for (int64_t i = 0; i < lines.count; i++) {
        if (row->type == NNC_METRIC_TEXTS) {
            nnc_record_text(record, NULL, texts[i]);
            continue;
        }
        const nnc_place item = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &item)) {
            nnc_record_object(record, NULL);
            nnc_record_members(record, row->rows, &item);
            nnc_record_close(record);
        }
    }
    nnc_record_close(record);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_object(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    const nnc_place inside = nnc_metric_inside(row, place);
    if (row->name == NULL) {
        nnc_record_members(record, row->rows, &inside);
    } else if (inside.record == NULL ||
               (nnc_metric_rare(row)->unless != NULL && nnc_metric_rare(row)->unless(place))) {
        nnc_record_null(record, row->name);
    } else {
        nnc_record_object(record, row->name);
        nnc_record_members(record, row->rows, &inside);
        nnc_record_close(record);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void nnc_record_members(nnc_record *record, const nnc_metrics *metrics, const nnc_place *place)
{
    char text[NNC_METRIC_TEXT_MAX];
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (nnc_metric_rare(row)->when != NULL && !nnc_metric_rare(row)->when(place)) {
            continue;
        }
        if (row->type == NNC_METRIC_OBJECT) {
            put_object(record, row, place);
        } else if (row->type == NNC_METRIC_LIST || row->type == NNC_METRIC_TEXTS) {
            put_list(record, row, place);
        } else if (row->each_count > 0) {
            put_array(record, row, place);
        } else if (row->name != NULL) {
            const nnc_cell cell = nnc_metric_read(row, place, 0, text);
            put_cell(record, row->name, &cell);
        }
    }
}
