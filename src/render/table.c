/* Formats numbers, headings and texts for people, and lays out tables on a terminal. */
#include <assert.h>
#include <ctype.h>

#include "base/base_internal.h"
#include "render/render_internal.h"

char *nnc_percent_text(double share, char text[NNC_NUMBER_TEXT]) {
    if (!isfinite(share)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else {
        const double percent = 100.0 * share;
        if (!signbit(percent) && percent < 99999.0 && nnc_decimals_write(percent, 1, text)) {
            memcpy(text + strlen(text), "%", sizeof "%");
        } else {
            snprintf(text, NNC_NUMBER_TEXT, "%.1f%%", percent);
        }
    }
    return text;
}

char *nnc_error_text(const nnc_past *past, char text[NNC_ERROR_TEXT]) {
    char mean[NNC_NUMBER_TEXT];
    const double low = 100.0 * past->error_range[0], high = 100.0 * past->error_range[1];
    snprintf(text, NNC_ERROR_TEXT, "%s (%.*f to %.*f%% for other programs)", nnc_percent_text(past->error, mean),
             low < 10.0, low, high < 10.0, high);
    return text;
}

/* Formats a number with a prefix but without its unit, for a column whose heading names the unit: "386.5 G". */
static char *scaled_text(double value, char text[NNC_NUMBER_TEXT]) {
    nnc_unit_text(value, "", text);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == ' ') { text[--length] = '\0'; }
    return text;
}

/* Formats a relative error: 0.1234 -> "+12.3%"; an error of 100 or more is written as a factor, "x101"; NaN becomes
 * "-". */
static char *error_text(double error, char text[NNC_NUMBER_TEXT]) {
    if (!isfinite(error)) {
        snprintf(text, NNC_NUMBER_TEXT, "-");
    } else if (fabs(error) >= 100.0) {
        snprintf(text, NNC_NUMBER_TEXT, "x%.4g", error + 1.0);
    } else {
        snprintf(text, NNC_NUMBER_TEXT, "%+.1f%%", 100.0 * error);
    }
    return text;
}

/* Formats a number with at most four significant digits; numbers from 10,000 up get a prefix: "12.30 k". */
static char *short_text(double value, char text[NNC_NUMBER_TEXT]) {
    char rounded[NNC_NUMBER_TEXT];
    if (fabs(value) >= 1e4) { return nnc_unit_text(value, "", text); }
    snprintf(rounded, sizeof rounded, "%.3e", value);
    return nnc_number_text(strtod(rounded, NULL), text);
}

/* Returns true if values with this unit are shown with a prefix such as k or M. Counts of tokens and of pixels have no
 * prefix. */
static bool is_measured(const char *unit) { return !islower((unsigned char)unit[0]) || unit[1] == '\0'; }

const char *nnc_cell_text(const nnc_cell *cell, nnc_show show, const char *unit, char text[NNC_METRIC_TEXT_MAX]) {
    const bool whole = cell->kind == NNC_CELL_WHOLE;
    const double value = whole ? (double)cell->whole : cell->number;
    if (cell->kind == NNC_CELL_TEXT) { return cell->text; }
    if (cell->kind == NNC_CELL_BOOL) { return cell->flag ? "yes" : "no"; }
    if (cell->kind == NNC_CELL_NULL || !isfinite(value)) { return "-"; }
    switch (show) {
    case NNC_SHOW_UNIT:
        if (unit != NULL && is_measured(unit)) { return nnc_unit_text(value, unit, text); }
        if (whole) {
            snprintf(text, NNC_NUMBER_TEXT, "%" PRId64, cell->whole);
            return text;
        }
        break;
    case NNC_SHOW_SHORT: break;
    case NNC_SHOW_COUNT: return nnc_count_text(value, text);
    case NNC_SHOW_PLAIN: return nnc_number_text(value, text);
    case NNC_SHOW_SCALED: return scaled_text(value, text);
    case NNC_SHOW_PERCENT: return nnc_percent_text(value, text);
    case NNC_SHOW_PERCENT2: snprintf(text, NNC_NUMBER_TEXT, "%.2f%%", 100.0 * value); return text;
    case NNC_SHOW_ERROR: return error_text(value, text);
    }
    return short_text(value, text);
}

