/* Architectures that are known, and not read: why, and what to do. */
#include "input/foreign/foreign_rows.h"

#define TOWERS                                                                             \
    "networks of several kinds in one file, expected that of the text alone: text_config " \
    "as a file"
const nnc_architecture nnc_foreign_refused[] = {
    { .name = "qwen2_5_omni", .refuses = TOWERS },
    { .name = NULL },
};
