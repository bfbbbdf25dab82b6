/* RFC 4180, lines end with "\r\n". */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "render/format.h"

/* Or what a workflow would obey at the begin of a line. */
static bool is_formula(const char *text)
{
    return *text == '=' || *text == '+' || *text == '-' || *text == '@' ||
           (text[0] == ':' && text[1] == ':');
}

/* A control character, a line break among them, becomes a blank. What a spreadsheet would take for a formula
 * gets an apostrophe, which it takes for "this is a text". Source: OWASP, "CSV Injection". */
static void put_text(nnc_buffer *out, const char *text)
{
    const size_t begin = nnc_plain_length(text, SIZE_MAX);
    if (text[begin] == '\0' && memchr(text, ',', begin) == NULL && !is_formula(text)) {
        nnc_buffer_put(out, text, begin);
        return;
    }
    const bool quoted = strpbrk(text, ",\"") != NULL;
    nnc_buffer_text(out, quoted ? "\"" : "");
    nnc_buffer_text(out, is_formula(text) ? "'" : "");
    while (*text != '\0') {
        const size_t plain = nnc_plain_length(text, SIZE_MAX);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
            text += plain;
            continue;
        }
        const size_t control = nnc_control_length(text);
        nnc_buffer_text(out, *text == '"' ? "\"" : "");
        nnc_buffer_byte(out, (char)(control > 0 ? ' ' : *text));
        text += control > 0 ? control : 1;
    }
    nnc_buffer_text(out, quoted ? "\"" : "");
}

static void put_cell(nnc_buffer *out, const nnc_cell *cell)
{
    switch (cell->kind) {
    case NNC_CELL_NULL: break;
    case NNC_CELL_NUMBER:
        if (isfinite(cell->number)) {
            nnc_buffer_number(out, cell->number);
        }
        break;
    case NNC_CELL_WHOLE: nnc_buffer_whole(out, cell->whole); break;
    case NNC_CELL_BOOL: nnc_buffer_text(out, cell->flag ? "true" : "false"); break;
    case NNC_CELL_TEXT: put_text(out, cell->text); break;
    }
}

static void put_heading(nnc_buffer *out, nnc_heads heads)
{
    for (int i = 0; i < heads.count; i++) {
        nnc_buffer_text(out, i > 0 ? "," : "");
        put_text(out, heads.list[i].name);
    }
    nnc_buffer_text(out, "\r\n");
}

static void put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells)
{
    for (int i = 0; i < heads.count; i++) {
        if (i > 0) {
            nnc_buffer_byte(out, ',');
        }
        put_cell(out, &cells[i]);
    }
    nnc_buffer_put(out, "\r\n", 2);
}

/* The values of a record, each into its cell. */
static void put_record(nnc_buffer *out, nnc_columns columns, const nnc_place *place)
{
    for (int32_t i = 0; i < columns.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        const nnc_cell cell = nnc_column_read(&columns.list[i], *place, text);
        nnc_buffer_text(out, i > 0 ? "," : "");
        put_cell(out, &cell);
    }
    nnc_buffer_text(out, "\r\n");
}

/* The part of a view that is a table. */
static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    const nnc_lines lines = view->lines(record);
    nnc_columns columns = { .count = 0 };
    nnc_arena *arena = nnc_arena_create();
    (void)style;
    out->failed =
        out->failed || arena == NULL || nnc_columns_of(lines.metrics, arena, &columns) != NNC_OK;
    for (int32_t i = 0; i < columns.count; i++) {
        nnc_buffer_text(out, i > 0 ? "," : "");
        put_text(out, columns.list[i].name);
    }
    nnc_buffer_text(out, "\r\n");
    for (int64_t i = 0; i < lines.count; i++) {
        const nnc_place place = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &place)) {
            put_record(out, columns, &place);
        }
    }
    nnc_arena_destroy(arena);
}

const nnc_format nnc_format_csv = {
    .name = "csv", .view = write_view, .heading = put_heading, .line = put_line
};
