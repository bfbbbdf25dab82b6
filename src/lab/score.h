/* Predictions next to measured rows, and how far off they are. */
#ifndef NNCOST_LAB_SCORE_H
#define NNCOST_LAB_SCORE_H

#include <nncost/estimate.h>

#include "lab/measured.h"

/* A row and its prediction; NaN = there is none. An error is predicted / measured - 1. */
typedef struct nnc_scored {
    const nnc_measured *row;
    const char *device; /* id of the device's file */
    const char
        *what; /* "DEVICE, PROFILE, dense": what a summary adds up; "" = no summary is asked for */
    double predicted_s, low_s, high_s, lower_bound_s;
    double error;
    double model_flops;          /* of the step, over all devices; attention over all pairs */
    nnc_memory_stat memory_stat; /* what memory_error compares with */
    double predicted_bytes, memory_error;
    double most_bytes;  /* the upper end of the memory */
    nnc_verdict fit;    /* of a step, which ran */
    bool experts;       /* of requests that were served: the model has experts */
    const char *reason; /* why there is no prediction; NULL = there is one */
} nnc_scored;

/* Predicts one row as an estimate would be made: model, device, software and plan are the row's, or
 * what the caller made of them (model NULL unless a step). Fails as nnc_estimate does; a row with a
 * reason is not to be scored. */
nnc_status nnc_score_row(const nnc_measured *row, const nnc_model *model, const nnc_device *device,
                         const nnc_software *software, const nnc_plan *plan, nnc_scratch *scratch,
                         nnc_scored *scored, nnc_error *err);

/* Is the lower bound longer than what was measured, rounding considered? Then one of the two is
 * wrong. */
bool nnc_score_contradicts(const nnc_scored *scored);

/* A row without a prediction. */
nnc_scored nnc_scored_open(const nnc_measured *row);

#endif