/* Returns the heading of a column: the last part of the column's name, such as "id" for model.id. */
static const char *last_part(const char *name) {
    const char *dot = name != NULL ? strrchr(name, '.') : NULL;
    return dot != NULL ? dot + 1 : name;
}

nnc_head nnc_head_of(const nnc_metric *metric, const char *name) {
    const bool text = metric->type == NNC_METRIC_TEXT || metric->type == NNC_METRIC_CHARS ||
                      metric->type == NNC_METRIC_ENUM || metric->type == NNC_METRIC_BOOL;
    return (nnc_head){ .name = name,
                       .text = last_part(name),
                       .unit = metric->unit,
                       .show = metric->show,
                       .left = text,
                       .shrinks = metric->shrinks,
                       .wraps = metric->wraps,
                       .drop = metric->drop };
}

char *nnc_binary_text(double bytes, char text[NNC_NUMBER_TEXT]) {
    static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t unit = 0;
    while (fabs(bytes) >= 1024.0 && unit + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1024.0;
        unit++;
    }
    snprintf(text, NNC_NUMBER_TEXT, "%.2f %s", bytes, units[unit]);
    return text;
}

static bool starts_character(char byte) { return ((unsigned char)byte & 0xC0u) != 0x80u; }

int nnc_text_width(const char *text) {
    int width = 0;
    for (; *text; text++) { width += starts_character(*text) ? 1 : 0; }
    return width;
}

/* Writes the first byte of a text, or '?' if the text begins with a control character. Returns the number of bytes that
 * this byte or control character takes in the text. */
static size_t put_printable(nnc_buffer *out, const char *text) {
    const size_t control = nnc_control_length(text);
    nnc_buffer_byte(out, (char)(control > 0 ? '?' : *text));
    return control > 0 ? control : 1;
}

void nnc_put_plain(nnc_buffer *out, const char *text, int max) {
    /* replaces a leading ':', because GitHub Actions runs lines that start with "::" as commands */
    if (text[0] == ':' && text[1] == ':' && max > 0) {
        nnc_buffer_byte(out, '?');
        text++;
        max--;
    }
    while (*text != '\0') {
        const size_t plain = nnc_plain_length(text, max > 0 ? (size_t)max : 0);
        if (plain > 0) {
            nnc_buffer_put(out, text, plain);
            text += plain;
            max -= (int)plain;
            continue;
        }
        if (starts_character(*text) && max-- <= 0) { return; }
        text += put_printable(out, text);
    }
}

void nnc_put_markdown(nnc_buffer *out, const char *text) {
    while (*text != '\0') {
        if (strchr("\\`*<|[", *text) != NULL) { nnc_buffer_byte(out, '\\'); }
        text += put_printable(out, text);
    }
}

void nnc_table_begin(nnc_table *table, const nnc_head *heads, int count) {
    *table = (nnc_table){ .count = 0 };
    for (int i = 0; i < count; i++) { nnc_table_head(table, heads[i]); }
}

void nnc_table_head(nnc_table *table, nnc_head head) {
    assert(table->count < NNC_TABLE_COLUMNS);
    table->heads[table->count++] = head;
}

/* If a row of the metrics table is an object, the columns of the object's rows are added.
 * NOLINTNEXTLINE(misc-no-recursion) */
void nnc_table_heads(nnc_table *table, const nnc_metrics *metrics) {
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

void nnc_table_rename(nnc_table *table, const char *head, const char *text) {
    for (int i = 0; i < table->count; i++) {
        if (table->heads[i].text != NULL && strcmp(table->heads[i].text, head) == 0) {
            table->heads[i].text = text;
            return;
        }
    }
}

void nnc_table_cell(nnc_table *table, const char *text) {
    nnc_buffer_put(&table->cells, text, strlen(text) + 1);
    table->cell_count++;
}

void nnc_table_number(nnc_table *table, double value, const char *unit) {
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_unit_text(value, unit, text));
}

