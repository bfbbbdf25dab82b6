/* Writes SVG: coordinates are whole tenths of a pixel, printed as such, so that the same picture has
 * the same bytes everywhere; colours come by class from the palette. */
#ifndef NNCOST_RENDER_SVG_H
#define NNCOST_RENDER_SVG_H

#include <stdint.h>

#include "base/buffer.h"

typedef int32_t nnc_px; /* tenths of a pixel */
#define NNC_PX(pixels) ((nnc_px)(10 * (pixels)))
/* The nearest tenth. */
nnc_px nnc_px_of(double pixels);

typedef struct nnc_box {
    nnc_px x, y, w, h;
} nnc_box;

typedef enum nnc_type { NNC_TYPE_PLAIN, NNC_TYPE_BOLD, NNC_TYPE_SMALL } nnc_type;

/* How wide a text may become: that of DejaVu Sans, the widest of the usual fonts, and 5 % more. */
nnc_px nnc_text_px(const char *text, nnc_type type);
/* The text, or as much of it as fits into a width with ".." after it. */
enum { NNC_TEXT_PX_MAX = 192 };
char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX]);

typedef struct nnc_svg {
    nnc_buffer body;
    const char *id; /* prefix of the ids inside, unique on its page: "nnc-step" */
} nnc_svg;

void nnc_svg_begin(nnc_svg *svg, const char *id);

/* A mark with its tooltip; what stands between is the mark. explain: the metric that it shows; NULL =
 * none. key: what else on a page is about the same thing; NULL = nothing. */
void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip);
void nnc_svg_mark_end(nnc_svg *svg);

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box);
/* With round corners. */
void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius);
/* Hatched: time or memory that nobody uses. */
void nnc_svg_hatched(nnc_svg *svg, nnc_box box);
void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius);

/* A path, point by point; closed: back to where it began. */
void nnc_svg_path(nnc_svg *svg, const char *class);
void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y); /* 'M', 'L' */
void nnc_svg_path_end(nnc_svg *svg, bool closed);
void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2);

/* anchor: 's' begins at x, 'm' is in the middle of it, 'e' ends there. */
void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y,
                  const char *text);
/* Turned round (x, y) by tenths of a degree, clockwise. */
void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle,
                    const char *text);

/* Writes the picture, and frees what it held. page: with a style sheet and a ground of its own; else a
 * page has the style. */
void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title,
                 const char *desc, bool page);

/* Text with the characters escaped that XML and HTML take for markup; control characters, and bytes
 * that are no UTF-8, become '?'. */
void nnc_put_xml(nnc_buffer *out, const char *text);

#endif
