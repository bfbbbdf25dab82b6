/* In which form a result is written. */
#ifndef NNCOST_RENDER_STYLE_H
#define NNCOST_RENDER_STYLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <nncost/status.h>

typedef enum nnc_format {
    NNC_FORMAT_TABLE,
    NNC_FORMAT_JSON,
    NNC_FORMAT_CSV,
    NNC_FORMAT_MARKDOWN,
    NNC_FORMAT_COUNT
} nnc_format;

extern const char *const nnc_format_names[NNC_FORMAT_COUNT];

/* How to write. width and colour only matter to NNC_FORMAT_TABLE. */
typedef struct nnc_style {
    nnc_format format;
    int width; /* columns of the terminal */
    bool colour;
} nnc_style;

#endif