void nnc_table_whole(nnc_table *table, int64_t whole) {
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%" PRId64, whole);
    nnc_table_cell(table, text);
}

void nnc_table_share(nnc_table *table, double share) {
    char text[NNC_NUMBER_TEXT];
    nnc_table_cell(table, nnc_percent_text(share, text));
}

/* NOLINTNEXTLINE(misc-no-recursion) */
void nnc_table_record(nnc_table *table, const nnc_metrics *metrics, const nnc_place *place) {
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

void nnc_table_records(nnc_table *table, nnc_lines lines) {
    for (int64_t i = 0; i < lines.count; i++) {
        const nnc_place place = nnc_line_place(&lines, i);
        if (nnc_line_listed(&lines, &place)) { nnc_table_record(table, lines.metrics, &place); }
    }
}

int64_t nnc_table_rows(const nnc_table *table) { return table->cell_count / table->count; }

/* Writes the cells of a table as text without layout. If a cell could not be stored because memory ran out, writes
 * nothing, because the later cells would be in wrong columns. */
static void write_cells(nnc_table *table, nnc_buffer *out, nnc_style style) {
    out->failed = out->failed || table->cells.failed;
    if (!table->cells.failed) { style.format->page->table(out, style, table); }
}

void nnc_table_write(nnc_table *table, nnc_buffer *out, nnc_style style) {
    write_cells(table, out, style);
    if (style.format->page->below != NULL) { style.format->page->below(out, style, table); }
    nnc_buffer_free(&table->cells);
}

void nnc_table_of(nnc_buffer *out, nnc_style style, nnc_lines lines) {
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, lines.metrics);
    nnc_table_records(&table, lines);
    nnc_table_write(&table, out, style);
}

bool nnc_table_under(nnc_buffer *out, nnc_style style, nnc_lines lines, const char *heading) {
    nnc_table table = { .count = 0 };
    nnc_table_heads(&table, lines.metrics);
    nnc_table_records(&table, lines);
    if (table.cell_count == 0) { return false; }
    style.format->page->heading(out, heading);
    nnc_table_write(&table, out, style);
    return true;
}

/* Writes the rows that the table has stored, and removes these rows from the table. The first call for a table writes
 * the headings of its columns, too. */
static void put_rows(nnc_table *table, nnc_buffer *out, nnc_style style) {
    write_cells(table, out, style);
    nnc_buffer_clear(&table->cells);
    table->cell_count = 0;
}

void nnc_table_put(nnc_table *table, nnc_buffer *out, nnc_style style, const char *lines, size_t size) {
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
    if (table->laid_out) { put_rows(table, out, style); }
}

/* ---- the format for a terminal: wraps lines at the width of the terminal and fits tables into this width ---- */

enum { GAP = 2, SHRUNK_MIN = 8 };

static void put_label(nnc_sheet *sheet, const char *label) {
    const int width = nnc_text_width(label);
    nnc_put_plain(sheet->out, label, width);
    /* a label at least as wide as the indent gets a line of its own, and the items begin on the next line */
    if (width > 0 && width >= sheet->indent) {
        nnc_buffer_byte(sheet->out, '\n');
        nnc_buffer_blanks(sheet->out, sheet->indent);
    } else {
        nnc_buffer_blanks(sheet->out, sheet->indent - width);
    }
    sheet->column = sheet->indent;
}

static void put_text(nnc_sheet *sheet, const char *text) {
    const int width = nnc_text_width(text);
    nnc_put_plain(sheet->out, text, width);
    sheet->column += width;
}

static void put_page_heading(nnc_buffer *out, const char *text) { nnc_buffer_print(out, "\n%s:\n\n", text); }

