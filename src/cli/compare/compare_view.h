/* Estimates side by side. */
#ifndef NNCOST_CLI_COMPARE_COMPARE_VIEW_H
#define NNCOST_CLI_COMPARE_COMPARE_VIEW_H

#include "metrics/report.h"
#include "render/format.h"

typedef struct nnc_compared {
    nnc_report report;
    const char *command; /* that gives it */
} nnc_compared;

/* varied[i] holds, for every one of the varied_count names, its value in row i. */
typedef struct nnc_comparison {
    const nnc_compared *rows;
    int32_t row_count;
    const char *const *varied_names;
    const char *const *varied; /* row_count x varied_count */
    int32_t varied_count;
} nnc_comparison;

/* Of an nnc_comparison. */
extern const nnc_view nnc_comparison_view;

#endif
