/* One JSON document; or an object in each line. */
#include "render/format.h"
#include "render/json_writer.h"

static void write_view(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    const nnc_place place = { .record = record };
    nnc_record document = nnc_record_begin(out, view->schema);
    (void)style;
    document.exact = view->exact;
    nnc_record_members(&document, view->document, &place);
    nnc_record_end(&document);
}

static void put_line(nnc_buffer *out, nnc_heads heads, const nnc_cell *cells)
{
    for (int i = 0; i < heads.count; i++) {
        nnc_buffer_put(out, i > 0 ? ", " : "{", i > 0 ? 2 : 1);
        nnc_put_json_text(out, heads.list[i].name);
        nnc_buffer_put(out, ": ", 2);
        nnc_put_json_cell(out, &cells[i]);
    }
    nnc_buffer_text(out, "}\n");
}

const nnc_format nnc_format_json = {
    .name = "json", .view = write_view, .line = put_line, .documents = true
};