/* ---- the widths of the columns of a table ---- */

static int total_width(const nnc_table *table, int gap) {
    int total = 0;
    for (int i = 0; i < table->count; i++) { total += table->widths[i] > 0 ? table->widths[i] + gap : 0; }
    return total > 0 ? total - gap : 0;
}

static void measure(nnc_table *table) {
    const char *cell = table->cells.bytes;
    for (int c = 0; c < table->count; c++) {
        table->widths[c] = table->heads[c].text != NULL ? nnc_text_width(table->heads[c].text) : 0;
    }
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count), width = nnc_text_width(cell);
        if (table->heads[column].text != NULL && width > table->widths[column]) { table->widths[column] = width; }
    }
}

/* Returns the index of the column to leave out next, the one with the smallest `drop`; -1 = no column can be left
 * out. */
static int next_to_drop(const nnc_table *table) {
    int found = -1;
    for (int c = 0; c < table->count; c++) {
        const int drop = table->heads[c].drop;
        if (table->widths[c] > 0 && drop > 0 && (found < 0 || drop < table->heads[found].drop)) { found = c; }
    }
    return found;
}

/* Returns the index of the widest column whose texts can be cut further; -1 = no column can be cut. */
static int next_to_cut(const nnc_table *table) {
    int found = -1;
    for (int c = 0; c < table->count; c++) {
        if (table->heads[c].shrinks && table->widths[c] > SHRUNK_MIN &&
            (found < 0 || table->widths[c] > table->widths[found])) {
            found = c;
        }
    }
    return found;
}

/* Makes columns narrower until the lines of the table fit into `width`: one character at a time, always from the widest
 * column whose texts can be cut. */
static void shrink(nnc_table *table, int width, int gap) {
    int c;
    for (int over = total_width(table, gap) - width; over > 0 && (c = next_to_cut(table)) >= 0; over--) {
        table->widths[c]--;
    }
}

enum { WRAP_INDENT = 2 };

/* Divides a text of options into lines of at most `width` characters, and returns the number of bytes of the first
 * line. The first line has as many whole options as fit, at least one. */
static size_t wrapped_size(const char *text, int width) {
    size_t size = 0;
    for (size_t end = 0; text[end] != '\0';) {
        end += 1 + strcspn(text + end + 1, " ");
        while (text[end] == ' ' && strncmp(text + end, " --", 3) != 0) { end += 1 + strcspn(text + end + 1, " "); }
        if (size > 0 && end > (size_t)width) { break; }
        size = end;
    }
    return size;
}

/* Makes the first column narrower if its texts can continue on further lines, but not narrower than its longest
 * option. */
static void wrap(nnc_table *table, int width, int gap) {
    const int over = total_width(table, gap) - width;
    const char *cell = table->cells.bytes;
    if (over <= 0 || !table->heads[0].wraps || table->widths[0] == 0) { return; }
    int longest = nnc_text_width(table->heads[0].text);
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        for (const char *rest = cell; i % table->count == 0 && *rest != '\0'; rest += strspn(rest, " ")) {
            const int size = (int)wrapped_size(rest, 1) + (rest > cell ? WRAP_INDENT : 0);
            longest = size > longest ? size : longest;
            rest += wrapped_size(rest, 1);
        }
    }
    table->widths[0] = table->widths[0] - over > longest ? table->widths[0] - over : longest;
}

/* Makes the lines of a table fit into `width`: first uses a smaller gap between columns, then continues texts on
 * further lines, then cuts texts, then leaves columns out. Returns the gap in characters. */
