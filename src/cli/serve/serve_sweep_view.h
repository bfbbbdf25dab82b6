/* Rows of serving beside each other. */
#ifndef NNCOST_CLI_SERVE_SERVE_SWEEP_VIEW_H
#define NNCOST_CLI_SERVE_SERVE_SWEEP_VIEW_H

#include "metrics/report.h"
#include "record/scenario.h"
#include "render/format.h"

typedef struct nnc_serve_rows {
    nnc_report *reports;
    int64_t count, illegal;        /* illegal: left out */
    bool models, devices, engines; /* these vary */
    const char
        *names[NNC_SETTINGS_MAX]; /* options that vary, and which of a row's values is theirs */
    int32_t axis_of[NNC_SETTINGS_MAX];
    int32_t name_count;
    const char ***values; /* of each row: as given */
} nnc_serve_rows;

/* Of an nnc_serve_rows: of tokens, of images. */
extern const nnc_view nnc_serve_sweep_view, nnc_images_sweep_view;

#endif
