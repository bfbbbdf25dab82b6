/* The colours of pictures, in light and in dark: a class of a mark is a row. */
#ifndef NNCOST_RENDER_PALETTE_H
#define NNCOST_RENDER_PALETTE_H

#include "base/buffer.h"

/* Which marks stand side by side, and so have to be told apart by people who see fewer colours. */
enum { NNC_HUES_STEP = 1, NNC_HUES_MEMORY = 2, NNC_HUES_BOUND = 4 };

typedef struct nnc_hue {
    const char *name;               /* class of the marks: "forward" */
    const char *light, *dark;       /* "#4a9bd1" */
    const char *on_light, *on_dark; /* text on it; NULL = there is none */
    unsigned hues;                  /* NNC_HUES_...; 0 = a ground, a line or text */
} nnc_hue;

extern const nnc_hue nnc_palette[];
extern const int nnc_palette_count;

/* The style sheet of pictures. */
void nnc_palette_css(nnc_buffer *out);

#endif
