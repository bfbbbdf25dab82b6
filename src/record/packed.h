/* Figures of many estimates, in little room: most have the names of the one before. */
#ifndef NNCOST_RECORD_PACKED_H
#define NNCOST_RECORD_PACKED_H

#include <nncost/check.h>

#include "base/arena.h"

typedef union nnc_packed_value {
    double number;
    const char *text;
} nnc_packed_value;

typedef struct nnc_packed {
    const nnc_figures *kinds; /* names, and which of them are texts; NULL = no figures */
    const nnc_packed_value *values;
} nnc_packed;

/* Their names and texts have to outlive it. false: out of memory. */
bool nnc_packed_make(nnc_arena *arena, nnc_figures figures, const nnc_packed *before,
                     nnc_packed *packed);

static inline int32_t nnc_packed_count(const nnc_packed *packed)
{
    return packed->kinds != NULL ? packed->kinds->count : 0;
}

nnc_figure nnc_packed_figure(const nnc_packed *packed, int32_t index);

/* All of them, as a list of their own; NULL = out of memory. */
const nnc_figure *nnc_packed_list(nnc_arena *arena, const nnc_packed *packed);

#endif
