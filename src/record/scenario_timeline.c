#include <stdlib.h>

#include "base/error.h"
#include "record/scenario.h"

/* The intervals of a timeline as they come in. */
typedef struct interval_list {
    nnc_interval *items;
    size_t count, room;
    bool failed;
} interval_list;

static void add_interval(void *context, const nnc_interval *interval)
{
    interval_list *list = context;
    if (list->count == list->room && !list->failed) {
        const size_t room = list->room > 0 ? 2 * list->room : 1024;
        void *items = realloc(list->items, room * sizeof *list->items);
        if (items == NULL) {
            list->failed = true;
        } else {
            list->items = items;
            list->room = room;
        }
    }
    if (!list->failed) {
        list->items[list->count++] = *interval;
    }
}

/* Stage by stage, each in the order of time. */
static int compare_intervals(const void *a, const void *b)
{
    const nnc_interval *x = a, *y = b;
    if (x->stage != y->stage) {
        return x->stage < y->stage ? -1 : 1;
    }
    if (x->start_s < y->start_s || x->start_s > y->start_s) {
        return x->start_s < y->start_s ? -1 : 1;
    }
    return x->end_s < y->end_s ? -1 : x->end_s > y->end_s ? 1 : 0;
}

nnc_status nnc_scenario_timeline(nnc_scenario *scenario, nnc_scratch *scratch, nnc_error *err)
{
    interval_list list = { .items = NULL };
    nnc_status status = nnc_timeline(scratch, &scenario->result, add_interval, &list, err);
    if (status == NNC_OK && (list.failed || list.count == 0)) {
        status = nnc_no_memory(err);
    }
    if (status != NNC_OK) {
        free(list.items);
        return status;
    }
    qsort(list.items, list.count, sizeof *list.items, compare_intervals);
    scenario->report.intervals = scenario->intervals = list.items;
    scenario->report.interval_count = (int64_t)list.count;
    return NNC_OK;
}

void nnc_scenario_timeline_free(nnc_scenario *scenario)
{
    free(scenario->intervals);
    scenario->report.intervals = scenario->intervals = NULL;
    scenario->report.interval_count = 0;
}
