/* Draws pictures as SVG: writes the elements, computes the widths of texts, and has the palette of colours. Coordinates
 * are whole tenths of a pixel. */
#include "base/base_internal.h"
#include "render/render_internal.h"

nnc_px nnc_px_of(double pixels) {
    const double most =
        1e7; /* limit of coordinates in pixels, so that the conversion to a whole number cannot overflow; pictures are
              * much smaller */
    const double held = pixels > most ? most : pixels < -most ? -most : pixels;
    return isnan(pixels) ? 0 : (nnc_px)floor(10.0 * held + 0.5);
}

/* Control characters become '?', because a user can print the picture to a terminal. */
void nnc_put_xml(nnc_buffer *out, const char *text) {
    while (*text != '\0') {
        const size_t size = nnc_utf8_length(text, strnlen(text, 4));
        const size_t control = nnc_control_length(text);
        switch (*text) {
        case '&': nnc_buffer_text(out, "&amp;"); break;
        case '<': nnc_buffer_text(out, "&lt;"); break;
        case '>': nnc_buffer_text(out, "&gt;"); break;
        case '"': nnc_buffer_text(out, "&quot;"); break;
        /* a line break becomes "&#10;", because GitHub Actions could run a text after a line break as a command
         * ("::") */
        case '\n': nnc_buffer_text(out, "&#10;"); break;
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

static void put_px(nnc_buffer *out, nnc_px value) {
    const nnc_px size = value < 0 ? -value : value;
    nnc_buffer_print(out, "%s%" PRId32, value < 0 ? "-" : "", size / 10);
    if (size % 10 != 0) { nnc_buffer_print(out, ".%" PRId32, size % 10); }
}

/* Writes an XML attribute whose value is a length in pixels: ` name="12.3"`. */
static void put_attribute(nnc_buffer *out, const char *name, nnc_px value) {
    nnc_buffer_print(out, " %s=\"", name);
    put_px(out, value);
    nnc_buffer_byte(out, '"');
}

static void put_class(nnc_svg *svg, const char *element, const char *class) {
    nnc_buffer_print(&svg->body, "<%s", element);
    if (class[0] != '\0') { nnc_buffer_print(&svg->body, " class=\"%s\"", class); }
}

static void put_box(nnc_buffer *out, nnc_box box) {
    put_attribute(out, "x", box.x);
    put_attribute(out, "y", box.y);
    put_attribute(out, "width", box.w);
    put_attribute(out, "height", box.h);
}

void nnc_svg_begin(nnc_svg *svg, const char *id) { *svg = (nnc_svg){ .id = id }; }

void nnc_svg_mark(nnc_svg *svg, const char *explain, const char *key, const char *tip) {
    nnc_buffer *out = &svg->body;
    nnc_buffer_text(out, "<g");
    if (explain != NULL) { nnc_buffer_print(out, " data-explain=\"%s\"", explain); }
    if (key != NULL) {
        nnc_buffer_text(out, " data-key=\"");
        nnc_put_xml(out, key);
        nnc_buffer_byte(out, '"');
    }
    nnc_buffer_text(out, "><title>");
    nnc_put_xml(out, tip);
    nnc_buffer_text(out, "</title>");
}

void nnc_svg_mark_end(nnc_svg *svg) { nnc_buffer_text(&svg->body, "</g>\n"); }

void nnc_svg_rect(nnc_svg *svg, const char *class, nnc_box box) {
    put_class(svg, "rect", class);
    put_box(&svg->body, box);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_round(nnc_svg *svg, const char *class, nnc_box box, nnc_px radius) {
    put_class(svg, "rect", class);
    put_box(&svg->body, box);
    put_attribute(&svg->body, "rx", radius);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_hatched(nnc_svg *svg, nnc_box box) {
    nnc_buffer_print(&svg->body, "<rect class=\"bar\" fill=\"url(#%s-hatch)\"", svg->id);
    put_box(&svg->body, box);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_circle(nnc_svg *svg, const char *class, nnc_px x, nnc_px y, nnc_px radius) {
    put_class(svg, "circle", class);
    put_attribute(&svg->body, "cx", x);
    put_attribute(&svg->body, "cy", y);
    put_attribute(&svg->body, "r", radius);
    nnc_buffer_text(&svg->body, "/>");
}

void nnc_svg_path(nnc_svg *svg, const char *class) {
    put_class(svg, "path", class);
    nnc_buffer_text(&svg->body, " d=\"");
}

void nnc_svg_to(nnc_svg *svg, char command, nnc_px x, nnc_px y) {
    nnc_buffer_byte(&svg->body, command);
    put_px(&svg->body, x);
    nnc_buffer_byte(&svg->body, ' ');
    put_px(&svg->body, y);
}

void nnc_svg_path_end(nnc_svg *svg, bool closed) { nnc_buffer_text(&svg->body, closed ? "Z\"/>" : "\"/>"); }

void nnc_svg_line(nnc_svg *svg, const char *class, nnc_px x1, nnc_px y1, nnc_px x2, nnc_px y2) {
    nnc_svg_path(svg, class);
    nnc_svg_to(svg, 'M', x1, y1);
    nnc_svg_to(svg, 'L', x2, y2);
    nnc_svg_path_end(svg, false);
}

void nnc_svg_turned(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, int32_t angle, const char *text) {
    nnc_buffer *out = &svg->body;
    put_class(svg, "text", class);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    if (anchor != 's') { nnc_buffer_print(out, " text-anchor=\"%s\"", anchor == 'm' ? "middle" : "end"); }
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

void nnc_svg_text(nnc_svg *svg, const char *class, char anchor, nnc_px x, nnc_px y, const char *text) {
    nnc_svg_turned(svg, class, anchor, x, y, 0, text);
}

static void put_named(nnc_buffer *out, const char *element, const char *id, const char *text) {
    nnc_buffer_print(out, "<%s id=\"%s-%s\">", element, id, element);
    nnc_put_xml(out, text);
    nnc_buffer_print(out, "</%s>\n", element);
}

void nnc_svg_end(nnc_svg *svg, nnc_buffer *out, nnc_px width, nnc_px height, const char *title, const char *desc,
                 bool page) {
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

/* ---- width of each ASCII character from blank to '~' in the font DejaVu Sans, in thousandths of the font size ---- */

/* OTHER: width that nncost assumes for every character outside ASCII, in thousandths of the font size; few of these
 * characters are wider */
enum { FIRST = ' ', LAST = '~', OTHER = 1000 };

static const uint16_t regular[LAST - FIRST + 1] = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838,
};

static const uint16_t bold[LAST - FIRST + 1] = {
    348, 456,  521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415,  380, 365, 696, 696,  696,
    696, 696,  696, 696, 696, 696,  696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830,  683,
    683, 821,  837, 372, 372, 775,  637, 995, 837, 850, 733, 850, 770, 720,  682, 812, 774, 1103, 771,
    724, 725,  457, 365, 457, 838,  500, 500, 675, 716, 593, 716, 678, 435,  716, 712, 343, 343,  665,
    343, 1042, 712, 687, 716, 716,  493, 595, 478, 712, 652, 924, 645, 652,  582, 712, 365, 712,  838,
};

/* Returns the width of the first `size` bytes of a text, in thousandths of the font size. */
static int64_t advance_of(const char *text, size_t size, nnc_type type) {
    const uint16_t *widths = type == NNC_TYPE_BOLD ? bold : regular;
    int64_t sum = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte >= FIRST && byte <= LAST) {
            sum += widths[byte - FIRST];
        } else if ((byte & 0xC0U) != 0x80U) { /* a character can have several bytes, and only its first byte has a
                                               * width */
            sum += OTHER;
        }
    }
    return sum;
}

static nnc_px width_of(const char *text, size_t size, nnc_type type) {
    const int64_t points = type == NNC_TYPE_SMALL ? 10 : 12;
    return (nnc_px)((advance_of(text, size, type) * points * 105 + 9999) / 10000);
}

nnc_px nnc_text_px(const char *text, nnc_type type) { return width_of(text, strlen(text), type); }

char *nnc_text_cut(const char *text, nnc_type type, nnc_px width, char cut[NNC_TEXT_PX_MAX]) {
    size_t size = strlen(text);
    if (size < NNC_TEXT_PX_MAX && width_of(text, size, type) <= width) {
        memcpy(cut, text, size + 1);
        return cut;
    }
    const nnc_px dots = nnc_text_px("..", type);
    while (size > 0 && (size > NNC_TEXT_PX_MAX - 3 || width_of(text, size, type) + dots > width)) {
        do { size--; } while (size > 0 && ((unsigned char)text[size] & 0xC0U) == 0x80U);
    }
    snprintf(cut, NNC_TEXT_PX_MAX, "%.*s..", (int)size, text);
    return cut;
}

#define DARK_INK "#0d1117"
#define LIGHT_INK "#ffffff"

/* ---- palette; tests/unit/test_svg.c simulates colour blindness (Machado et al. 2009), and requires a contrast against
 * the page of 3:1 for drawn elements and of 4.5:1 for text ---- */
const nnc_hue nnc_palette[] = {
    { "ink", "#1b1f24", "#e6edf3", NULL, NULL, 0 },
    { "dim", "#57606a", "#9aa4af", NULL, NULL, 0 },
    { "line", "#d0d7de", "#373e47", NULL, NULL, 0 },
    { "page", "#ffffff", "#0d1117", NULL, NULL, 0 },
    { "gap", "#e3e6ea", "#2b3138", NULL, NULL, 0 },
    { "idle", "#f2f4f6", "#1a1f26", NULL, NULL, 0 },

    { "forward", "#4a9bd1", "#3d82b4", DARK_INK, DARK_INK, NNC_HUES_STEP },
    { "backward", "#084a7a", "#9bd2fb", LIGHT_INK, DARK_INK, NNC_HUES_STEP },
    { "recompute", "#b58900", "#d9b13b", DARK_INK, DARK_INK, NNC_HUES_STEP },
    { "update", "#117a65", "#56c49c", NULL, NULL, NNC_HUES_STEP },
    { "exposed", "#b83227", "#f0716b", NULL, NULL, NNC_HUES_STEP },

    { "weights", "#084a7a", "#9bd2fb", NULL, NULL, NNC_HUES_MEMORY },
    { "gradients", "#4a9bd1", "#3d82b4", NULL, NULL, NNC_HUES_MEMORY },
    { "optimizer", "#117a65", "#46b08a", NULL, NULL, NNC_HUES_MEMORY },
    { "activations", "#c98500", "#f0a93b", NULL, NULL, NNC_HUES_MEMORY },
    { "transient", "#d16ba5", "#dd9cc6", NULL, NULL, NNC_HUES_MEMORY },
    { "reserve", "#3e444c", "#768390", NULL, NULL, NNC_HUES_MEMORY },

    { "compute", "#0072b2", "#4aa8e8", NULL, NULL, NNC_HUES_BOUND },
    { "memory", "#c77a00", "#f0b84b", NULL, NULL, NNC_HUES_BOUND },
    { "network", "#b83227", "#f0614f", NULL, NULL, NNC_HUES_BOUND },
    { "host", "#5f6368", "#9aa4af", NULL, NULL, NNC_HUES_BOUND },
};
const int nnc_palette_count = sizeof nnc_palette / sizeof nnc_palette[0];

/* CSS rules for drawn elements (fonts, line widths, dashes); the colours are in `uses` and in the palette. */
static const char shapes[] =
    ".nnc text{font:12px system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif}"
    ".nnc .b{font-weight:600}.nnc .s{font-size:10px}"
    ".nnc .axis,.nnc .grid,.nnc .roof,.nnc .edge,.nnc .frame,.nnc .stair,"
    ".nnc .other{fill:none;stroke-width:1}"
    ".nnc .other{stroke-dasharray:4 2}"
    ".nnc .roof{stroke-width:1.6}.nnc .edge{stroke-width:2}.nnc .thin{opacity:.55}"
    ".nnc .frame{stroke-width:2.5;stroke-dasharray:5 3}.nnc .dash{stroke-dasharray:3 3}"
    ".nnc .mark{fill-opacity:.55;stroke-width:1}.nnc .tint{fill-opacity:.06}.nnc .band{opacity:.35}"
    ".nnc .bar,.nnc .dot{stroke-width:1}.nnc .hollow{fill-opacity:0;stroke-width:1.5}"
    ".nnc .halo{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}";

/* CSS selectors of drawn elements: for each selector, a CSS property and the palette colour that the property gets. */
static const struct {
    const char *selector, *property, *hue;
} uses[] = {
    { "text", "fill", "ink" },         { ".dim", "fill", "dim" },         { ".axis", "stroke", "dim" },
    { ".grid", "stroke", "line" },     { ".roof", "stroke", "ink" },      { ".edge", "stroke", "ink" },
    { ".frame", "stroke", "exposed" }, { ".stair", "stroke", "compute" }, { ".tint", "fill", "compute" },
    { ".band", "fill", "forward" },    { ".bar", "stroke", "page" },      { ".dot", "stroke", "page" },
    { ".halo", "stroke", "page" },     { ".page", "fill", "page" },       { ".gap", "fill", "gap" },
    { ".idle", "fill", "idle" },       { ".hatch", "fill", "dim" },       { ".other", "stroke", "ink" },
};

static const char *colour_of(const char *name, bool dark) {
    int i = 0;
    /* the loop always finds the class, because pictures use only CSS classes of the palette */
    while (strcmp(nnc_palette[i].name, name) != 0) { i++; }
    return dark ? nnc_palette[i].dark : nnc_palette[i].light;
}

static void put_colours(nnc_buffer *out, bool dark) {
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        nnc_buffer_print(out, ".nnc %s{%s:%s}", uses[i].selector, uses[i].property, colour_of(uses[i].hue, dark));
    }
    for (int i = 0; i < nnc_palette_count; i++) {
        const nnc_hue *hue = &nnc_palette[i];
        const char *colour = dark ? hue->dark : hue->light;
        if (hue->hues == 0) { continue; }
        nnc_buffer_print(out, ".nnc .%s{fill:%s}", hue->name, colour);
        if (hue->hues == NNC_HUES_BOUND) { nnc_buffer_print(out, ".nnc .mark.%s{stroke:%s}", hue->name, colour); }
        if (hue->on_light != NULL) {
            nnc_buffer_print(out, ".nnc .on-%s{fill:%s}", hue->name, dark ? hue->on_dark : hue->on_light);
        }
    }
}

void nnc_palette_css(nnc_buffer *out) {
    nnc_buffer_text(out, shapes);
    put_colours(out, false);
    nnc_buffer_text(out, "@media screen and (prefers-color-scheme:dark){");
    put_colours(out, true);
    nnc_buffer_byte(out, '}');
}
