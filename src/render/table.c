#include "render/table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "render/text.h"

void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count)
{
    *table = (nnc_table){ .count = 0 };
    for (int i = 0; i < count; i++) {
        nnc_table_head(table, heads[i]);
    }
}

void nnc_table_head(nnc_table *table, nnc_head head)
{
    assert(table->count < NNC_TABLE_COLUMNS);
    table->heads[table->count++] = head;
}

/* Objects stand in a table by their rows. NOLINTNEXTLINE(misc-no-recursion) */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->type == NNC_METRIC_OBJECT) {
            nnc_table_heads(table, row->rows);
        } else if (row->head != NULL) {
            nnc_head head = nnc_head_of(row, row->name);
            head.text = row->head;
            nnc_table_head(table, head);
        }
    }
}

void nnc_table_cell(nnc_table *table, const char *text)
{
    nnc_buffer_put(&table->cells, text, strlen(text) + 1);
    table->cell_count++;
}

void nnc_table_number(nnc_table *table, double value, const char *unit)
{
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_unit_text(value, unit, text));
}

void nnc_table_whole(nnc_table *table, int64_t whole)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%" PRId64, whole);
    nnc_table_cell(table, text);
}

void nnc_table_share(nnc_table *table, double share)
{
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_percent_text(share, text));
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place)
{
    char text[NNC_METRIC_TEXT_MAX], shown[NNC_METRIC_TEXT_MAX];
    for (size_t i = 0; i < metrics->count; i++) {
        const nnc_metric *row = &metrics->rows[i];
        if (row->type == NNC_METRIC_OBJECT) {
            const nnc_place inside = nnc_metric_inside(row, place);
            nnc_table_record(table, row->rows, &inside);
        } else if (row->head != NULL) {
            const nnc_cell cell = nnc_metric_read(row, place, 0, text);
            nnc_table_cell(table, nnc_cell_text(&cell, row->show, row->unit, shown));
        }
    }
}

void nnc_table_records(nnc_table *table, nnc_lines lines)
{
    for (int64_t i = 0; i < lines.count; i++) {
        const nnc_place place = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &place)) {
            nnc_table_record(table, lines.metrics, &place);
        }
    }
}

int64_t nnc_table_rows(const nnc_table *table)
{
    return table->cell_count / table->count;
}

/* Of a table that has lost a cell none is in its place. */
static void write_cells(nnc_table *table, nnc_buffer *out, nnc_style style)
{
    out->failed = out->failed || table->cells.failed;
    if (!table->cells.failed) {
        style.format->page->table(out, style, table);
    }
}

void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style)
{
    write_cells(table, out, style);
    if (style.format->page->below != NULL) {
        style.format->page->below(out, style, table);
    }
    nnc_buffer_free(&table->cells);
}

void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines)
{
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, lines.metrics);
    nnc_table_records(&table, lines);
    nnc_table_write(&table, out, style);
}

bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading)
{
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, lines.metrics);
    nnc_table_records(&table, lines);
    if (table.cell_count == 0) {
        return false;
    }
    style.format->page->heading(out, heading);
    nnc_table_write(&table, out, style);
    return true;
}

/* Writes the rows there are, the first time below the heads. */
static void put_rows(nnc_table *table, nnc_buffer *out, nnc_style style)
{
    write_cells(table, out, style);
    nnc_buffer_clear(&table->cells);
    table->cell_count = 0;
}

void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines,
                   size_t size)
{
    const int64_t held = (int64_t)NNC_TABLE_HELD * table->count;
    const char *end = size > 0 ? lines + size : lines;
    if (!style.format->held) {
        nnc_buffer_put(out, lines, size);
        return;
    }
    for (const char *at = lines; at < end;) {
        at += strlen(at) + 1;
        if (++table->cell_count == held && !table->laid_out) {
            nnc_buffer_put(&table->cells, lines, (size_t)(at - lines));
            put_rows(table, out, style);
            lines = at;
        }
    }
    nnc_buffer_put(&table->cells, lines, (size_t)(end - lines));
    if (table->laid_out) {
        put_rows(table, out, style);
    }
}
