/* GitHub's Markdown: lists and tables. */
#include <string.h>

#include "render/sheet.h"
#include "render/table.h"
#include "render/text.h"

/* ---- pages ---- */

static void put_label(nnc_sheet *sheet, const char *label)
{
    if (*label == '\0' || *label == ' ') {
        nnc_buffer_print(sheet->out, "  %s%s", label + strspn(label, " "),
                         *label != '\0' ? ": " : "");
    } else {
        nnc_buffer_print(sheet->out, "- **%s**: ", label);
    }
}

static void put_text(nnc_sheet *sheet, const char *text)
{
    nnc_put_markdown(sheet->out, text);
}

static void put_page_heading(nnc_buffer *out, const char *text)
{
    nnc_buffer_print(out, "\n## %s\n\n", text);
}

/* ---- tables ---- */

static void put_heading(nnc_buffer *out, nnc_heads heads)
{
    const char *before = "| ";
    for (int i = 0; i < heads.count; i++) {
        if (heads.list[i].text != NULL) {
            nnc_buffer_text(out, before);
            nnc_put_markdown(out, heads.list[i].text);
            before = " | ";
        }
    }
    nnc_buffer_text(out, " |\n");
    for (int i = 0; i < heads.count; i++) {
        if (heads.list[i].text != NULL) {
            nnc_buffer_text(out, heads.list[i].left ? "|:---" : "|---:");
        }
    }
    nnc_buffer_text(out, "|\n");
}

static void put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells)
{
    for (int i = 0; i < heads.count; i++) {
        char text[NNC_METRIC_TEXT_MAX];
        nnc_buffer_text(out, i > 0 ? " | " : "| ");
        nnc_put_markdown(out,
                         nnc_cell_text(&cells[i], heads.list[i].show, heads.list[i].unit, text));
    }
    nnc_buffer_text(out, " |\n");
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table)
{
    const char *cell = table->cells.bytes, *before = "| ";
    (void)style;
    put_heading(out, (nnc_heads){ table->heads, table->count });
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const int column = (int)(i % table->count);
        if (table->heads[column].text != NULL) {
            nnc_buffer_text(out, before);
            nnc_put_markdown(out, cell);
            before = " | ";
        }
        if (column + 1 == table->count) {
            nnc_buffer_text(out, " |\n");
            before = "| ";
        }
    }
}

static const nnc_page page = {
    .label = put_label, .text = put_text, .heading = put_page_heading, .table = put_table
};

static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    view->page(out, style, record);
}

const nnc_format nnc_format_markdown = {
    .name = "markdown", .view = write_view, .heading = put_heading, .line = put_line, .page = &page
};
