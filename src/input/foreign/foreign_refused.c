/* Architectures that are known, and not read: why, and what to do. */
#include "input/foreign/foreign_rows.h"

#define TOWERS                                                                             \
    "networks of several kinds in one file, expected that of the text alone: text_config " \
    "as a file"
#define RECURRENT                                                                                 \
    "a recurrence over tokens that this version does not count, expected a network of attention " \
    "alone"

const nnc_architecture nnc_foreign_refused[] = {
    { .name = "qwen2_5_omni", .refuses = TOWERS },
    { .name = "falcon_h1", .refuses = RECURRENT },
    { .name = NULL },
};
