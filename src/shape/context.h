/* How the attention of context ranks sees each other's tokens: one row per kind.   [context-parallel] */
#ifndef NNCOST_SHAPE_CONTEXT_H
#define NNCOST_SHAPE_CONTEXT_H

#include "op/dims.h"

/* What one rank has of a layer's attention, in elements. */
typedef struct nnc_context_part {
    double ranks;
    double query, key_value, output;
    double bytes; /* of an element */
} nnc_context_part;

typedef struct nnc_context_row {
    /* Each rank attends for a share of the heads, over all tokens; else for its own tokens alone. */
    bool over_heads;
    bool in_blocks; /* keys and values arrive in blocks, the attention over them is merged */
    /* What ranks exchange before or after the attention; nothing when it is left as it was. */
    void (*exchange)(const nnc_context_part *part, bool before, nnc_exchange *exchange);
} nnc_context_row;

const nnc_context_row *nnc_context_of(const nnc_plan *plan);

#endif
