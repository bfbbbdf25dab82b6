/* Text for a terminal: lines that wrap at its width, tables that fit into it. */
#include <string.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

enum { GAP = 2, SHRUNK_MIN = 8 };

/* ---- pages ---- */

static void put_label(nnc_sheet *sheet, const char *label)
{
    const int width = nnc_text_width(label);
    nnc_put_plain(sheet->out, label, width);
    if (width > 0 && width >= sheet->indent) { /* no room beside it */
        nnc_buffer_byte(sheet->out, '\n');
        nnc_buffer_blanks(sheet->out, sheet->indent);
    } else {
        nnc_buffer_blanks(sheet->out, sheet->indent - width);
    }
    sheet->column = sheet->indent;
}

static void put_text(nnc_sheet *sheet, const char *text)
{
    const int width = nnc_text_width(text);
    nnc_put_plain(sheet->out, text, width);
    sheet->column += width;
}

static void put_page_heading(nnc_buffer *out, const char *text)
{
    nnc_buffer_print(out, "\n%s:\n\n", text);
}

/* ---- the layout of a table ---- */

static int total_width(const nnc_table *table, int gap)
{
    int total = 0;
    for (int i = 0; i < table->count; i++) {
        total += table->widths[i] > 0 ? table->widths[i] + gap : 0;
    }
    return total > 0 ? total - gap : 0;
}

static void measure(nnc_table *table)
{
    const char *cell = table->cells.bytes;
    for (int c = 0; c < table->count; c++) {
        table->widths[c] = table->heads[c].text != NULL ? nnc_text_width(table->heads[c].text) : 0;
    }
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count), width = nnc_text_width(cell);
        if (table->heads[column].text != NULL && width > table->widths[column]) {
            table->widths[column] = width;
        }
    }
}

/* The column to leave out next, -1 when only those remain that must stay. */
static int next_to_drop(const nnc_table *table)
{
    int found = -1;
    for (int c = 0; c < table->count; c++) {
        const int drop = table->heads[c].drop;
        if (table->widths[c] > 0 && drop > 0 && (found < 0 || drop < table->heads[found].drop)) {
            found = c;
        }
    }
    return found;
}

/* The widest of those columns that may be cut further, -1 when there is none. */
static int next_to_cut(const nnc_table *table)
{
    int found = -1;
    for (int c = 0; c < table->count; c++) {
        if (table->heads[c].shrinks && table->widths[c] > SHRUNK_MIN &&
            (found < 0 || table->widths[c] > table->widths[found])) {
            found = c;
        }
    }
    return found;
}

/* Cuts the columns that may be cut by what the line is too long, always the widest of them. */
static void shrink(nnc_table *table, int width, int gap)
{
    int c;
    for (int over = total_width(table, gap) - width; over > 0 && (c = next_to_cut(table)) >= 0;
         over--) {
        table->widths[c]--;
    }
}

/* Moves columns together, then cuts what may be cut, then leaves out what may be left out, until
 * the line fits. Returns the blanks between columns. */
static int fit(nnc_table *table, int width)
{
    int full[NNC_TABLE_COLUMNS];
    memcpy(full, table->widths, sizeof full);
    const int gap = total_width(table, GAP) > width ? 1 : GAP;
    for (;;) {
        shrink(table, width, gap);
        const int drop = next_to_drop(table);
        if (drop < 0 || total_width(table, gap) <= width) {
            return gap;
        }
        /* The room it leaves may be enough for the columns cut so far. */
        table->widths[drop] = 0;
        table->dropped[drop] = true;
        for (int c = 0; c < table->count; c++) {
            table->widths[c] = table->widths[c] > 0 ? full[c] : 0;
        }
    }
}

/* What is being written of a line: blanks not written yet, since none stand at its end. */
typedef struct line {
    nnc_buffer *out;
    int pending, gap;
} line;

/* Was it cut? */
static bool put_cell(line *l, const nnc_head *head, int width, const char *text)
{
    const int full = nnc_text_width(text);
    const bool cut = full > width && head->shrinks;
    const int blank = full > width ? 0 : width - full;
    if (full > 0) {
        nnc_buffer_blanks(l->out, l->pending + (head->left ? 0 : blank));
        nnc_put_plain(l->out, text, cut ? width - 2 : full);
        nnc_buffer_text(l->out, cut ? ".." : "");
        l->pending = l->gap + (head->left ? blank : 0);
    } else {
        l->pending += width + l->gap;
    }
    return cut;
}

static void put_heads(const nnc_table *table, nnc_buffer *out, bool strong, int gap)
{
    line l = { .out = out, .gap = gap };
    nnc_buffer_text(out, strong ? "\033[1m" : "");
    for (int c = 0; c < table->count; c++) {
        if (table->widths[c] > 0) {
            put_cell(&l, &table->heads[c], table->widths[c], table->heads[c].text);
        }
    }
    nnc_buffer_text(out, strong ? "\033[0m\n" : "\n");
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table)
{
    const char *cell = table->cells.bytes;
    if (!table->laid_out) {
        measure(table);
        table->gap = fit(table, style.width);
        put_heads(table, out, style.colour, table->gap);
        table->laid_out = true;
    }
    line l = { .out = out, .gap = table->gap };
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count);
        if (table->widths[column] > 0) {
            const bool cut = put_cell(&l, &table->heads[column], table->widths[column], cell);
            table->cut[column] = table->cut[column] || cut;
        }
        if (column + 1 == table->count) {
            nnc_buffer_byte(out, '\n');
            l.pending = 0;
        }
    }
}

/* Columns that were left out, or cut, by their headings; true when there are any. */
static bool name_columns(const nnc_table *table, bool cut, nnc_buffer *out)
{
    const char *before = !cut ? "left out: " : out->size > 0 ? "; cut: " : "cut: ";
    for (int c = 0; c < table->count; c++) {
        const char *head = table->heads[c].text;
        if (head != NULL && (cut ? table->cut[c] : table->dropped[c])) {
            nnc_buffer_print(out, "%s%s", before, *head != '\0' ? head : "remarks");
            before = ", ";
        }
    }
    return out->size > 0;
}

/* Names what had no room: nobody misses a column that he does not know of. */
static void put_below(nnc_buffer *out, nnc_style style, const nnc_table *table)
{
    nnc_buffer names = { 0 };
    name_columns(table, false, &names);
    if (name_columns(table, true, &names)) {
        nnc_sheet_line(out, style, "%.*s (a width of %d, see COLUMNS)", (int)names.size,
                       names.bytes, style.width);
    }
    out->failed = out->failed || names.failed;
    nnc_buffer_free(&names);
}

static const nnc_page page = { .label = put_label,
                               .text = put_text,
                               .heading = put_page_heading,
                               .table = put_table,
                               .below = put_below,
                               .wraps = true };

static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    view->page(out, style, record);
}

/* Cells as a table keeps them. */
static void put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells)
{
    for (int i = 0; i < heads.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        const char *shown = nnc_cell_text(&cells[i], heads.list[i].show, heads.list[i].unit, text);
        nnc_buffer_put(out, shown, strlen(shown) + 1);
    }
}

const nnc_format nnc_format_table = {
    .name = "table", .view = write_view, .line = put_line, .held = true, .page = &page
};
