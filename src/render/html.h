/* A page of HTML that stands alone: its style and its script inside, nothing fetched. */
#ifndef NNCOST_RENDER_HTML_H
#define NNCOST_RENDER_HTML_H

#include "render/format.h"

extern const nnc_format nnc_format_html;

/* title is text. The style sheet is that of pictures, too. */
void nnc_html_begin(nnc_buffer *out, const char *title);
void nnc_html_end(nnc_buffer *out);

/* Text in an element: "h2", text. */
void nnc_html_put(nnc_buffer *out, const char *element, const char *text);

#endif
