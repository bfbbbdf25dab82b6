/* In which form a result is written. */
#ifndef NNCOST_RENDER_STYLE_H
#define NNCOST_RENDER_STYLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define NNC_FORMAT_LIST(X)       \
    X(NNC_FORMAT_TABLE, "table") \
    X(NNC_FORMAT_JSON, "json")   \
    X(NNC_FORMAT_CSV, "csv")     \
    X(NNC_FORMAT_MARKDOWN, "markdown")
NNC_ENUM(nnc_format, NNC_FORMAT_LIST, NNC_FORMAT_COUNT);
const char *nnc_format_name(nnc_format format);

/* How to write. width and colour only matter to NNC_FORMAT_TABLE. */
typedef struct nnc_style {
    nnc_format format;
    int width; /* columns of the terminal */
    bool colour;
} nnc_style;

#endif
