#include "render/members.h"

void nnc_record_cell(nnc_record *record, const char *key, const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NUMBER: nnc_record_number(record, key, cell->number); break;
    case NNC_CELL_WHOLE: nnc_record_whole(record, key, cell->whole); break;
    case NNC_CELL_BOOL: nnc_record_bool(record, key, cell->flag); break;
    case NNC_CELL_TEXT: nnc_record_text(record, key, cell->text); break;
    case NNC_CELL_NULL: nnc_record_null(record, key); break;
    }
}

/* An array: an object where its values have names, else a list. */
static void put_array(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    char text[NNC_METRIC_TEXT_MAX];
    (row->each != NULL ? nnc_record_object : nnc_record_list)(record, row->name);
    for (int32_t i = 0; i < row->each_count; i++) {
        const nnc_cell cell = nnc_metric_read(row, place, i, text);
        if (!row->sparse || cell.kind != NNC_CELL_WHOLE || cell.whole > 0) {
            nnc_record_cell(record, row->each != NULL ? row->each((unsigned)i) : NULL, &cell);
        }
    }
    nnc_record_close(record);
}

/* The place of one of the records that follow each other. */
static nnc_place place_of(const nnc_metrics *metrics, const void *owner, const void *records,
                          int64_t index)
{
    return (nnc_place){ .record = (const char *)records + (size_t)index * metrics->record_size,
                        .owner = owner,
                        .index = index };
}

/* Tables nest a few deep. NOLINTNEXTLINE(misc-no-recursion) */
void nnc_record_list_of(nnc_record *record, const char *key, const nnc_metrics *metrics,
                        const void *owner, const void *records, int64_t count)
{
    nnc_record_list(record, key);
    for (int64_t i = 0; i < count; i++) {
        const nnc_place place = place_of(metrics, owner, records, i);
        if (metrics->listed == NULL || metrics->listed(&place)) {
            nnc_record_object(record, NULL);
            nnc_record_members(record, metrics, &place);
            nnc_record_close(record);
        }
    }
    nnc_record_close(record);
}

static void put_texts(nnc_record *record, const char *key, const char *const *texts, int64_t count)
{
    nnc_record_list(record, key);
    for (int64_t i = 0; i < count; i++) {
        nnc_record_text(record, NULL, texts[i]);
    }
    nnc_record_close(record);
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_list(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    const int64_t count = nnc_metric_count(row, place);
    const void *list = count > 0 ? nnc_metric_list(row, place) : NULL;
    if (count == 0 && row->null_empty) {
        nnc_record_null(record, row->name);
    } else if (row->type == NNC_METRIC_TEXTS) {
        put_texts(record, row->name, list, count);
    } else {
        nnc_record_list_of(record, row->name, row->rows, place->record, list, count);
    }
}

/* NOLINTNEXTLINE(misc-no-recursion) */
static void put_object(nnc_record *record, const nnc_metric *row, const nnc_place *place)
{
    const nnc_place inside = nnc_metric_inside(row, place);
    if (row->name == NULL) {
        nnc_record_members(record, row->rows, &inside);
    } else if (inside.record == NULL) {
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
        if (row->when != NULL && !row->when(place)) {
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
            nnc_record_cell(record, row->name, &cell);
        }
    }
}

void nnc_record_columns(nnc_record *record, nnc_columns columns, const nnc_place *place)
{
    char text[NNC_METRIC_TEXT_MAX];
    nnc_record_row(record, place == NULL);
    for (int32_t i = 0; i < columns.count; i++) {
        const nnc_column *column = &columns.list[i];
        const nnc_cell cell = place != NULL ? nnc_column_read(column, *place, text)
                                            : (nnc_cell){ .kind = NNC_CELL_NULL };
        nnc_record_cell(record, column->name, &cell);
    }
    nnc_record_row_end(record);
}

nnc_status nnc_record_lines(nnc_buffer *out, const nnc_metrics *metrics, const void *owner,
                            const void *records, int64_t count)
{
    nnc_columns columns;
    nnc_record record = nnc_record_csv(out);
    nnc_arena *arena = nnc_arena_create();
    const nnc_status status =
        arena != NULL ? nnc_columns_of(metrics, arena, &columns) : NNC_NO_MEMORY;
    if (status == NNC_OK) {
        nnc_record_columns(&record, columns, NULL);
    }
    for (int64_t i = 0; i < count && status == NNC_OK; i++) {
        const nnc_place place = place_of(metrics, owner, records, i);
        if (metrics->listed == NULL || metrics->listed(&place)) {
            nnc_record_columns(&record, columns, &place);
        }
    }
    nnc_arena_destroy(arena);
    return status;
}
