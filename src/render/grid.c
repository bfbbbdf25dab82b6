#include "render/grid.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/text.h"

enum { COLUMNS_MAX = 48, GAP = 2, SHRUNK_MIN = 8 };

/* How a grid is laid out: the width of each column, 0 = left out, and the blanks between them. */
typedef struct line_layout {
    int widths[COLUMNS_MAX];
    int gap;
} line_layout;

nnc_grid nnc_grid_begin(nnc_arena *arena, const nnc_grid_column *columns, int column_count)
{
    return (nnc_grid){ .arena = arena,
                       .columns = columns,
                       .column_count = column_count,
                       .failed = column_count > COLUMNS_MAX };
}

void nnc_grid_cell(nnc_grid *grid, const char *text)
{
    if (grid->count == grid->capacity) {
        const int capacity = grid->capacity > 0 ? 2 * grid->capacity : 64;
        const char **cells = nnc_arena_array(grid->arena, (size_t)capacity, sizeof *cells);
        if (cells == NULL) {
            grid->failed = true;
            return;
        }
        if (grid->count > 0) {
            memcpy(cells, grid->cells, (size_t)grid->count * sizeof *cells);
        }
        grid->cells = cells;
        grid->capacity = capacity;
    }
    const char *copy = nnc_arena_strdup(grid->arena, text);
    grid->failed = grid->failed || copy == NULL;
    grid->cells[grid->count++] = copy;
}

void nnc_grid_count(nnc_grid *grid, int64_t count)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%" PRId64, count);
    nnc_grid_cell(grid, text);
}

void nnc_grid_share(nnc_grid *grid, double share)
{
    char text[NNC_NUMBER_TEXT];
    snprintf(text, sizeof text, "%.2f%%", 100.0 * share);
    nnc_grid_cell(grid, isnan(share) ? "-" : text);
}

void nnc_grid_heading(nnc_buffer *out, nnc_style style, const char *text)
{
    nnc_buffer_print(out, "\n%s%s%s\n\n", style.format == NNC_FORMAT_MARKDOWN ? "## " : "", text,
                     style.format == NNC_FORMAT_MARKDOWN ? "" : ":");
}

static const char *cell(const nnc_grid *grid, int row, int column)
{
    return row < 0 ? grid->columns[column].head : grid->cells[row * grid->column_count + column];
}

static int total_width(const line_layout *layout, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++) {
        total += layout->widths[i] > 0 ? layout->widths[i] + layout->gap : 0;
    }
    return total > 0 ? total - layout->gap : 0;
}

static void measure(const nnc_grid *grid, int rows, int *widths)
{
    for (int c = 0; c < grid->column_count; c++) {
        widths[c] = 0;
        for (int r = -1; r < rows; r++) {
            const int width = nnc_text_width(cell(grid, r, c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

/* The column to leave out next, -1 when only those remain that must stay. */
static int next_to_drop(const nnc_grid *grid, const int *widths)
{
    int found = -1;
    for (int c = 0; c < grid->column_count; c++) {
        const int drop = grid->columns[c].drop;
        if (widths[c] > 0 && drop > 0 && (found < 0 || drop < grid->columns[found].drop)) {
            found = c;
        }
    }
    return found;
}

/* Cuts the columns that may be cut by what the line is too long. */
static void shrink(const nnc_grid *grid, int width, line_layout *layout)
{
    for (int c = 0; c < grid->column_count; c++) {
        const int over = total_width(layout, grid->column_count) - width;
        int *own = &layout->widths[c];
        if (over > 0 && grid->columns[c].shrinks && *own > SHRUNK_MIN) {
            *own = *own - over > SHRUNK_MIN ? *own - over : SHRUNK_MIN;
        }
    }
}

/* Moves columns together, then cuts what may be cut, then leaves out what may be left out, until
 * the line fits. */
static void fit(const nnc_grid *grid, int width, line_layout *layout)
{
    int full[COLUMNS_MAX];
    memcpy(full, layout->widths, sizeof full);
    if (total_width(layout, grid->column_count) > width) {
        layout->gap = 1;
    }
    for (;;) {
        shrink(grid, width, layout);
        const int drop = next_to_drop(grid, layout->widths);
        if (drop < 0 || total_width(layout, grid->column_count) <= width) {
            return;
        }
        /* The room it leaves may be enough for the columns cut so far. */
        layout->widths[drop] = 0;
        for (int c = 0; c < grid->column_count; c++) {
            layout->widths[c] = layout->widths[c] > 0 ? full[c] : 0;
        }
    }
}

static void write_row(const nnc_grid *grid, nnc_buffer *out, const line_layout *layout, int row,
                      bool strong)
{
    int pending = 0; /* blanks not written yet: none stand at the end of a line */
    if (strong) {
        nnc_buffer_text(out, "\033[1m");
    }
    for (int c = 0; c < grid->column_count; c++) {
        const int width = layout->widths[c];
        const char *text = cell(grid, row, c);
        const int full = nnc_text_width(text);
        const bool cut = full > width;
        const int blank = cut ? 0 : width - full;
        if (width > 0 && full > 0) {
            nnc_buffer_print(out, "%*s", pending + (grid->columns[c].left ? 0 : blank), "");
            nnc_put_plain(out, text, cut ? width - 2 : full);
            nnc_buffer_text(out, cut ? ".." : "");
            pending = layout->gap + (grid->columns[c].left ? blank : 0);
        } else if (width > 0) {
            pending += width + layout->gap;
        }
    }
    nnc_buffer_text(out, strong ? "\033[0m\n" : "\n");
}

static void write_markdown_row(const nnc_grid *grid, nnc_buffer *out, int row)
{
    for (int c = 0; c < grid->column_count; c++) {
        nnc_buffer_text(out, c == 0 ? "| " : " | ");
        nnc_put_markdown(out, cell(grid, row, c));
    }
    nnc_buffer_text(out, " |\n");
}

nnc_status nnc_grid_write(const nnc_grid *grid, nnc_buffer *out, nnc_style style)
{
    const int rows = grid->count / grid->column_count;
    if (grid->failed) {
        return NNC_NO_MEMORY;
    }
    if (style.format == NNC_FORMAT_MARKDOWN) {
        write_markdown_row(grid, out, -1);
        for (int c = 0; c < grid->column_count; c++) {
            nnc_buffer_text(out, grid->columns[c].left ? "|:---" : "|---:");
        }
        nnc_buffer_text(out, "|\n");
        for (int r = 0; r < rows; r++) {
            write_markdown_row(grid, out, r);
        }
        return NNC_OK;
    }
    line_layout layout = { .gap = GAP };
    measure(grid, rows, layout.widths);
    fit(grid, style.width, &layout);
    for (int r = -1; r < rows; r++) {
        write_row(grid, out, &layout, r, style.colour && r < 0);
    }
    return NNC_OK;
}
