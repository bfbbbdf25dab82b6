#include "render/format.h"

const nnc_format *const nnc_formats[NNC_FORMAT_COUNT] = { &nnc_format_table, &nnc_format_json,
                                                          &nnc_format_csv, &nnc_format_markdown };

const char *nnc_format_name(unsigned index)
{
    return index < NNC_FORMAT_COUNT ? nnc_formats[index]->name : "?";
}

void nnc_view_write(nnc_buffer *out, nnc_style style, const nnc_view *view, const void *record)
{
    style.format->view(out, style, view, record);
}
