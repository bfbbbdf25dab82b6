/* Rows of measured files that were left out, counted by file and reason. */
#ifndef NNCOST_CLI_LAB_LEFT_OUT_H
#define NNCOST_CLI_LAB_LEFT_OUT_H

#include "lab/measured.h"
#include "metrics/report.h"

typedef struct nnc_left_out {
    const char *file, *reason, *first; /* first: the id of one */
    int32_t rows;
} nnc_left_out;

/* Counts a row; the list has room for each. */
void nnc_left_out_add(nnc_left_out *list, int32_t *count, const nnc_measured *row,
                      const char *reason);

/* What no estimate can be made of is a reason to leave a row out, in the arena; the rest ends the command:
 * *reason stays NULL. */
nnc_status nnc_left_out_reason(nnc_arena *arena, const nnc_error *why, const char **reason,
                               nnc_error *err);

/* Of an nnc_left_out. */
extern const nnc_metrics nnc_left_out_metrics;

#endif
