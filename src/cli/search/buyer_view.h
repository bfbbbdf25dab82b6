/* Which device to take: the best plan of each, side by side. */
#ifndef NNCOST_CLI_SEARCH_BUYER_VIEW_H
#define NNCOST_CLI_SEARCH_BUYER_VIEW_H

#include "cli/search/search_view.h"

/* What a device has to offer. */
typedef struct nnc_choice_row {
    const char *id, *name;
    const char *seller, *date; /* of the price; NULL = none */
    const char *currency;
    const char *software, *command; /* NULL = nothing found */
    const char *reason;             /* why nothing was; NULL = something was */
    const char *require;            /* the fields of its plan, for a plan file */
    bool found;
    nnc_basis basis; /* of the device's efficiencies */
    nnc_plan plan;
    nnc_bound bound;
    double step_s, mfu, run_s, device_hours, cost, energy_j, price;
    int64_t memory_bytes;
} nnc_choice_row;

typedef struct nnc_choices {
    const char *model;
    const char *aim; /* "the cheapest size that keeps to the deadline" */
    int64_t global_batch;
    bool batch_chosen; /* not asked for */
    nnc_choice_row *rows;
    int32_t count;
} nnc_choices;

extern const nnc_view nnc_choices_view;

#endif
