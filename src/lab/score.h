/* Predictions next to measured rows, and how far off they are. */
#ifndef NNCOST_LAB_SCORE_H
#define NNCOST_LAB_SCORE_H

#include <nncost/estimate.h>

#include "lab/measured.h"

/* A row and its prediction; NaN = there is none. An error is predicted / measured - 1. */
typedef struct nnc_scored {
    const nnc_measured *row;
    const char *device; /* id of the device's file */
    double predicted_s, low_s, high_s, lower_bound_s;
    double error;
    double model_flops;          /* of the step, over all devices; attention over all pairs */
    nnc_memory_stat memory_stat; /* what memory_error compares with */
    double predicted_bytes, memory_error;
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

/* Rows whose figures are worth adding up. */
typedef enum nnc_score_section {
    NNC_SECTION_STEP,
    NNC_SECTION_STEP_APART, /* the row leaves a deciding field open */
    NNC_SECTION_MEMORY,     /* allocated, of steps that leave nothing open */
    NNC_SECTION_MEMORY_APART,
    NNC_SECTION_GEMM,
    NNC_SECTION_ATTENTION,
    NNC_SECTION_VECTOR,
    NNC_SECTION_COLLECTIVE, /* of at least 1 MB */
    NNC_SECTION_COLLECTIVE_SMALL,
    NNC_SECTION_RANK_MEMORY,
    NNC_SECTION_COUNT
} nnc_score_section;

typedef enum nnc_score_by {
    NNC_SCORE_BY_FILE,
    NNC_SCORE_BY_DEVICE,
    NNC_SCORE_BY_FRAMEWORK,
    NNC_SCORE_IN_TOTAL,
    NNC_SCORE_BY_COUNT
} nnc_score_by;

/* e = error, over the scored rows; NaN when there are none. */
typedef struct nnc_score_stats {
    int32_t rows, scored;
    double mape;             /* mean of |e| */
    double median;           /* of |e|; of an even number the mean of the middle two */
    double p90;              /* smallest |e| with nine tenths of the rows at or below it */
    double bias;             /* mean of e */
    int32_t intervals;       /* rows with an interval */
    double inside;           /* share of them whose measurement lies in it */
    const nnc_scored *worst; /* largest |e|, the first of several; NULL = none */
} nnc_score_stats;

typedef struct nnc_score_group {
    nnc_score_section section;
    nnc_score_by by;
    const char *name; /* of the file, device or framework; "" in total */
    nnc_score_stats stats;
} nnc_score_group;

/* "step_apart", "file"; static storage. */
const char *nnc_score_section_name(nnc_score_section section);
const char *nnc_score_by_name(nnc_score_by by);

/* A row without a prediction. */
nnc_scored nnc_scored_open(const nnc_measured *row);

#endif
