/* The working memory of one estimate. */
#ifndef NNCOST_SCRATCH_H
#define NNCOST_SCRATCH_H

#include "schedule/step.h"

struct nnc_scratch {
    nnc_op_list list;  /* the plan's own ops, of one rank */
    nnc_op_list ideal; /* the same model, ideally fused; used when it differs */
    nnc_rows rows;
    nnc_rows ideal_rows;
    nnc_network network;
    nnc_step_memory step;
    const nnc_rows *shown; /* the rows of the last result */
    int32_t stages;        /* of the last result */
};

#endif
