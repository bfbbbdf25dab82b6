#include "render/palette.h"

#include <string.h>

#define DARK_INK "#0d1117"
#define LIGHT_INK "#ffffff"

/* tests/unit/test_svg.c sees them with fewer colours (Machado et al. 2009), and asks for a contrast of
 * 3:1 against the page and 4.5:1 of text. */
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

/* What marks look like apart from their class's colour. */
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

/* The lines that take a colour of the palette. */
static const struct {
    const char *selector, *property, *hue;
} uses[] = {
    { "text", "fill", "ink" },         { ".dim", "fill", "dim" },
    { ".axis", "stroke", "dim" },      { ".grid", "stroke", "line" },
    { ".roof", "stroke", "ink" },      { ".edge", "stroke", "ink" },
    { ".frame", "stroke", "exposed" }, { ".stair", "stroke", "compute" },
    { ".tint", "fill", "compute" },    { ".band", "fill", "forward" },
    { ".bar", "stroke", "page" },      { ".dot", "stroke", "page" },
    { ".halo", "stroke", "page" },     { ".page", "fill", "page" },
    { ".gap", "fill", "gap" },         { ".idle", "fill", "idle" },
    { ".hatch", "fill", "dim" },       { ".other", "stroke", "ink" },
};

static const char *colour_of(const char *name, bool dark)
{
    int i = 0;
    while (strcmp(nnc_palette[i].name, name) != 0) { /* it is one of them */
        i++;
    }
    return dark ? nnc_palette[i].dark : nnc_palette[i].light;
}

static void put_colours(nnc_buffer *out, bool dark)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        nnc_buffer_print(out, ".nnc %s{%s:%s}", uses[i].selector, uses[i].property,
                         colour_of(uses[i].hue, dark));
    }
    for (int i = 0; i < nnc_palette_count; i++) {
        const nnc_hue *hue = &nnc_palette[i];
        const char *colour = dark ? hue->dark : hue->light;
        if (hue->hues == 0) {
            continue;
        }
        nnc_buffer_print(out, ".nnc .%s{fill:%s}", hue->name, colour);
        if (hue->hues == NNC_HUES_BOUND) {
            nnc_buffer_print(out, ".nnc .mark.%s{stroke:%s}", hue->name, colour);
        }
        if (hue->on_light != NULL) {
            nnc_buffer_print(out, ".nnc .on-%s{fill:%s}", hue->name,
                             dark ? hue->on_dark : hue->on_light);
        }
    }
}

void nnc_palette_css(nnc_buffer *out)
{
    nnc_buffer_text(out, shapes);
    put_colours(out, false);
    nnc_buffer_text(out, "@media screen and (prefers-color-scheme:dark){");
    put_colours(out, true);
    nnc_buffer_byte(out, '}');
}
