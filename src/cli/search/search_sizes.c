#include "base/error.h"
#include "cli/search/search_ask.h"

/* The first of the best by one measure, -1 when there is none. */
static int32_t least(const nnc_search_size *sizes, int32_t count, bool by_cost)
{
    int32_t best = -1;
    for (int32_t i = 0; i < count; i++) {
        const nnc_found *a = &sizes[i].best, *b = best < 0 ? NULL : &sizes[best].best;
        if (sizes[i].found &&
            (b == NULL || (by_cost ? a->device_s < b->device_s : a->step_s < b->step_s))) {
            best = i;
        }
    }
    return best;
}

void nnc_search_sizes_rank(nnc_search_report *report)
{
    report->fastest = least(report->sizes, report->size_count, false);
    report->cheapest = least(report->sizes, report->size_count, true);
}

/* One size; where nothing is legal that is its answer, not an error. */
static nnc_status search_size(const nnc_scenario *scenario, const nnc_search_ask *ask,
                              nnc_search_size *size, nnc_search_result *scratch, int *stopped,
                              nnc_error *err)
{
    nnc_search search = ask->search;
    nnc_error why = { .status = NNC_OK };
    search.base.devices = size->devices;
    search.best = 1;
    nnc_status status =
        nnc_search_with_progress(scenario, ask->crew, &search, scratch, stopped, &why);
    nnc_search_total_add(&size->total, scratch);
    if (status == NNC_ILLEGAL_PLAN) {
        size->why = why;
        return NNC_OK;
    }
    if (status != NNC_OK) {
        return nnc_fail(err, status, why.where, "%s", why.what);
    }
    size->found = scratch->best_count > 0;
    size->any_missed = scratch->any_missed;
    size->best = scratch->best[0];
    size->missed = scratch->missed;
    return status;
}

nnc_status nnc_search_sizes_run(const nnc_scenario *scenario, const nnc_search_ask *ask,
                                nnc_arena *arena, nnc_search_result *scratch,
                                nnc_search_report *report, nnc_error *err)
{
    nnc_search_size *sizes = nnc_arena_array(arena, (size_t)ask->size_count, sizeof *sizes);
    nnc_status status = NNC_OK;
    if (sizes == NULL) {
        return nnc_no_memory(err);
    }
    report->sizes = sizes;
    report->size_asked = ask->size_count;
    bool legal = false;
    for (int32_t i = 0; i < ask->size_count && status == NNC_OK && report->stopped == 0; i++) {
        sizes[i] = (nnc_search_size){ .devices = ask->sizes[i] };
        status = search_size(scenario, ask, &sizes[i], scratch, &report->stopped, err);
        report->size_count = i + 1;
        legal = legal || sizes[i].why.status == NNC_OK;
        nnc_search_total_add(&report->total, scratch);
    }
    if (status == NNC_OK && !legal && ask->search.shards == 0) {
        return nnc_fail(err, NNC_ILLEGAL_PLAN, sizes[0].why.where, "%s", sizes[0].why.what);
    }
    nnc_search_sizes_rank(report);
    return status;
}
