/* Errors of many rows added up. */
#ifndef NNCOST_LAB_STATS_H
#define NNCOST_LAB_STATS_H

#include "base/arena.h"
#include "lab/score.h"

/* Fills in mape, median, p90, bias and scored from errors, which are left sorted by size. */
void nnc_errors_sum(double *errors, int32_t count, nnc_score_stats *stats);

/* One group per section and file, device, framework, and the section's total: sections first, then
 * what they are grouped by, then in the order of the rows. NULL when out of memory. */
const nnc_score_group *nnc_score_groups(nnc_arena *arena, const nnc_scored *rows, int32_t count,
                                        int32_t *group_count);

#endif
