/* Efficiency figures fitted to measured rows. */
#ifndef NNCOST_CLI_LAB_CALIBRATION_VIEW_H
#define NNCOST_CLI_LAB_CALIBRATION_VIEW_H

#include "cli/lab/left_out.h"
#include "lab/stats.h"
#include "metrics/report.h"
#include "render/format.h"

typedef struct nnc_calibration_figure {
    const char *name;
    double before, after; /* NaN = not recorded */
    int32_t rows;
    bool at_limit;
    const char *reason; /* why it is left as it is; NULL = it is fitted */
} nnc_calibration_figure;

typedef struct nnc_calibration_group {
    const char *name;
    int32_t rows, held, parts;
    const nnc_score_stats *before, *after, *crossed, *held_before, *held_after;
} nnc_calibration_group;

typedef struct nnc_calibration_report {
    const char *device, *software; /* whose figures they are; one of both is NULL */
    const char *data;              /* the files and rows, as the file that is written names them */
    const char *overrides;         /* NULL = none */
    const char *written;           /* path of the device file; NULL = none */
    int32_t rows, held, other_devices;
    const nnc_calibration_figure *figures;
    int32_t figure_count;
    const nnc_calibration_group *groups;
    int32_t group_count;
    const nnc_left_out *unused;
    int32_t unused_count;
} nnc_calibration_report;

/* Of an nnc_calibration_report. */
extern const nnc_view nnc_calibration_view;

#endif
