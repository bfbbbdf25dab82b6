/* Estimates side by side. */
#ifndef NNCOST_CLI_COMPARE_COMPARE_VIEW_H
#define NNCOST_CLI_COMPARE_COMPARE_VIEW_H

#include "metrics/report.h"
#include "render/style.h"

/* varied[i] holds, for every one of the varied_count names, its value in row i. */
typedef struct nnc_comparison {
    const nnc_report *rows;
    int32_t row_count;
    const char *const *varied_names;
    const char *const *varied; /* row_count x varied_count */
    int32_t varied_count;
} nnc_comparison;

extern const nnc_metrics nnc_comparison_document;

nnc_status nnc_report_comparison(nnc_buffer *out, nnc_style style,
                                 const nnc_comparison *comparison);

#endif
