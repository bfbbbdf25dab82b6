/* Predictions beside measurements. */
#ifndef NNCOST_CLI_LAB_ACCURACY_VIEW_H
#define NNCOST_CLI_LAB_ACCURACY_VIEW_H

#include "cli/lab/left_out.h"
#include "lab/stats.h"
#include "render/format.h"

typedef struct nnc_accuracy_report {
    const nnc_measured_file *files;
    int32_t file_count;
    const nnc_scored *rows;
    int32_t count;
    const nnc_score_group *groups;
    int32_t group_count;
    const nnc_left_out *left_out;
    int32_t left_out_count;
    const char *overrides; /* "scale_out.latency_s=1e-5, ..."; NULL = none */
    bool summary;          /* by device, profile and kind of model alone */
    bool all_rows;         /* list every row, not only those that cannot be expressed */
} nnc_accuracy_report;

/* Of an nnc_accuracy_report. */
extern const nnc_metrics nnc_accuracy_document;
extern const nnc_view nnc_accuracy_view;

#endif
