/* What a search was asked for on the command line. */
#ifndef NNCOST_CLI_SEARCH_SEARCH_ASK_H
#define NNCOST_CLI_SEARCH_SEARCH_ASK_H

#include <nncost/search.h>

#include "cli/scenario_asked.h"
#include "cli/search/search_view.h"
#include "search/search_ranks.h"

enum { NNC_SEARCH_SIZES_MAX = 1024 };

typedef struct nnc_search_ask {
    nnc_search search;
    int32_t *sizes;         /* numbers of devices to search one by one, in the arena */
    int32_t size_count;     /* 0: the one of the plan */
    int64_t max_devices;    /* 0 = no limit */
    double target_step_s;   /* 0 = not asked */
    const char *plans_path; /* the plan file that stands for the model; NULL = none */
    nnc_crew crew;
} nnc_search_ask;

/* Takes the options of a search out of the options; those left hold for every plan. */
nnc_status nnc_search_options_read(nnc_options *options, nnc_arena *arena, nnc_search_ask *ask,
                                   nnc_error *err);

/* Applies --max-devices to the sizes, or makes sizes of it where neither they nor the plan's devices
 * are given. */
nnc_status nnc_search_sizes_settle(const nnc_plan *base, const nnc_device *device, nnc_arena *arena,
                                   nnc_search_ask *ask, nnc_error *err);

/* Searches, with all ranks; signals are held. */
nnc_status nnc_search_with_progress(const nnc_scenario *scenario, nnc_crew crew,
                                    const nnc_search *search, nnc_search_result *result,
                                    int *stopped, nnc_error *err);

/* Digest of all that decides the result but the shard: version, options, and what the files say. */
nnc_status nnc_search_digest(const nnc_session *session, const nnc_scenario *scenario,
                             const nnc_search_ask *ask, uint64_t *digest, nnc_error *err);

/* Finds the fastest and the cheapest of the sizes. */
void nnc_search_sizes_rank(nnc_search_report *report);

/* The exit code of a search that was not stopped: 0, or 1 when nothing was found. */
int nnc_search_answer(const nnc_search_report *report);

/* Searches size by size into the report's list, in the arena. */
nnc_status nnc_search_sizes_run(const nnc_scenario *scenario, const nnc_search_ask *ask,
                                nnc_arena *arena, nnc_search_result *scratch,
                                nnc_search_report *report, nnc_error *err);

#endif
