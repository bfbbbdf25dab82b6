/* The result of a search. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_VIEW_H
#define NNCOST_CLI_SEARCH_SEARCH_VIEW_H

#include <nncost/search.h>
#include <nncost/sensitivity.h>

#include "metrics/report.h"
#include "render/format.h"

/* Combinations of a search, or of several. */
typedef struct nnc_search_total {
    uint64_t space, covered, evaluated, pruned, feasible;
} nnc_search_total;

void nnc_search_total_add(nnc_search_total *total, const nnc_search_result *result);

/* The outcome for one number of devices. */
typedef struct nnc_search_size {
    int32_t devices;
    nnc_search_total total;
    bool found, any_missed; /* best is there; missed breaks only deadline or budget */
    nnc_found best, missed;
    nnc_error why; /* no combination is legal; status NNC_OK: one is */
} nnc_search_size;

typedef struct nnc_search_report {
    const nnc_model *model;
    const nnc_device *device;
    const nnc_search *search;
    const nnc_search_result *result; /* of the one size */
    const nnc_search_size *sizes;    /* of several; NULL = one */
    int32_t size_count, size_asked;
    int32_t fastest, cheapest; /* among the sizes; -1 = nothing found */
    nnc_search_total total;
    double target_step_s;                /* 0 = not asked */
    nnc_target targets[NNC_LEVER_COUNT]; /* one figure each */
    int target_count;
    double elapsed_s;
    int stopped;   /* by a signal; 0 = not */
    nnc_error why; /* no combination of a shard is legal; status NNC_OK: one is, or no shard */
    const char
        *digest; /* of a shard: of all that decides the search but the shard; NULL = no shard */
} nnc_search_report;

/* Of an nnc_search_report. */
extern const nnc_metrics nnc_search_document;
extern const nnc_view nnc_search_output;

#define NNC_SEARCH_SCHEMA "nncost.search/1"

void nnc_report_search(nnc_buffer *out, nnc_style style, const nnc_search_report *report);

#endif
