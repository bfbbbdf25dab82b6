/* The working memory of one estimate. */
#ifndef NNCOST_ESTIMATE_SCRATCH_H
#define NNCOST_ESTIMATE_SCRATCH_H

#include "estimate/alike.h"
#include "estimate/bounds.h"
#include "estimate/known.h"
#include "estimate/update.h"

struct nnc_scratch {
    nnc_op_list list;  /* the plan's own ops, of one rank */
    nnc_op_list ideal; /* the same model, ideally fused; used when it differs */
    nnc_rows rows;
    nnc_rows ideal_rows;
    nnc_network network;
    nnc_step_memory step;
    nnc_tail_store tails;
    const nnc_rows *shown; /* the rows of the last result */
    int32_t stages;        /* of the last result */
    nnc_plan plan;         /* the last that was checked, and the last profile */
    nnc_software software;
    nnc_result result;     /* where the program knows less of it than this library */
    nnc_ideal bound;       /* the lower bound of the last result, and in ideal mode its step */
    nnc_shared *shared;    /* what estimates in a row have in common */
    nnc_known_store known; /* of brief estimates, while they share */
    bool
        brief; /* estimates leave out what takes the bounds or the rows of a whole step: that is NaN */
    nnc_derivation *why; /* where estimates say how they came about; NULL = nowhere */
};

/* From now on plans share what their lists have in common, until this is called again: model and device must not change.
 * false: there is no room for it. */
bool nnc_scratch_share(nnc_scratch *scratch, const nnc_model *model, const nnc_device *device);

#endif
