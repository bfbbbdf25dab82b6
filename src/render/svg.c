#include "render/svg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "render/palette.h"

nnc_px nnc_px_of(double pixels)
{
    const double most = 1e7; /* far outside any picture */
    const double held = pixels > most ? most : pixels < -most ? -most : pixels;
    return isnan(pixels) ? 0 : (nnc_px)floor(10.0 * held + 0.5);
}

/* What a terminal or a workflow would obey is '?' as elsewhere: pictures are printed, too. */
void nnc_put_xml(nnc_buffer *out, const char *text)
{
    while (*text != '\0') {
        const size_t size = nnc_utf8_length(text, strnlen(text, 4));
        const size_t control = nnc_control_length(text);
        switch (*text) {
        case '&': nnc_buffer_text(out, "&amp;"); break;
        case '<': nnc_buffer_text(out, "&lt;"); break;
        case '>': nnc_buffer_text(out, "&gt;"); break;
        case '"': nnc_buffer_text(out, "&quot;"); break;
        case '\n': nnc_buffer_text(out, "&#10;"); break; /* a new line could begin with an order */
        default:
            if (size == 0 || control > 0) {
                nnc_buffer_byte(out, '?');
            } else {
                nnc_buffer_put(out, text, size);
            }
        }
        text += size > 0 ? size : 1;
    }
}

static void put_px(nnc_buffer *out, nnc_px value)
{
    const nnc_px size = value < 0 ? -value : value;
    nnc_buffer_print(out, "%s%" PRId32, value < 0 ? "-" : "", size / 10);
    if (size % 10 != 0) {
        nnc_buffer_print(out, ".%" PRId32, size % 10);
    }
}

/* ` name="12.3"` */
static void put_attribute(nnc_buffer *out, const char *name, nnc_px value)
{
    nnc_buffer_print(out, " %s=\"", name);
    put_px(out, value);
    nnc_buffer_byte(out, '"');
}

static void put_class(nnc_svg *svg, const char *element, const char *class)
{
    nnc_buffer_print(&svg->body, "<%s", element);
    if (class[0] != '\0') {
        nnc_buffer_print(&svg->body, " class=\"%s\"", class);
    }
}

static void put_box(nnc_buffer *out, nnc_box box)
{
    put_attribute(out, "x", box.x);
    put_attribute(out, "y", box.y);
    put_attribute(out, "width", box.w);
    put_attribute(out, "height", box.h);
}

void nnc_svg_begin(nnc_svg *svg, const char *id)
{
    *svg = (nnc_svg){ .id = id };
}

void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip)
{
    nnc_buffer *out = &svg->body;
    nnc_buffer_text(out, "<g");
    if (explain != NULL) {
        nnc_buffer_print(out, " data-explain=\"%s\"", explain);
    }
    if (key != NULL) {
        nnc_buffer_text(out, " data-key=\"");
        nnc_put_xml(out, key);
        nnc_buffer_byte(out, '"');
    }
    nnc_buffer_text(out, "><title>");
    nnc_put_xml(out, tip);
    nnc_buffer_text(out, "</title>");
}

void nnc_svg_mark_end(nnc_svg *svg)
{
    nnc_buffer_text(&svg->body, "</g>\n");
}

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box)
{
    put_class(svg, "rect", class);
    put_box(&svg->body, box);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius)
{
    put_class(svg, "rect", class);
    put_box(&svg->body, box);
    put_attribute(&svg->body, "rx", radius);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_hatched(nnc_svg *svg, nnc_box box)
{
    nnc_buffer_print(&svg->body, "<rect class=\"bar\" fill=\"url(#%s-hatch)\"", svg->id);
    put_box(&svg->body, box);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius)
{
    put_class(svg, "circle", class);
    put_attribute(&svg->body, "cx", x);
    put_attribute(&svg->body, "cy", y);
    put_attribute(&svg->body, "r", radius);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_path(nnc_svg *svg, const char *class)
{
    put_class(svg, "path", class);
    nnc_buffer_text(&svg->body, " d=\"");
}

void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y)
{
    nnc_buffer_byte(&svg->body, command);
    put_px(&svg->body, x);
    nnc_buffer_byte(&svg->body, ' ');
    put_px(&svg->body, y);
}

void nnc_svg_path_end(nnc_svg *svg, bool closed)
{
    nnc_buffer_text(&svg->body, closed ? "Z\"/>" : "\"/>");
}

void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2)
{
    nnc_svg_path(svg, class);
    nnc_svg_to(svg, 'M', x1, y1);
    nnc_svg_to(svg, 'L', x2, y2);
    nnc_svg_path_end(svg, false);
}

void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle,
                    const char *text)
{
    nnc_buffer *out = &svg->body;
    put_class(svg, "text", class);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    if (anchor != 's') {
        nnc_buffer_print(out, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end");
    }
    if (angle != 0) {
        nnc_buffer_text(out, " transform=\"rotate(");
        put_px(out, angle);
        nnc_buffer_byte(out, ' ');
        put_px(out, x);
        nnc_buffer_byte(out, ' ');
        put_px(out, y);
        nnc_buffer_text(out, ")\"");
    }
    nnc_buffer_byte(out, '>');
    nnc_put_xml(out, text);
    nnc_buffer_text(out, "</text>\n");
}

void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y,
                  const char *text)
{
    nnc_svg_turned(svg, class, anchor, x, y, 0, text);
}

static void put_named(nnc_buffer *out, const char *element, const char *id, const char *text)
{
    nnc_buffer_print(out, "<%s id=\"%s-%s\">", element, id, element);
    nnc_put_xml(out, text);
    nnc_buffer_print(out, "</%s>\n", element);
}

void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title,
                 const char *desc, bool page)
{
    const char *id = svg->id;
    nnc_buffer_text(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"nnc\" viewBox=\"0 0 ");
    put_px(out, width);
    nnc_buffer_byte(out, ' ');
    put_px(out, height);
    nnc_buffer_byte(out, '"');
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
    nnc_buffer_print(out, " role=\"img\" aria-labelledby=\"%s-title %s-desc\">\n", id, id);
    put_named(out, "title", id, title);
    put_named(out, "desc", id, desc);
    if (page) {
        nnc_buffer_text(out, "<style>");
        nnc_palette_css(out);
        nnc_buffer_text(out, "</style>\n<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    }
    nnc_buffer_print(out,
                     "<pattern id=\"%s-hatch\" width=\"6\" height=\"6\" "
                     "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
                     "<rect class=\"gap\" width=\"6\" height=\"6\"/>"
                     "<rect class=\"hatch\" width=\"2\" height=\"6\" opacity=\".35\"/></pattern>\n",
                     id);
    nnc_buffer_put(out, svg->body.bytes, svg->body.size);
    nnc_buffer_text(out, "</svg>\n");
    out->failed = out->failed || svg->body.failed;
    nnc_buffer_free(&svg->body);
}
