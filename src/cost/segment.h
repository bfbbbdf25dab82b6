/* What one instance of each segment of a list brings along: parameters, the optimizer's work on
 * them, and bytes kept for backward. A pipeline stage is a number of instances of each. */
#ifndef NNCOST_COST_SEGMENT_H
#define NNCOST_COST_SEGMENT_H

#include "shape/list.h"

/* Parameters as an optimizer sees them. */
typedef struct nnc_parameters {
    double params, matrix_params, factored_elements, orthogonalise_flops;
} nnc_parameters;

typedef struct nnc_segment_sums {
    nnc_parameters dense, expert; /* of one rank; experts' are replicated over fewer ranks */
    nnc_parameters frozen, frozen_expert; /* those that are not trained */
    double kept_bytes;                    /* all of it kept */
    double input_bytes;         /* block inputs alone kept, and what lies outside blocks */
    double live_bytes;          /* the largest block, while it is run again */
    double again_bytes;         /* the largest block's, of modules that are run again */
    double unit_frozen;         /* of the largest such part, parameters that are not trained */
    double unit_params;         /* of the largest part that ZeRO-3 gathers at once: a block */
    double transient_bytes;     /* the largest working set of one op's backward */
    const char *transient_what; /* what that is */
} nnc_segment_sums;

/* Fills sums[0 .. list->segment_count - 1]. */
void nnc_segments_sum(const nnc_op_list *list, nnc_segment_sums sums[NNC_SEGMENTS_MAX]);

#endif
