/* Paragraphs and tables of HTML. It is not among the forms of --format: render/html.h puts a page round them. */
#include <string.h>

#include "render/html.h"
#include "render/sheet.h"
#include "render/svg.h"
#include "render/table.h"

static void put_label(nnc_sheet *sheet, const char *label)
{
    const bool below = *label == '\0' || *label == ' '; /* goes on with the line above */
    nnc_buffer_text(sheet->out, below ? "<br>" : "<p>");
    label += strspn(label, " ");
    if (*label != '\0') {
        nnc_buffer_text(sheet->out, "<b>");
        nnc_put_xml(sheet->out, label);
        nnc_buffer_text(sheet->out, "</b> ");
    }
}

static void put_text(nnc_sheet *sheet, const char *text)
{
    nnc_put_xml(sheet->out, text);
}

static void put_heading(nnc_buffer *out, const char *text)
{
    nnc_buffer_text(out, "\n<h3>");
    nnc_put_xml(out, text);
    nnc_buffer_text(out, "</h3>\n");
}

static void put_cell(nnc_buffer *out, const nnc_head *head, const char *element, const char *text)
{
    nnc_buffer_print(out, "<%s%s>", element, head->left ? "" : " class=\"n\"");
    nnc_put_xml(out, text);
}

static void put_table(nnc_buffer *out, nnc_style style, nnc_table *table)
{
    const char *cell = table->cells.bytes;
    (void)style;
    nnc_buffer_text(out, "<div class=\"wide\"><table><thead><tr>");
    for (int i = 0; i < table->count; i++) {
        if (table->heads[i].text != NULL) {
            put_cell(out, &table->heads[i], "th", table->heads[i].text);
        }
    }
    nnc_buffer_text(out, "</thead><tbody>\n");
    for (int64_t i = 0; i < table->cell_count; i++, cell += strlen(cell) + 1) {
        const nnc_head *head = &table->heads[i % table->count];
        if (i % table->count == 0) {
            nnc_buffer_text(out, i > 0 ? "\n<tr>" : "<tr>");
        }
        if (head->text != NULL) {
            put_cell(out, head, "td", cell);
        }
    }
    nnc_buffer_text(out, "\n</tbody></table></div>\n");
}

static const nnc_page page = {
    .label = put_label, .text = put_text, .heading = put_heading, .table = put_table
};

static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    view->page(out, style, record);
}

const nnc_format nnc_format_html = { .name = "html", .view = write_view, .page = &page };