static int fit(nnc_table *table, int width) {
    int full[NNC_TABLE_COLUMNS];
    memcpy(full, table->widths, sizeof full);
    const int gap = total_width(table, GAP) > width ? 1 : GAP;
    wrap(table, width, gap);
    for (;;) {
        shrink(table, width, gap);
        const int drop = next_to_drop(table);
        if (drop < 0 || total_width(table, gap) <= width) { return gap; }
        /* If a column is left out, the lines of the table have space for wider texts. Therefore the loop first gives
         * all columns that were cut their full width, and then cuts these columns again if the lines are still too
         * wide. */
        table->widths[drop] = 0;
        table->dropped[drop] = true;
        for (int c = 0; c < table->count; c++) { table->widths[c] = table->widths[c] > 0 ? full[c] : 0; }
        wrap(table, width, gap);
    }
}

/* State of the table line that is being written. `pending` counts blanks that are written only if text follows, because
 * a line must not end with blanks. */
typedef struct line {
    nnc_buffer *out;
    int pending, gap;
} line;

/* Writes a cell of a table line. Returns true if the text of the cell was cut. */
static bool put_cell(line *l, const nnc_head *head, int width, const char *text) {
    const int full =
        head->wraps && nnc_text_width(text) > width ? (int)wrapped_size(text, width) : nnc_text_width(text);
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

/* Writes the further lines on which the text of the first cell of a row continues. */
static void put_rest(nnc_buffer *out, const nnc_table *table, const char *text) {
    if (!table->heads[0].wraps || nnc_text_width(text) <= table->widths[0]) { return; }
    text += wrapped_size(text, table->widths[0]);
    while (*text != '\0') {
        text += strspn(text, " ");
        const size_t size = wrapped_size(text, table->widths[0] - WRAP_INDENT);
        nnc_buffer_print(out, "%*s%.*s\n", WRAP_INDENT, "", (int)size, text);
        text += size;
    }
}

static void put_heads(const nnc_table *table, nnc_buffer *out, bool strong, int gap) {
    line l = { .out = out, .gap = gap };
    nnc_buffer_text(out, strong ? "\033[1m" : "");
    for (int c = 0; c < table->count; c++) {
        if (table->widths[c] > 0) { put_cell(&l, &table->heads[c], table->widths[c], table->heads[c].text); }
    }
    nnc_buffer_text(out, strong ? "\033[0m\n" : "\n");
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table) {
    const char *cell = table->cells.bytes;
    if (!table->laid_out) {
        measure(table);
        table->gap = fit(table, style.width);
        put_heads(table, out, style.colour, table->gap);
        table->laid_out = true;
    }
    const char *first = cell;
    line l = { .out = out, .gap = table->gap };
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count);
        first = column == 0 ? cell : first;
        if (table->widths[column] > 0) {
            const bool cut = put_cell(&l, &table->heads[column], table->widths[column], cell);
            table->cut[column] = table->cut[column] || cut;
        }
        if (column + 1 == table->count) {
            nnc_buffer_byte(out, '\n');
            put_rest(out, table, first);
            l.pending = 0;
        }
    }
}

/* Appends to `out` the names of the columns whose texts were cut (cut true) or that were left out (cut false). Returns
 * true if `out` then has at least one name. */
static bool name_columns(const nnc_table *table, bool cut, nnc_buffer *out) {
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

/* Writes below a table which columns were cut or left out because the table was too wide. */
static void put_below(nnc_buffer *out, nnc_style style, const nnc_table *table) {
    nnc_buffer names = { 0 };
    name_columns(table, false, &names);
    if (name_columns(table, true, &names)) {
        nnc_sheet_line(out, style, "%.*s (a width of %d, see COLUMNS)", (int)names.size, names.bytes, style.width);
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

/* Appends the cells of an output line to a buffer as texts that end with NUL. A table stores its cells as texts that
 * end with NUL. */
static void put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells) {
    for (int i = 0; i < heads.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        const char *shown = nnc_cell_text(&cells[i], heads.list[i].show, heads.list[i].unit, text);
        nnc_buffer_put(out, shown, strlen(shown) + 1);
    }
}

const nnc_format nnc_format_table = {
    .name = "table", .view = nnc_page_write, .line = put_line, .held = true, .page = &page
};
