#include "render/style.h"

const char *const nnc_format_names[NNC_FORMAT_COUNT] = {
    [NNC_FORMAT_TABLE] = "table",
    [NNC_FORMAT_JSON] = "json",
    [NNC_FORMAT_CSV] = "csv",
    [NNC_FORMAT_MARKDOWN] = "markdown",
};
