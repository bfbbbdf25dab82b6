/* How a step scales with the number of devices. */
#ifndef NNCOST_CLI_SEARCH_SCALE_VIEW_H
#define NNCOST_CLI_SEARCH_SCALE_VIEW_H

#include <nncost/estimate.h>
#include <nncost/search.h>

#include "render/format.h"

/* What device time goes to: five parts of a step, then the kinds of collectives. */
typedef enum nnc_scale_part {
    NNC_SCALE_COMPUTE, /* forward and backward */
    NNC_SCALE_RECOMPUTE,
    NNC_SCALE_UPDATE,
    NNC_SCALE_BUBBLE,
    NNC_SCALE_HOST,
    NNC_SCALE_COMM, /* the first of them */
    NNC_SCALE_COUNT = NNC_SCALE_COMM + NNC_COMM_COUNT
} nnc_scale_part;
const char *nnc_scale_part_name(unsigned part);

/* One number of devices. */
typedef struct nnc_scale_row {
    int32_t devices;
    bool found;
    const char *reason;             /* why nothing was; NULL = something was */
    const char *software, *command; /* NULL = nothing found */
    const char *currency;
    nnc_plan plan;
    double step_s, tokens_per_s, samples_per_s, mfu, run_s, cost;
    int64_t memory_bytes;
    double efficiency; /* throughput per device over that of the smallest size */
    double lost
        [NNC_SCALE_COUNT]; /* device time beyond the smallest size's, over all of it; below 0 it is less */
} nnc_scale_row;

typedef struct nnc_scale {
    const char *model, *device;
    int64_t global_batch;
    bool batch_chosen; /* not asked for */
    int32_t base; /* index of the size with most throughput per device; -1 = no size has a plan */
    nnc_scale_row *rows;
    int32_t count;
} nnc_scale;

extern const nnc_view nnc_scale_view;

#endif
